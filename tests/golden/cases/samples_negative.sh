gpubench radix --samples=-3
