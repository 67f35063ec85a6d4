# OpenMP's waiting threads may spin, which is no work beside a run.
unset GOMP_SPINCOUNT
for policy in active passive; do
	OMP_WAIT_POLICY=$policy gpubench radix cpu/lsd8 cpu/qsort --count=20k --threads=2 --samples=5 -q -o $policy.jsonl || exit
	grep -c '"status":"ok"' $policy.jsonl
done
# The program executes itself to limit how long they spin.
mkfifo lines
gpubench report - <lines &
exec 3>lines
for i in $(seq 100); do
	tr '\0' '\n' </proc/$!/environ | grep SPINCOUNT && break
	sleep 0.1
done
exec 3>&-
wait
