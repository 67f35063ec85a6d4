gpubench radix --threads=5000
