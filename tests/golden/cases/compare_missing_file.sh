gpubench compare nowhere.jsonl nowhere.jsonl
