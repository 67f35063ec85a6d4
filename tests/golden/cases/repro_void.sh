# repro refuses options that have no effect beside --from or --dry-run.
for mode in --from=a.jsonl --dry-run; do
	for option in --samples=3 --hot --verify=no --device=1 --resume -q -v --output=a.jsonl --overwrite \
		--format=json --threads=2 --preset=ci --backend=cpu; do
		gpubench repro radix:table1 $mode $option 2>&1 >table | grep 'no effect'
	done
done
gpubench repro --format=json
