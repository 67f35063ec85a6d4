gpubench radix --min-samples=20 --max-samples=10
