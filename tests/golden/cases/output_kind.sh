gpubench radix --output=records.txt
