gpubench compare one.jsonl
