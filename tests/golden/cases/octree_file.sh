# A CSV file and a PLY file with the same bodies give the same tree. --count reads only the first
# bodies of a file, and a line says if there are fewer.
printf 'x,y,z,m\n0.5,0.25,0.125,1\n-1,0.75,2,1\n0.5,0.25,0.126,1\n' >bodies.csv
printf 'ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty double z\nend_header\n0.5 0.25 0.125\n-1 0.75 2\n0.5 0.25 0.126\n' >bodies.ply
gpubench octree cpu/seq cpu/morton --file=bodies.csv,bodies.ply --samples=2 -o out.jsonl >table || exit
gpubench octree cpu/seq --file=bodies.csv --count=2 --samples=2 -o two.jsonl >table || exit
gpubench octree cpu/seq --file=bodies.csv --count=9 --dry-run >table || exit
sed -n 's/.*\("nodes":[0-9]*\).*\("max_depth":[0-9]*\).*\("structural_hash":"[^"]*"\).*/\1 \2 \3/p' out.jsonl two.jsonl
# A file takes the place of the bodies that a preset generates, and each point is there once.
gpubench run octree cpu/lf --preset=ci --file=bodies.ply --strict --threads=1 --dry-run
