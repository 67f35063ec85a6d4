gpubench radix -x
