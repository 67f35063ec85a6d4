gpubench radix --type=u8
