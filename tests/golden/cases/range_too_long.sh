gpubench radix --count=1:1G
