# ab launches only keys that are still unsure, until all are decided. Each launch is kept.
cp "$TESTS/planted/repetition.sh" base
cp base new
cp base near
printf 'radix/cpu/%s ok 1000000\n' a b c d e >base.keys
sed 's/b ok 1/b ok 1.2/; s/1.2000000/1200000/' base.keys >new.keys
cp base.keys near.keys
repetitions() { # NAME: the repetitions of each key on both sides
	cat $1.base.jsonl $1.new.jsonl | grep -o '"key":"[^"]*"' | sort | uniq -c
}
gpubench ab base=./base new=./new -o far --all -- x
echo "status $?"
repetitions far
gpubench ab base=./base new=./near --all -- x
echo "status $?"
gpubench ab base=./base new=./new --repetitions=4 -- x
echo "status $?"
gpubench ab base=./base new=./new --budget=0 -- x
echo "status $?"
for budget in x 5d 1e9 -1 ''; do
	gpubench ab base=./base new=./new --budget=$budget -- x
done
