# A result without verification has the status unverified and is not marked as the fastest.
# `compare` ignores it, and --resume measures it again.
copy() {
	gpubench stream cpu/copy --count=10 --hot --samples=10 --warmup=0 -q "$@"
}
copy --verify=no -v -o out.jsonl 2>log || exit
sed '/^gpubench:/!s/.*: //; s/ (.*//; s/[0-9.][0-9.]*/N/g' log
grep -o '"status":"[a-z]*"' out.jsonl
/usr/bin/python3 "$TESTS/schema.py" out.jsonl || exit
# The twin takes ten times as long. The report marks the faster one only if it is verified.
/usr/bin/python3 - >two.jsonl <<'END'
import json
run, record = map(json.loads, open("out.jsonl"))
twin = json.loads(json.dumps(record).replace("cpu/copy", "cpu/twin").replace('"copy"', '"twin"'))
twin["seq"] = 1
for time, ns in ((record["time"], 100), (twin["time"], 1000)):
    for name in ("samples", "ci95"):
        time[name] = [ns] * len(time[name])
    time["median"] = ns
print(*map(json.dumps, (run, record, twin)), sep="\n")
END
rows() { gpubench report "$1" | sed -n 's/^\(cpu[^ ]* *\*\?\) .* \([a-z]*\)$/\1 \2/p' | tr -s ' '; }
rows two.jsonl
sed 's/"verify": false/"verify": true/; s/"unverified"/"ok"/; s/"result": "skipped"/"result": "pass"/' two.jsonl >verified.jsonl
rows verified.jsonl
repetitions() { # NAME STATUS: four of them
	for i in 1 2 3 4; do
		sed "s/\"run_id\":\"[^\"]*\"/\"run_id\":\"$1$i\"/; s/\"status\":\"unverified\"/\"status\":\"$2\"/" out.jsonl
	done >$1.jsonl
}
repetitions base unverified
repetitions new unverified
gpubench compare base.jsonl new.jsonl | tail -n 2
gpubench compare base.jsonl new.jsonl >/dev/null
echo $?
copy --verify=no --resume -o out.jsonl || exit
grep -c '"type":"record"' out.jsonl
copy --resume -o out.jsonl || exit
gpubench report --format=csv out.jsonl | cut -d, -f8
