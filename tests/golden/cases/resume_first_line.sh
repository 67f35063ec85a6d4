# Killed while its first line was written: there is nothing to resume, and nothing in the way.
printf '{"type":"run","sch' >out.jsonl
gpubench radix cpu/qsort --count=1000 --samples=2 -q --resume -o out.jsonl || exit
sed 's/^{"type":"\([a-z]*\)".*/\1/' out.jsonl
