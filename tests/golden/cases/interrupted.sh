gpubench radix cpu/qsort --count=300k --samples=100000 --timeout=60 -q -o out.jsonl &
pid=$!
sleep 1
kill -INT $pid
wait $pid
status=$?
/usr/bin/python3 "$TESTS/schema.py" out.jsonl || exit
exit $status
