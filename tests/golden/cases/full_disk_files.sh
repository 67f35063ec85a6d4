# A limit on the size of files stands for a full disk. Every command exits with status 5.
# No half-written file remains, but complete records do. A path that cannot be opened for writing
# gives the same status.
ulimit -f 6
try() {
	"$@" 2>err
	echo "$? $(cat err)"
}
sizes=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
try gpubench lbvh cpu/stack --count=$sizes -q -o records.jsonl
/usr/bin/python3 "$TESTS/schema.py" records.jsonl || exit
try sh -c 'gpubench report --format=html records.jsonl >page'
try gpubench bfs cpu/csr --vertices=1000 -q --write=graph.sg
try gpubench bfs cpu/csr --vertices=1000 -q --write=graph.el
try gpubench lbvh cpu/stack --hot --op=trace --scene=teapot --count=100 --rays=64 -q --write=picture.ppm
try gpubench lbvh cpu/stack --hot --op=trace --scene=teapot --count=100 --rays=8 -q --write=no/such/picture.ppm
try gpubench bfs cpu/csr --vertices=10 -q --write=no/such/graph.sg
mkdir picture.ppm
try gpubench lbvh cpu/stack --hot --op=trace --scene=teapot --count=100 --rays=8 -q --write=picture.ppm
ls
