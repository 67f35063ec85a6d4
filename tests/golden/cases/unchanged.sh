# Equal hashes of the code in the same setup: a key is unchanged, whatever its times are. ab does not launch
# it. --all judges it.
setup=',"argv":[],"started":"2026-01-01T00:00:00Z","tool":{"name":"gpubench"},"host":{"hostname":"h"}'
record() { # RUN SEQ HASH MEMBERS
	printf '{"type":"record","schema":2,"run_id":"%s","seq":%s,"key":"radix/%s/v n=%s","bench":"radix","backend":"%s","variant":"v","params":{"n":1}%s,%s}\n' \
		"$1" "$2" $backend "$2" $backend "${3:+,\"code_hash\":\"$3\"}" "$4"
}
backend=cpu
ok='"status":"ok","verify":{"result":"pass"}'
side() { # NAME NS MEMBERS-OF-THE-RUN: four repetitions of keys with equal, other and no hashes
	for i in 1 2 3 4; do
		printf '{"type":"run","schema":2,"run_id":"%s%s"%s}\n' "$1" $i "$3"
		time="$ok,\"time\":{\"median\":$2,\"samples\":[$2]}"
		record $1$i 1 aa "$time"
		record $1$i 2 $1 "$time"
		record $1$i 3 '' "$time"
	done >$1.jsonl
}
try() {
	gpubench compare "$@"
	echo "status $?"
}
side one 1000000 "$setup"
side two 2000000 "$setup"
try one.jsonl two.jsonl
try one.jsonl two.jsonl --all
try one.jsonl two.jsonl --format=csv | cut -d, -f1-6
sed '/n=[23]"/d' one.jsonl >old.jsonl
sed '/n=[23]"/d' two.jsonl >new.jsonl
try old.jsonl new.jsonl
try old.jsonl new.jsonl --format=junit
for change in 's/"hostname":"h"/"hostname":"i"/' 's/"hostname":"h"/"cpu_quota":2,&/' 's/"seq":1/&,"file":{"modified_s":1}/' \
	's/"ok"/"failed"/; s/"time"/"old"/' 's/"ok"/"unverified"/' '/"run"/d' 's/aa/ab/' 's/"seq":1/&,"cold":false/'; do
	sed "$change" new.jsonl >changed.jsonl
	gpubench compare old.jsonl changed.jsonl 2>&1 | grep -E '^(1 keys|gpubench)'
done
# A GPU must be the same, and known.
backend=cuda
gpu() { # UUID
	printf ',"settings":{"device":0},"cuda":{"driver":"5"},"gpus":[{"id":0,"name":"G"%s}]' "${1:+,\"uuid\":\"$1\"}"
}
side a 1000000 "$setup$(gpu GPU-1)"
side b 2000000 "$setup$(gpu GPU-1)"
side c 2000000 "$setup$(gpu GPU-2)"
side d 2000000 "$setup"
for new in b c d; do
	gpubench compare a.jsonl $new.jsonl --across | grep '^3 keys'
done
sed 's/d\([1-4]\)"/e\1"/' d.jsonl >e.jsonl
gpubench compare d.jsonl e.jsonl | grep '^3 keys'
# ab
backend=cpu
cp "$TESTS/planted/repetition.sh" base
cp base new
printf 'radix/cpu/%s ok 1000000\n' a b >base.keys
printf 'radix/cpu/%s ok 2000000\n' a b >new.keys
plan() { # NAME HASH-OF-A HASH-OF-B
	printf '{"type":"run","schema":2,"run_id":"plan-%s"%s}\n' $1 "$setup"
	for key in 0/a/$2 1/b/$3; do
		IFS=/ read -r seq v hash <<-END
			$key
		END
		printf '{"type":"record","schema":2,"run_id":"plan-%s","seq":%s,"key":"radix/cpu/%s n=1","bench":"radix","backend":"cpu","variant":"%s","params":{"n":1},"code_hash":"%s","status":"skipped","reason":"--dry-run","verify":{"result":"skipped"}}\n' \
			$1 $seq $v $v $hash
	done
}
ab() {
	gpubench ab base=./base new=./new --repetitions=6 -o kept --overwrite "$@" -- x
	echo "status $?, launches of each key:" $(cat kept.*.jsonl | grep -o 'cpu/. ' | sort | uniq -c)
}
plan base aa bb >base.plan
plan new aa cc >new.plan
ab
ab --all
plan new aa bb >new.plan
ab
echo 'not a record' >new.plan
ab
