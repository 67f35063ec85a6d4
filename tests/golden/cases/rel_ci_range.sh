gpubench radix --rel-ci=2
