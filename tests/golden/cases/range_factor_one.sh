gpubench radix --count=1:10:x1
