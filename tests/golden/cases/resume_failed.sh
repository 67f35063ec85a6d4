# --resume measures a failed key again. The exit status is 1 if the key fails again.
# Otherwise the new record replaces the old one, whose line stays in the file.
gpubench-planted radix cpu/planted --hot --count=1000 --samples=2 -q -o out.jsonl
echo $?
gpubench-planted radix cpu/planted --hot --count=1000 --samples=2 -q --resume -o out.jsonl
echo $?
/usr/bin/python3 "$TESTS/schema.py" out.jsonl || exit
grep -c '"type":"record"' out.jsonl
gpubench report --format=csv out.jsonl | cut -d, -f8
copy() {
	gpubench stream cpu/copy --count=10,20 --hot --samples=1 --warmup=0 -q "$@"
}
for status in failed timeout; do
	copy -o $status.jsonl || exit
	sed -i '$s/"schema":2/"schema":1/; $s/"status":"ok"/"status":"'$status'"/' $status.jsonl
	copy --resume -o $status.jsonl || exit
	grep -o '"status":"[a-z]*"' $status.jsonl | tr '\n' ' '
	gpubench report --format=csv $status.jsonl | cut -d, -f8 | tr '\n' ' '
	copy --resume -o $status.jsonl || exit
	grep -c '"type":"record"' $status.jsonl
done
# Each of several launches has its own record, even if it failed.
gpubench-planted radix cpu/planted --hot --count=1000 --samples=2 -q --runs=2 -o launches.jsonl
gpubench report --format=csv launches.jsonl | grep -c failed
