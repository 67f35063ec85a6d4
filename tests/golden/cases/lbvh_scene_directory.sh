mkdir mesh.ply
gpubench lbvh --scene=mesh.ply cpu/apetrei
