gpubench radix --min=3
