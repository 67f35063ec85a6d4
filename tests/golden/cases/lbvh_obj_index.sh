printf "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n" >bad.obj
gpubench lbvh --scene=bad.obj cpu/apetrei
