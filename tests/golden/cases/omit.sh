# ab names in GPUBENCH_OMIT the keys that are decided, and libraries unless the command line has them.
keys() {
	GPUBENCH_OMIT=$1 gpubench radix "$2" "$3" --backend=cpu --count=1k,2k --threads=1 --samples=1 --warmup=0 -o "$1.jsonl" -q
	grep -o '"key":"[^"]*"' "$1.jsonl"
}
printf 'radix/cpu/best count=2000 threads=1\nbfs/cpu/csr\n' >some
keys some cpu/best cpu/lsd8
printf 'peers\nradix/cpu/lsd8 count=1000 threads=1\n' >all
keys all cpu/lsd8 'cpu/qs*'
rm all.jsonl
keys all cpu/lsd8 cpu/qsort
keys absent cpu/best cpu/lsd8
