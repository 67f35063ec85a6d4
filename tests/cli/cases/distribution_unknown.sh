gpubench radix --distribution=normal
