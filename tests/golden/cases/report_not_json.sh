printf "hello\nworld\n" >bad.jsonl
gpubench report bad.jsonl
