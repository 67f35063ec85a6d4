#!/bin/bash
# hang.sh GPUBENCH BUILD cpu|cuda [NVCC] -- a run of a plug-in never ends: the record of a sweep says so, the
# program ends, --resume goes on behind it.  `cuda` runs in the PTX executor.
set -eu
gpubench=$(realpath "$1") generated=$(realpath "$2/generated") backend=$3
cd "$(dirname "$0")/.."
top=$PWD scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() {
	echo "hang: $*"
	exit 1
}
# run STATUS WORD...: the last line of standard error is in `said`.
run() {
	local wanted=$1 status=0
	shift
	"$gpubench" "$@" --plugin=mine.so >out 2>err || status=$?
	said=$(tail -n 1 err)
	[ $status = "$wanted" ] || fail "gpubench $*: status $status: $(cat out err)"
}

# The examples, but with 255 keys no run ends.
if [ $backend = cpu ]; then
	sed 's/^\tpass(s->other, (const uint32_t \*)s->input.*/\tfor (volatile size_t n = count; n == 255;)\n\t\t;\n&/' \
		"$top/examples/radix.c" >mine.c
	${CC:-gcc} -std=c11 -O3 -fPIC -shared -I"$top" -I"$generated" mine.c -o mine.so
else
	sed 's/^\tconst size_t other = i ^ distance;/&\n\n\twhile (count == 256 \&\& *(volatile uint32_t *)key != 1)\n\t\t;/' \
		"$top/examples/radix.cu" >mine.cu
	cd "$top" # nvcc takes no path with a blank
	"$4" -std=c++20 -Xcompiler -fPIC -shared -cudart=none --no-compress \
		-gencode arch=compute_90,code=compute_90 -I. -I"$2/generated" \
		"$scratch/mine.cu" -o "$scratch/mine.so"
	cd "$scratch"
fi
sweep="radix $backend/mine --count=100,255,300 --samples=3 --hang=4"
key=radix/$backend/mine' .*count=255'

run 4 $sweep -o r.jsonl
echo "$said" | grep -q "^gpubench: $key.*: a run did not end within 4 s (--hang)$" || fail "$said"
grep -q 'count=255.*"status":"failed".*"error":"hang"' r.jsonl || fail "$(tail -n 1 r.jsonl)"
[ "$(grep -c '"type":"record"' r.jsonl)" = 2 ] || fail "$(cat r.jsonl)"
grep -q '255 ' out || fail "no table: $(cat out)"

run 4 $sweep -o r.jsonl --resume
[ "$(grep -c '"status":"ok"' r.jsonl)" = 2 ] || fail "$(cat r.jsonl)"
[ "$(grep -c '"error":"hang"' r.jsonl)" = 1 ] || fail "measured again: $(cat r.jsonl)"

run 4 check radix $backend/mine --hang=4
grep -q "FAILED .*--hang" out || fail "check: $(cat out)"
echo "hang: $backend: a run that hangs is recorded, named, and left behind by --resume"
