: >empty.jsonl
gpubench report empty.jsonl
