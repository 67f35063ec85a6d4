gpubench radix --count=10 -o nowhere/out.jsonl
