# The first plan takes its times from the bounds of the stopping rule.
# With --resume a plan takes them from earlier records and lists only the missing measurements.
gpubench radix cpu/qsort --count=1000,2000 --max-time=0.1 --timeout=3 --dry-run >plan || exit
sed 's/host .*device 0 B/host N, device 0 B/' plan
gpubench radix cpu/qsort --count=1000 --max-time=0.1 -q -o out.jsonl || exit
gpubench radix cpu/qsort --count=1000,2000 --max-time=0.1 --dry-run --resume --runs=2 -o out.jsonl >plan || exit
sed 's/host .*device 0 B/host N, device 0 B/; s/about [0-9.]* s/about N s/' plan
gpubench radix cpu/qsort --count=1000 --dry-run --resume -o out.jsonl
