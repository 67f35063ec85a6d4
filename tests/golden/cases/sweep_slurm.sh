# The tasks of a job array measure each key of the sweep once, even if a task is killed and requeued.
set -- radix cpu/qsort cpu/lsd8 --count=1k,2k,4k --threads=1 --samples=1
for task in 1 2 3 2; do
	SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MAX=3 bash "$TESTS/../scripts/sweep.slurm" "$@" || exit
	[ $task != 3 ] || sed -i '$d' records/shard-2.jsonl
done
gpubench "$@" -q -o whole.jsonl || exit
for files in whole.jsonl "records/shard-*.jsonl"; do
	grep -ho '"key":"[^"]*"' $files | sort | cksum
done | uniq -c | cut -c -8
grep -c '"type":"run"' records/shard-2.jsonl
bash "$TESTS/../scripts/sweep.slurm" radix 2>&1 | grep -o 'runs as a job array'
