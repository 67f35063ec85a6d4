gpubench radix --count=2^62
