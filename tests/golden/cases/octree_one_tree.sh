# Every builder reports the same tree with one thread and with four.
gpubench octree 'cpu/*' --count=5000 --distribution=clustered --threads=1,4 --samples=2 --seed=7 -q -o out.jsonl >table || exit
gpubench octree 'cpu/*' --count=5000 --distribution=clustered --order=own --bucket=16 --samples=2 --seed=7 -o bucket.jsonl >table || exit
for file in out.jsonl bucket.jsonl; do
	grep '"type":"record"' $file | grep -v '"status":"skipped"' | grep -vc '"structural_hash":'
	sed -n 's/.*\("nodes":[0-9]*\).*\("max_depth":[0-9]*\).*\("mean_depth":[0-9.]*\).*\("structural_hash":"[^"]*"\).*/\1 \2 \3 \4/p' $file | sort -u
done
