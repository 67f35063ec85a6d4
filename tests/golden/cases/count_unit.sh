gpubench radix --count=10X
