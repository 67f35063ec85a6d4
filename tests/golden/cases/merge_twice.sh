# Shards overlap: each line once, all keys there.
for i in 1 2 3; do
	gpubench radix cpu/best cpu/lsd8 --count=1k,2k,3k --threads=1 --shard=$i/3 --samples=1 -q -o $i.jsonl || exit
done
gpubench merge 1.jsonl 2.jsonl 3.jsonl 1.jsonl >all.jsonl || exit
gpubench radix cpu/best cpu/lsd8 --count=1k,2k,3k --threads=1 --samples=1 -q -o whole.jsonl || exit
for file in all whole; do
	grep -o '"key":"[^"]*"' $file.jsonl | sort >$file.keys
done
diff all.keys whole.keys || exit
wc -l <all.keys
sed 's/"samples":\[[0-9]*/&1/' 1.jsonl >changed.jsonl
gpubench merge 1.jsonl changed.jsonl 2>err >out
status=$?
sed 's/of run .* is/of run X is/' err >&2
exit $status
