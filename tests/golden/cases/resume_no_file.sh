gpubench radix cpu/best --resume --count=1k
