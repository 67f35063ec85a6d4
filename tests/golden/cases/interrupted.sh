gpubench radix cpu/qsort --count=300k --samples=100000 --timeout=1000 -q -o out.jsonl &
pid=$!
until [ -s out.jsonl ] || ! kill -0 $pid; do sleep 0.1; done
sleep 1
kill -INT $pid
wait $pid
status=$?
/usr/bin/python3 "$TESTS/schema.py" out.jsonl || exit
exit $status
