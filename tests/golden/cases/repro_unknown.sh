gpubench repro radix:table9
