# Each exit status of `ab` and `compare`, with its reason: what was measured is planted.
cp "$TESTS/planted/launch.sh" base
keys() { # PROGRAM LINE...
	cp base "$1" 2>/dev/null
	keys=$1.keys
	shift
	printf 'radix/cpu/%s\n' "$@" >"$keys"
}
gate() { # NEW OPTION...
	new=$1
	shift
	echo "== $new $*"
	gpubench ab base=./base new=./$new "$@" -- x
	echo "status $?"
}
keys base 'a ok 1000000' 'b ok 2000000' 'c ok 3000000'
keys alike 'a ok 1010000' 'b ok 1990000' 'c ok 3000000' 'd ok 5000000'
keys slower 'a ok 1100000' 'b ok 1600000' 'c ok 3000000'
keys failed 'a ok 1000000' 'b failed' 'c ok 3000000'
keys removed 'a ok 1000000' 'c ok 3000000'
keys skipped 'a ok 1000000' 'b skipped' 'c ok 3000000'
keys unverified 'a ok 1000000' 'b unverified 2000000' 'c ok 3000000'
keys other 'x ok 1000000'
gate alike --launches=4
gate slower --launches=4
gate failed --launches=4
gate removed --launches=4
gate removed --launches=4 --allow-missing
gate skipped --launches=4
gate unverified --launches=4
gate unverified --launches=4 --unverified
gate other --launches=4
gate other --launches=4 --allow-missing
gate alike --launches=1
gate slower --launches=3 -o three
# One key is decided; two have three launches.
sed -n 's/"a n=1"/&/; /cpu.a n=1/p; /"run"/p' three.base.jsonl | sed 's/base-/more-/' >>three.base.jsonl
sed -n '/cpu.a n=1/p; /"run"/p' three.new.jsonl | sed 's/slower-/more-slower-/; s/:1100000/:1000000/g; s/:110[0-9]*/:1001000/g' >>three.new.jsonl
for most in 2 1 67% 66% 0; do
	gpubench compare three.base.jsonl three.new.jsonl --threshold=15 --max-unsure=$most | tail -n 2
	gpubench compare three.base.jsonl three.new.jsonl --threshold=15 --max-unsure=$most >table
	echo "--max-unsure=$most: status $?"
done
