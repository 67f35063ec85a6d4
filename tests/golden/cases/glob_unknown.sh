gpubench radix "cpu/nothing*"
