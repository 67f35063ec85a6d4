gpubench radix --count=1k --count=2k
