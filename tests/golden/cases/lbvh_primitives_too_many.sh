gpubench lbvh --primitives=2^30 cpu/apetrei
