gpubench radix --colour=red
