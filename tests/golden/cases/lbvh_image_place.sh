gpubench lbvh --op=trace --rays=8 --image=no/such/picture.ppm cpu/stack
