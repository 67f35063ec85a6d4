gpubench radix --count
