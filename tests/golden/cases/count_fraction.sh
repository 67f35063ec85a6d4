gpubench radix --count=1.5
