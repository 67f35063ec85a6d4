gpubench lbvh --image=picture.ppm cpu/apetrei
