mkdir d.jsonl && gpubench radix --count=10 -o d.jsonl
