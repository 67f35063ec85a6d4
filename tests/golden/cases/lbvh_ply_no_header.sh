printf "solid\n" >bad.ply
gpubench lbvh --scene=bad.ply cpu/apetrei
