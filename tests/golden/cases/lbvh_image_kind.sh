gpubench lbvh --op=trace --rays=8 --image=picture.jpg cpu/stack
