gpubench repro radix:table1 --threads=1,2
