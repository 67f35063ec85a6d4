# Three launches, each with a run line of its own; with --resume nothing is done twice.
gpubench radix cpu/best --count=1k,2k --threads=1 --samples=1 --runs=3 -q -o out.jsonl || exit
grep -c '"type":"run"' out.jsonl
grep -c '"type":"record"' out.jsonl
gpubench radix cpu/best --count=1k,2k --threads=1 --samples=1 --runs=4 --resume -q -o out.jsonl || exit
grep -c '"type":"record"' out.jsonl
gpubench radix cpu/best --count=1k --samples=1 --runs=2 -o - | grep -c '"type":"record"'
gpubench radix cpu/best --count=minus --runs=2
