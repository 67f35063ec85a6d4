gpubench report nowhere.jsonl
