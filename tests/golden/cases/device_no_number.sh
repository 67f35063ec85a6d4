gpubench radix --count=100 --device=some
