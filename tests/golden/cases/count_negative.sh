gpubench radix --count=-1
