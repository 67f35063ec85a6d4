# An existing output file is not replaced without --overwrite. An empty file counts as absent.
copy() {
	gpubench stream cpu/copy --count=10 --hot --samples=1 --warmup=0 -q "$@"
}
echo "to keep" >out.jsonl
copy -o out.jsonl
echo "$? $(cat out.jsonl)"
copy --repetitions=2 -o out.jsonl
echo $?
echo "to keep" >out.b.jsonl
gpubench ab a="$(command -v gpubench)" b="$(command -v gpubench)" --repetitions=1 -o out -- stream cpu/copy --count=10
echo "$? $(cat out.b.jsonl)"
echo "to keep" >graph.el
gpubench bfs cpu/csr --vertices=10 --write=graph.el
echo "$? $(cat graph.el)"
echo "to keep" >picture.ppm
gpubench lbvh cpu/stack --op=trace --rays=8 --write=picture.ppm
echo "$? $(cat picture.ppm)"
ls
: >empty.jsonl
copy -o empty.jsonl && [ -s empty.jsonl ] || exit
copy --overwrite -o out.jsonl || exit
! grep -q 'to keep' out.jsonl || exit
copy --overwrite --repetitions=2 -o out.jsonl || exit
grep -c '"type":"record"' out.jsonl
: >empty.el
gpubench bfs cpu/csr --vertices=10 --samples=1 -q --write=empty.el && [ -s empty.el ] || exit
gpubench bfs cpu/csr --vertices=10 --samples=1 -q --overwrite --write=graph.el || exit
! grep -q 'to keep' graph.el || exit
copy --overwrite --resume -o out.jsonl
