gpubench radix --re=3
