for f in jsonl html; do gpubench radix cpu/lsd8 --count=1k --samples=2 -q -o out.$f || exit; [ -s out.$f ] || exit; done
ls
