gpubench lbvh --op=trace --rays-kind=secondary cpu/stack
