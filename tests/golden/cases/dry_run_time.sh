# With --resume a plan lists only the missing measurements.  A table's plan has a line per key.
gpubench radix cpu/qsort --count=1000 --max-time=0.1 -q -o out.jsonl || exit
gpubench radix cpu/qsort --count=1000,2000 --max-time=0.1 --dry-run --resume --runs=2 -o out.jsonl >plan || exit
sed 's/host .*, about .*/host N, about N/' plan
gpubench radix cpu/qsort --count=1000 --dry-run --resume -o out.jsonl || exit
gpubench repro radix:table1 --preset=quick --backend=cpu --threads=1 --dry-run=keys >plan || exit
sed -n 's/: host .*//p' plan | sort | uniq -c | sed -n '1,3p'
# A trial that would take long is left out: by depth 30 one takes minutes.
timeout 60 gpubench repro cbt:fig6 --backend=cpu --threads=1 --dry-run >plan || exit
sed -n 's/host .*, about [1-9].* (scaled)$/host N, about N (scaled)/p' plan | tail -n 1
sed -n 's/host .*, about [0-9].* (.* scaled/host N, about N (some scaled/; s/^total/&/p' plan
gpubench repro octree:throughput --from=out.jsonl --dry-run
