printf "%s\n" "{\"type\":\"run\"" >bad.jsonl
gpubench report bad.jsonl
