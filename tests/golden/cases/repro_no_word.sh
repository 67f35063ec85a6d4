gpubench repro
