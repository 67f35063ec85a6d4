#!/bin/bash
# memory.sh GPUBENCH NOMEMORY.so -- runs commands out of memory at the K-th allocation, for up to
# sixty values of K.  A command must print its usual output with its usual status, or end with
# status 4 and one "out of memory" line.  No output may be lost silently, and no file may be blamed.
# OpenMP threads without memory for their stacks end the program with a message, too.
set -eu
gpubench=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Spaces separate paths in LD_PRELOAD.
library=$scratch/preloaded.so
ln -s "$(realpath "$2")" "$library"
cd "$scratch"
if grep -q libasan <(ldd "$gpubench"); then
	echo "memory: skipped, AddressSanitizer has its own allocator"
	exit 0
fi
export GOMP_SPINCOUNT=2000
passed=0 failed=0

"$gpubench" lbvh cpu/stack --op=trace --count=1,2,3 --samples=2 -q -o out.jsonl
"$gpubench" report --format=json out.jsonl >out.json
try() { # WORD...
	local k=1 step status usual=0
	"$gpubench" "$@" >whole || usual=$?
	for ((step = 0; step < 60; step++)); do
		status=0
		NOMEMORY=$k LD_PRELOAD=$library "$gpubench" "$@" >part 2>err || status=$?
		if { [ $status = $usual ] && cmp -s whole part; } ||
			{ [ $status = 4 ] && [ "$(wc -l <err)" = 1 ] &&
				grep -q '^gpubench: out of memory' err; }; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "memory: $* without allocation $k: status $status," \
				"$(wc -l <part) of $(wc -l <whole) lines: $(cat err)"
		fi
		[ $status != $usual ] || break
		k=$((k + 1 + k / 8))
	done
}
try report out.jsonl
try report --format=csv out.json
try report out.jsonl out.jsonl
sed "s/run_id\":\"/&0/g" out.jsonl >other.jsonl
try compare out.jsonl other.jsonl
sed 's/"cpu":"/&another /' other.jsonl >machines.jsonl
try compare --by=machine --format=json out.jsonl machines.jsonl
try compare --by=machine --format=html out.jsonl machines.jsonl
try compare --format=junit out.jsonl other.jsonl
try repro
try repro cbt:memory cbt:fig6 --preset=ci --backend=cpu --dry-run
try list --format=json
try lbvh cpu/stack --count=1,2,3 --dry-run
status=0
(ulimit -v 4000000 && OMP_STACKSIZE=3G exec "$gpubench" radix cpu/lsd8 --count=1M --threads=8 \
	--samples=1) >part 2>err || status=$?
if [ $status = 4 ] && tail -n 1 err | grep -q '^gpubench: the OpenMP library ended'; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "memory: threads without stacks: status $status: $(cat err)"
fi
echo "memory: $passed passed, $failed failed"
[ $failed = 0 ]
