gpubench radix --file=nowhere.bin cpu/lsd8
