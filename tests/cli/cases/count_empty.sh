gpubench radix --count=
