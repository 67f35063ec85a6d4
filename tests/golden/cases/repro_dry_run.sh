gpubench repro radix:table1 --dry-run
