gpubench radix --hot --cold
