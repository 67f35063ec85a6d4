gpubench radix --count=1000,1k
