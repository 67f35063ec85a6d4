#!/bin/bash
# nosys.sh GPUBENCH NOSYS.so -- without /sys the cache sizes come from the C library; if it does not
# know them either, the record states that the flush uses an assumed size.
set -eu
gpubench=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Spaces separate paths in LD_PRELOAD.
library=$scratch/preloaded.so
ln -s "$(realpath "$2")" "$library"
cd "$scratch"
if grep -q libasan <(ldd "$gpubench"); then
	echo "nosys: skipped, AddressSanitizer has to be loaded first"
	exit 0
fi
passed=0 failed=0
expect() { # FILE TEXT
	if grep -qF -- "$2" "$1"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "nosys: no $2 in $1:"
		cat "$1"
	fi
}
run() { # NOSYS NAME
	NOSYS=$1 LD_PRELOAD=$library "$gpubench" stream 'cpu/*' --count=1k --threads=1 \
		--samples=1 -q -o "$2.jsonl"
	NOSYS=$1 LD_PRELOAD=$library "$gpubench" env >"$2.env"
}

run sys libc
run libc assumed
if [ "$(getconf LEVEL3_CACHE_SIZE || :)" -gt 0 ] 2>/dev/null; then
	expect libc.jsonl "\"l3_bytes\":$(getconf LEVEL3_CACHE_SIZE)"
	expect libc.jsonl "\"cache_bytes\":$(getconf LEVEL3_CACHE_SIZE),\"cache_from\":\"libc\""
fi
expect assumed.jsonl '"cache_bytes":33554432,"cache_from":"assumed"'
# Unknown members are left out.
grep -E '"(l1d_bytes|l2_bytes|l3_bytes|sockets|cores)"' assumed.jsonl >known || echo nothing >known
expect known nothing
expect assumed.jsonl '"status":"ok"'
expect assumed.env 'caches    unknown; 32.0 MiB assumed for the flush'
echo "nosys: $passed passed, $failed failed"
[ $failed = 0 ]
