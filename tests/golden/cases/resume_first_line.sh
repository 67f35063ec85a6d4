# A file that holds only an incomplete first line is resumed like an empty file.
printf '{"type":"run","sch' >out.jsonl
gpubench radix cpu/qsort --count=1000 --samples=2 -q --resume -o out.jsonl || exit
sed 's/^{"type":"\([a-z]*\)".*/\1/' out.jsonl
