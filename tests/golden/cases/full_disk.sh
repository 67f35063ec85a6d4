gpubench radix cpu/lsd8 --count=10 --samples=2 >/dev/full
