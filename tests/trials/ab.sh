#!/bin/bash
# ab.sh GPUBENCH SLOW [FOLDER [SECONDS]] -- the error rate of `ab` on this machine.  SLOW is the
# same build with radix cpu/best slower by a tenth: each of twenty trials launches both builds ten
# times.  GPUBENCH is also compared with itself: all benchmarks at preset quick, five launches per
# side, ROUNDS=4 times.  It passes if at least 90 % of the slow-downs are found and at most 3 % of
# the comparisons with itself, at least 200, are flagged.
#
# Each trial stores its records and verdicts in FOLDER; a trial of this program that exists there is
# not repeated.  After SECONDS no trial is started, and the exit status is 75; run the same command
# again to continue.
set -eu
gpubench=$1 slow=$2 folder=${3:-} seconds=${4:-1000000}
if [ -z "$folder" ]; then
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder"
find "$folder" -name '*.json' ! -newer "$gpubench" -delete

trial() { # NAME AB-WORDS...: write the verdicts to FOLDER/NAME.json
	local name=$1 status=0
	shift
	[ ! -e "$folder/$name.json" ] || return 0
	if [ "$SECONDS" -ge "$seconds" ]; then
		echo "ab: $(find "$folder" -name '*.json' | wc -l) trials done, more to do"
		exit 75
	fi
	"$gpubench" ab base="$gpubench" -o "$folder/$name" --overwrite --quiet --format=json "$@" \
		>"$folder/$name.part" || status=$?
	[ $status -le 1 ] || [ $status = 6 ] || { cat "$folder/$name.part"; exit $status; }
	mv "$folder/$name.part" "$folder/$name.json"
}

count() { # NAME-GLOB VERDICTS: print the number of these verdicts
	cat "$folder"/$1.json | grep -cE "\"verdict\":[[:space:]]*\"($2)\"" || :
}

trials=20
for ((i = 1; i <= trials; i++)); do
	trial slow-$i slow="$slow" --launches=10 -- \
		radix cpu/best --count=100k --threads=1 --max-time=0.5
done
for ((i = 1; i <= ${ROUNDS:-4}; i++)); do
	for benchmark in radix bfs cbt octree lbvh; do
		trial aa-$i-$benchmark --aa --launches=5 -- run $benchmark \
			--preset=quick --backend=cpu --threads=1 --max-time=0.5 --timeout=10
	done
done
found=$(count 'slow-*' slower)
keys=$(count 'aa-*' 'same|slower|faster|unsure')
flagged=$(count 'aa-*' 'slower|faster')
echo "ab: $found of $trials slow-downs of 10 % found"
echo "ab: $flagged of $keys comparisons of a build with itself flagged"
[ $((10 * found)) -ge $((9 * trials)) ] && [ "$keys" -ge 200 ] &&
	[ $((100 * flagged)) -le $((3 * keys)) ]
