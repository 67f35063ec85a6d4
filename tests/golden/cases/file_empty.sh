: >keys.bin
gpubench radix --file=keys.bin cpu/lsd8
