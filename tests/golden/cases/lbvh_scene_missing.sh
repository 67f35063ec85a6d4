gpubench lbvh --scene=no/such.ply cpu/apetrei
