gpubench run --warmup=1 --colour --dry-run
