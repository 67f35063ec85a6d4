gpubench lbvh --scene=teapots cpu/apetrei
