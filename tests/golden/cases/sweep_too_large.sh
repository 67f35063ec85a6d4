gpubench radix --count=1:10000 --seed=1:1000
