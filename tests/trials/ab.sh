#!/bin/bash
# ab.sh GPUBENCH SLOW [FOLDER [SECONDS]] -- the error rate of `ab` on this machine.  SLOW is the
# same build with radix cpu/best slower by a tenth, in twenty gates of that key.  GPUBENCH is also
# compared with itself in ROUNDS=4 gates of all benchmarks at preset quick.  It passes if at least
# 90 % of the slow-downs are found, and at most one of the gates of an unchanged build is red.
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

trials=20 rounds=${ROUNDS:-4}
for ((i = 1; i <= trials; i++)); do
	trial slow-$i slow="$slow" -- radix cpu/best --count=100k --threads=1 --max-time=0.5
done
for ((i = 1; i <= rounds; i++)); do
	trial aa-$i --aa -- run --preset=quick --backend=cpu --threads=1 --max-time=0.5 --timeout=10
done
found=$(count 'slow-*' slower)
keys=$(count 'aa-*' 'same|slower|faster|unsure')
red=$(grep -lE '"verdict":[[:space:]]*"slower"' "$folder"/aa-*.json | wc -l)
echo "ab: $found of $trials slow-downs of 10 % found"
echo "ab: $red of $rounds gates of an unchanged build red; of $keys keys," \
	"$(count 'aa-*' unsure) undecided"
[ $((10 * found)) -ge $((9 * trials)) ] && [ "$red" -le 1 ]
