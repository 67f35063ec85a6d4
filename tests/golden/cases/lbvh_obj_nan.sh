printf "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n" >bad.obj
gpubench lbvh --scene=bad.obj cpu/apetrei
