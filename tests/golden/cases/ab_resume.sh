# --resume continues from the repetitions that a killed ab kept.
# A repetition with an incomplete record is dropped and measured again.
cp "$TESTS/planted/repetition.sh" base
cp base new
printf 'radix/cpu/%s ok 1000000\n' a b >base.keys
cp base.keys new.keys
ab() {
	gpubench ab base=./base new=./new --repetitions="$repetitions" -o kept "$@"
	echo "status $?, $(grep -c '"run"' kept.new.jsonl) repetitions of new, $(grep -c '"record"' kept.new.jsonl) records"
}
repetitions=4
echo 2 >new.kill
(ab -- x) 2>/dev/null
grep -c '"run"' kept.new.jsonl
ab -- x 2>&1 | sed 's/new.jsonl exists/base.jsonl exists/' # which one came first is chance
ab --resume -- x
grep -o '"run_id":"[^"]*"' kept.base.jsonl | sort -u | wc -l
head -c -50 kept.new.jsonl >cut && cp cut kept.new.jsonl
ab --resume -- x
repetitions=6
ab --resume -- y 2>&1
echo ',"host":{"cpu":"another"}' >new.run
ab --resume --threshold=0.01 -- x 2>&1
ab --resume --overwrite -- x 2>&1
rm new.run
ab --overwrite -- x
gpubench ab base=./base new=./new --resume -- x
