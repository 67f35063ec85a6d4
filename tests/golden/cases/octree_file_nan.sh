printf "1,2,3\n1,2,nan\n" >bodies.csv
gpubench octree cpu/seq --file=bodies.csv
