# --base adds stored launches of the first build: of the same arguments, machine and day. They are
# left out where new launches of that build differ, and never make a key slower.
cp "$TESTS/planted/launch.sh" base
cp base new
printf 'radix/cpu/%s ok 1000000\n' a b >base.keys
cp base.keys new.keys
today=$(date -u +%FT%TZ)
made() { # MEMBERS: of the run line of further launches
	echo ",\"started\":\"$today\"$1" | tee base.run >new.run
}
ab() { # FILES [WORD]
	gpubench ab base=./base new=./new --base="$1" --all -- "${2:-x}"
	echo "status $?"
}
made
gpubench ab base=./base new=./new --launches=6 --threshold=.01 -o kept -- x >kept.out
grep -c '"run"' kept.base.jsonl
ab kept.base.jsonl
echo 'an eighth slower than the stored launches, both builds'
sed -i 's/1000000/1125000/' base.keys new.keys
ab kept.base.jsonl
echo 'the second build alone'
sed -i 's/1125000/1000000/' base.keys
ab kept.base.jsonl
cp base.keys new.keys
ab kept.base.jsonl y | grep "n=1\|status"
sed 's/"started":"[^"]*"/"started":"2026-01-01T00:00:00Z"/' kept.base.jsonl >old.jsonl
ab old.jsonl | grep "n=1\|status"
made ',"host":{"cpu":"another"}'
ab kept.base.jsonl | grep "n=1\|status"
ab nowhere.jsonl
ab kept.base.jsonl,
rm base.run new.run
made
gpubench ab base=./base new=./new --base=kept.base.jsonl --all -- x x | tail -n 1
grep -v '"type":"run"' kept.base.jsonl >lines.jsonl
sed 's/"run_id":"/&other/' lines.jsonl >others.jsonl
ab others.jsonl,kept.base.jsonl | grep "n=1\|status"
gpubench ab base=./base new=./new --base=kept.base.jsonl --launches=8 --resume --threshold=.01 -o kept -- x | grep 'n=1'
