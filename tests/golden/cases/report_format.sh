gpubench report --format=xml x.jsonl
