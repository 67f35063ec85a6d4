# A result without verification has the status unverified and is not marked as the fastest.
# `compare` ignores it without --unverified, and --resume measures it again.
copy() {
	gpubench stream cpu/copy --count=10 --hot --samples=1 --warmup=0 -q "$@"
}
copy --no-verify -v -o out.jsonl 2>log || exit
sed 's/.*: //; s/ (.*//' log
grep -o '"status":"[a-z]*"' out.jsonl
/usr/bin/python3 "$TESTS/schema.py" out.jsonl || exit
# The two variants have different times. The report marks neither as the fastest.
sed '2{p;s/cpu.copy/cpu\/twin/;s/"variant":"copy"/"variant":"twin"/;s/"median":/"median":1/g;s/"seq":0/"seq":1/}' \
	out.jsonl >two.jsonl
gpubench report two.jsonl | sed -n 's/^\(cpu[^ ]* *\*\?\) .* \([a-z]*\)$/\1 \2/p' | tr -s ' '
sed 's/"unverified"/"ok"/; s/"result":"skipped"/"result":"pass"/' two.jsonl >verified.jsonl
gpubench report verified.jsonl | sed -n 's/^\(cpu[^ ]* *\*\?\) .* \([a-z]*\)$/\1 \2/p' | tr -s ' '
launches() { # NAME STATUS: four of them
	for i in 1 2 3 4; do
		sed "s/\"run_id\":\"[^\"]*\"/\"run_id\":\"$1$i\"/; s/\"status\":\"unverified\"/\"status\":\"$2\"/" out.jsonl
	done >$1.jsonl
}
launches base unverified
launches new unverified
launches earlier ok
gpubench compare base.jsonl new.jsonl | tail -n 2
gpubench compare base.jsonl new.jsonl >/dev/null
echo $?
gpubench compare --unverified base.jsonl new.jsonl || exit
gpubench compare earlier.jsonl new.jsonl | tail -n 2
copy --no-verify --resume -o out.jsonl || exit
grep -c '"type":"record"' out.jsonl
copy --resume -o out.jsonl || exit
gpubench report --format=csv out.jsonl | cut -d, -f8
