# The output of a real run conforms to the published schema.
gpubench radix cpu/split cpu/lsd8 cpu/best --count=0,1,1000 --values=none,u32 --threads=1,2 --samples=3 -q -o out.jsonl || exit
/usr/bin/python3 "$TESTS/schema.py" out.jsonl >schema || { cat schema; exit 1; }
wc -l <out.jsonl
