# Records with control characters, without a verification, with a name that is cut within a
# character, and with numbers far apart.
run() { printf '{"type":"run","schema":2,"run_id":"%s"}\n' "$1"; }
record() { # RUN SEQ KEY COUNT STATUS VERIFY MEMBERS
	printf '{"type":"record","schema":2,"run_id":"%s","seq":%s,"bench":"radix","backend":"cpu","variant":"v","key":"radix/cpu/v %s n=1","params":{"count":%s,"n":1},"status":"%s","verify":{"result":"%s"},"time":{"clock":"monotonic","median":5,"samples":[5]}%s}\n' \
		"$@"
}
bad=$(printf 'a\\u001b[31mb\302\233c\342\200\256d\\u0007%%e')
long=$(printf 'a%.0s' $(seq 159))$(printf '\303\251')
for side in 1 2; do
	run $side
	record $side 0 "$bad$side" 1 ok pass
	record $side 1 one 1 unverified skipped ",\"phases\":{\"$long\":{\"median\":1,\"samples\":[1]}}"
done >both.jsonl
head -n 3 both.jsonl >base.jsonl
tail -n 3 both.jsonl >new.jsonl
gpubench compare -f github base.jsonl new.jsonl
gpubench compare -f junit base.jsonl new.jsonl >junit
grep -A 1 'name="one n=1"' junit
/usr/bin/python3 -c 'import sys, xml.etree.ElementTree as x; print(x.parse("junit").getroot().get("tests"), "tests")'
gpubench report -f csv base.jsonl | /usr/bin/python3 -c 'import sys; sys.stdin.buffer.read().decode("utf-8")'
{ run 1; n=0; for count in 1e-300 1e-200 5 1e200 1e300; do n=$((n + 1)); record 1 $n $count $count ok pass; done; } >far.jsonl
timeout 600 gpubench report -f html far.jsonl | grep -c '</html>'
