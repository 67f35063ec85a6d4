printf 1234567 >keys.bin
gpubench radix --file=keys.bin cpu/lsd8
