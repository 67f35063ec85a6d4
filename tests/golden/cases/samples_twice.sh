gpubench radix --samples=3 --samples=4
