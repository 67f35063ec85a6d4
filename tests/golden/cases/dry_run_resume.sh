# With --resume a plan lists only the missing measurements.  A table's plan has a line per key.
gpubench radix cpu/qsort --count=1000 --max-time=0.1 -q -o out.jsonl || exit
gpubench radix cpu/qsort --count=1000,2000 --max-time=0.1 --dry-run --resume --repetitions=2 -o out.jsonl >plan || exit
sed 's/host .*/host N/' plan
gpubench radix cpu/qsort --count=1000 --dry-run --resume -o out.jsonl || exit
gpubench repro radix:table1 --preset=quick --backend=cpu --threads=1 --dry-run >plan || exit
sed -n 's/: host .*//p' plan | sort | uniq -c | sed -n '1,3p'
gpubench repro octree:throughput --from=out.jsonl --dry-run
