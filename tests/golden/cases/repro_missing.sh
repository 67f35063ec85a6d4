# --missing lists the empty cells; the commands that it prints fill each of them, once.
words="radix:table1 cbt:memory --preset=ci --backend=cpu --samples=1"
gpubench radix cpu/split --count=10000 --samples=1 -o a.jsonl >/dev/null || exit
gpubench repro $words --missing --from=a.jsonl >plan || exit
grep -E 'empty|^gpubench' plan
sed -n 's/^gpubench //p' plan | while read -r line; do gpubench $line -q || exit; done
grep -c '"type":"record"' missing.jsonl
gpubench repro $words --missing --from=a.jsonl ./missing.jsonl
# A GPU's time is measured again if its transfers were timed once.
sed 's|radix/cpu/split|radix/cuda/split|; s|"backend":"cpu"|"backend":"cuda","upload":5,"download":5|' a.jsonl >gpu.jsonl
gpubench repro radix:table1 --preset=ci --backend=cuda --missing --dry-run=keys --from=gpu.jsonl | grep ' [a-z]*_s: '
# Columns of more threads than there are CPUs cannot be filled here.
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
taskset -c "$cpu" gpubench repro cbt:s13 --preset=ci --backend=cpu --missing --dry-run=keys --from=a.jsonl >plan || exit
sed -n 's/.* \(op=reduce depth=10 .*skipped.*\)/\1/p' plan
sed -n 's/^\(total.*\):.*/\1/p; s/^empty cells.*; their/their/p; s/ --warmup.*//; /^gpubench.*descent/p' plan
# --dry-run lists the measurements, and with --resume those that are left.
gpubench repro $words --dry-run >all && sed '/^$/,$d; s/ threads=[0-9]*//; s/:.*//' all
gpubench repro $words --dry-run -o missing.jsonl --resume >left && sed '/^$/,$d; s/:.*//' left
# The commands measure as the options say; a table's own defaults take few samples.
gpubench repro cbt:memory --missing --dry-run=keys --from=a.jsonl --preset=quick | grep '^gpubench'
gpubench repro cbt:memory --missing --dry-run=keys --from=a.jsonl --warmup=4 --min-samples=7 --max-time=9 --rel-ci=.005 --timeout=60 --hot --no-verify --preset=quick | grep '^gpubench'
# --threads looks up records of so many threads.
gpubench radix cpu/best --count=10000 --threads=3 --samples=1 -q -o three.jsonl
for threads in 3 4; do
	gpubench repro radix:table1 --preset=ci --backend=cpu --threads=$threads --missing --dry-run=keys --from=three.jsonl | grep 'cpu/best: '
done
