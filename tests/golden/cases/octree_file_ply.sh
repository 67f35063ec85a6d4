printf "ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n" >bodies.ply
gpubench octree cpu/seq --file=bodies.ply
