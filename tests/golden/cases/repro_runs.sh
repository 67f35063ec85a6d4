gpubench repro radix:table1 --runs=3
