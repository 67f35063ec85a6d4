# A dry run reads no input file of 100 GiB.
truncate -s 100G keys.bin bodies.bin graph.el graph.sg mesh.obj || exit
for words in "radix cpu/lsd8 --file=keys.bin --count=0" "octree cpu/lf --file=bodies.bin --count=0" \
	"bfs cpu/csr --file=graph.el" "bfs cpu/csr --file=graph.sg" "lbvh cpu/apetrei --file=mesh.obj"; do
	timeout 600 gpubench $words --threads=1 --dry-run >plan || exit
	sed -n '1s/host .*/host N/; 1s/^[^:]*: //p' plan
done
