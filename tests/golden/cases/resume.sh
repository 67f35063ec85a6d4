# --resume completes a sweep that was cut off within a line. Every key occurs once.
# The complete lines stay as they were.
gpubench radix cpu/best cpu/lsd8 --count=1k,2k,4k --threads=1 --samples=1 -q -o out.jsonl || exit
head -n 4 out.jsonl >first
tail -n +5 out.jsonl | head -c 100 >part
cat first part >out.jsonl
gpubench radix cpu/best cpu/lsd8 --count=1k,2k,4k --threads=1 --samples=1 -q --resume -o out.jsonl || exit
head -n 4 out.jsonl | cmp - first || exit
grep -o '"key":"[^"]*"' out.jsonl | sort
cp out.jsonl before
gpubench radix cpu/best cpu/lsd8 --count=1k,2k,4k --threads=1 --samples=1 -q --resume -o out.jsonl || exit
grep -c '"type":"record"' out.jsonl
