# gpubench refuses to write to a file that it reads, under any name of that file.
seq 1 400 | head -c 800 >keys.bin
cp keys.bin copy
ln keys.bin keys.jsonl
ln -s keys.bin link.jsonl
for f in keys link; do
	gpubench radix cpu/qsort --file=keys.bin --overwrite -o $f.jsonl
	echo $?
done
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >one.obj
ln one.obj one.ppm
gpubench lbvh --op=trace --file=one.obj --rays=8 cpu/stack --overwrite --write=one.ppm
echo $?
printf '0 1\n1 2\n' >a.el
gpubench bfs cpu/csr --file=a.el --overwrite --write=a.el
echo $?
cat a.el
gpubench lbvh cpu/stack --count=4 -q -o r.jsonl || exit
gpubench report r.jsonl r.jsonl >>r.jsonl
echo $?
grep -c . r.jsonl
cmp keys.bin copy
