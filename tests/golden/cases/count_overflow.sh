gpubench radix --count=99999999999999999999
