# ab names in GPUBENCH_ORDERS the keys that are decided, libraries unless the command line has them,
# and the copy bandwidth, which is not measured again. No phases are measured.
keys() {
	GPUBENCH_ORDERS=$1 gpubench radix "$2" "$3" --backend=cpu --count=1k,2k --threads=1 --samples=1 --warmup=0 -o "$1.jsonl" -q
	grep -o '"key":"[^"]*"' "$1.jsonl"
}
printf 'radix/cpu/best count=2000 threads=1\nbfs/cpu/csr\n' >some
keys some cpu/best cpu/lsd8
printf 'peers\nradix/cpu/lsd8 count=1000 threads=1\n' >all
keys all cpu/lsd8 'cpu/qs*'
rm all.jsonl
keys all cpu/lsd8 cpu/qsort
keys absent cpu/best cpu/lsd8 | wc -l
printf 'copy cpu 1 123456789000\ncopy nothing 1 5\n' >copy
keys copy cpu/best cpu/lsd8
grep -c '"copy_bytes_per_s":123456789000,' copy.jsonl
grep -c '"phases"' copy.jsonl
gpubench radix cpu/lsd8 --count=1k --threads=1 --samples=1 --warmup=0 -o plain.jsonl -q
grep -c '"phases"' plain.jsonl
