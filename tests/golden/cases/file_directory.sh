gpubench radix --file=/ cpu/lsd8
