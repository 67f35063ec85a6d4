printf "x,y,z\n1,2,3\n4,5\n" >bodies.csv
gpubench octree cpu/seq --file=bodies.csv
