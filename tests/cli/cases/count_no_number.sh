gpubench radix --count=many
