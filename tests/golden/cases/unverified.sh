# What nobody verified says so, is no best, is not compared, and is measured again.
copy() {
	gpubench stream cpu/copy --count=10 --hot --samples=1 --warmup=0 -q "$@"
}
copy --no-verify -v -o out.jsonl 2>log || exit
sed 's/.*: //; s/ (.*//' log
grep -o '"status":"[a-z]*"' out.jsonl
/usr/bin/python3 "$TESTS/schema.py" out.jsonl || exit
# Two variants, of which one would be the best.
sed '2{p;s/cpu.copy/cpu\/twin/;s/"variant":"copy"/"variant":"twin"/;s/"median":/"median":1/g;s/"seq":0/"seq":1/}' \
	out.jsonl >two.jsonl
gpubench report two.jsonl | sed -n 's/^\(cpu[^ ]* *\*\?\) .* \([a-z]*\)$/\1 \2/p' | tr -s ' '
sed 's/"unverified"/"ok"/; s/"result":"skipped"/"result":"pass"/' two.jsonl >verified.jsonl
gpubench report verified.jsonl | sed -n 's/^\(cpu[^ ]* *\*\?\) .* \([a-z]*\)$/\1 \2/p' | tr -s ' '
gpubench compare out.jsonl out.jsonl
echo $?
gpubench compare --unverified out.jsonl out.jsonl || exit
sed 's/"status":"unverified"/"status":"ok"/' out.jsonl >earlier.jsonl
gpubench compare earlier.jsonl earlier.jsonl
gpubench ab a="$(command -v gpubench)" --aa --launches=2 -- stream cpu/copy --count=10 --hot --samples=1 --no-verify
echo $?
copy --no-verify --resume -o out.jsonl || exit
grep -c '"type":"record"' out.jsonl
copy --resume -o out.jsonl || exit
gpubench report --format=csv out.jsonl | cut -d, -f8
