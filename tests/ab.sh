#!/bin/bash
# ab.sh GPUBENCH SLOW [TRIALS] -- how often `ab` is right on this machine: SLOW is the same build with
# radix cpu/best slower by a tenth.  Each trial launches both ten times; and as many times the first
# build against itself, over all benchmarks.  Found: at least 90 % of the slow-downs; wrong: at most 3 %
# of the comparisons of a build with itself.
set -eu
gpubench=$1 slow=$2 trials=${3:-20}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
found=0
for ((i = 0; i < trials; i++)); do
	status=0
	"$gpubench" ab base="$gpubench" slow="$slow" --launches=10 --quiet -- \
		radix cpu/best --count=100k --threads=1 --min-time=0.05 >"$scratch/ab" || status=$?
	[ $status -le 1 ] || { cat "$scratch/ab"; exit $status; }
	found=$((found + status))
done
echo "ab: $found of $trials slow-downs of 10 % found"
"$gpubench" ab base="$gpubench" --aa --launches=5 --quiet --format=json -- \
	run --preset=quick --backend=cpu --threads=1 --min-time=0.05 --timeout=10 >"$scratch/aa.json" || :
keys=$(grep -c '"verdict"' "$scratch/aa.json")
flagged=$(grep -c '"verdict":.*"\(slower\|faster\)"' "$scratch/aa.json" || :)
echo "ab: $flagged of $keys comparisons of a build with itself flagged"
[ $((10 * found)) -ge $((9 * trials)) ] && [ $((100 * flagged)) -le $((3 * keys)) ]
