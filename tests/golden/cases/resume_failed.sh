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
copy -o failed.jsonl || exit
sed -i '$s/"status":"ok"/"status":"failed"/; $s/"[a-z_]*":{"clock":[^}]*},//g' failed.jsonl
copy --resume -o failed.jsonl || exit
grep -o '"status":"[a-z]*"' failed.jsonl | tr '\n' ' '
gpubench report --format=csv failed.jsonl | cut -d, -f8 | tr '\n' ' '
copy --resume -o failed.jsonl || exit
grep -c '"type":"record"' failed.jsonl
# Each of several repetitions has its own record, even if it failed.
gpubench-planted radix cpu/planted --hot --count=1000 --samples=2 -q --repetitions=2 -o repetitions.jsonl
gpubench report --format=csv repetitions.jsonl | grep -c failed
