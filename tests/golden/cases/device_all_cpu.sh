gpubench radix --count=100 --device=all --backend=cpu
