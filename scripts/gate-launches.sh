#!/usr/bin/env bash
# gate-launches.sh FOLDER [ARGUMENT...] -- take launches of one build and judge gates on them.
#
# It launches build/release/gpubench LAUNCHES=48 times with ARGUMENT... (by default all CPU variants
# without libraries, on one thread), writes FOLDER/launches.txt, and prints to FOLDER/gates.md what
# docs/gates.md shows for the stored launches: false red gates, slow-downs found, passed and
# undecided, the worst key included.  Run it on a quiet machine, on launches that nobody has chosen
# the procedure by.  It continues where it was interrupted.  48 launches take about half an hour on
# two cores.
set -euo pipefail
if (($# == 0)) || [[ $1 == -* ]]; then
	sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
	exit 2
fi
folder=$1
shift
top=$(cd "$(dirname "$0")/.." && pwd)
if (($# == 0)); then
	set -- run --preset=quick --backend=cpu --threads=1 --max-time=0.5
fi
make -C "$top" -s all build/release/gate-trials
mkdir -p "$folder"
echo peers >"$folder/orders"
for ((i = 1; i <= ${LAUNCHES:-48}; i++)); do
	launch=$(printf '%s/%03d.jsonl' "$folder" $i)
	[[ ! -e $launch ]] || continue
	GPUBENCH_ORDERS=$folder/orders "$top/build/release/gpubench" "$@" -q \
		-o "$folder/part.jsonl" --overwrite
	mv "$folder/part.jsonl" "$launch"
done
"$top/tests/trials/launches.py" --median "$folder"/[0-9]*.jsonl >"$folder/launches.txt"
"$top/build/release/gate-trials" "$folder/launches.txt" anew >"$folder/gates.md"
echo "$folder/gates.md"
