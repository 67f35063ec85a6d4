gpubench radix --count=10:1
