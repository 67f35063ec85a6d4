# The test plants measurements and checks each exit status of `ab` and `compare` with its reason.
cp "$TESTS/planted/repetition.sh" base
keys() { # PROGRAM LINE...
	cp base "$1" 2>/dev/null
	keys=$1.keys
	shift
	printf 'radix/cpu/%s\n' "$@" >"$keys"
}
gate() { # NEW REPETITIONS OPTION...
	new=$1 repetitions=$2
	shift 2
	echo "== $new, $repetitions repetitions $*"
	gpubench ab base=./base new=./$new --repetitions=$repetitions "$@" -o kept --overwrite -- x
	status=$?
	echo "status $status"
	gpubench ab base=./base new=./$new --repetitions=$repetitions "$@" -o kept --resume --format=json -- x >kept.json
	same=$?
	[ $same = $status ] || echo "the same records: status $same"
	grep -q "\"exit_status\":.*$status," kept.json || echo "the JSON says otherwise"
	/usr/bin/python3 "$TESTS/schema.py" --report kept.json
}
keys base 'a ok 1000000' 'b ok 2000000' 'c ok 3000000'
keys alike 'a ok 1010000' 'b ok 1990000' 'c ok 3000000' 'd ok 5000000'
keys slower 'a ok 1100000' 'b ok 1600000' 'c ok 3000000'
keys failed 'a ok 1000000' 'b failed' 'c ok 3000000'
keys removed 'a ok 1000000' 'c ok 3000000'
keys skipped 'a ok 1000000' 'b skipped' 'c ok 3000000'
keys unverified 'a ok 1000000' 'b unverified 2000000' 'c ok 3000000'
keys other 'x ok 1000000'
gate alike 4
gate slower 4
gate failed 4
gate removed 4
gate removed 4 --allow-missing
gate skipped 4
gate unverified 4
gate other 4
gate other 4 --allow-missing
gate alike 1
gate slower 3
