gpubench radix --format=json
