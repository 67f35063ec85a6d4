gpubench radix cpu/lsd8 cpu/best --count=1k,4k --samples=3 -o out.jsonl >first || exit
gpubench report out.jsonl >second || exit
cmp first second
