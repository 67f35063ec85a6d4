# The report of a truncated file contains every complete record.
gpubench radix cpu/lsd8 --count=1k,2k,4k --samples=3 -q -o out.jsonl || exit
head -c -20 out.jsonl >cut.jsonl
gpubench report --format=csv cut.jsonl >csv || exit
wc -l <csv
