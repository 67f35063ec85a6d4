gpubench --version && gpubench radix -V
