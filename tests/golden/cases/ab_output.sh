# A killed ab keeps the repetitions before it.  Its files are replaced only by --overwrite.
cp "$TESTS/planted/repetition.sh" base
cp base new
printf 'radix/cpu/%s ok 1000000\n' a b >base.keys
cp base.keys new.keys
ab() {
	gpubench ab base=./base new=./new --repetitions=4 -o kept "$@"
	echo "status $?, $(grep -c '"run"' kept.new.jsonl) repetitions of new, $(grep -c '"record"' kept.new.jsonl) records"
}
echo 2 >new.kill
(ab -- x) 2>/dev/null
ab -- x 2>&1 | sed 's/new.jsonl exists/base.jsonl exists/' # which one came first is chance
ab --overwrite -- x
