for f in records.txt records.json out.csv out.md jsonl; do gpubench radix --output=$f; done
