#!/usr/bin/env bash
# gate-launches.sh FOLDER [ARGUMENT...] -- take launches of one build and judge gates on them.
# gate-launches.sh FOLDER --table       -- judge gates on the launches that FOLDER has by now.
#
# It launches build/release/gpubench LAUNCHES=48 times with ARGUMENT... (by default all CPU variants
# without libraries, on one thread), writes FOLDER/launches.txt, and prints to FOLDER/gates.md what
# docs/gates.md shows for the stored launches: false red gates, slow-downs found, passed and
# undecided, the worst key included, and how long a gate takes.  Run it on a quiet machine.  48
# launches take about 20 minutes on two cores.
#
# The same command continues where it was interrupted.  With SLICE=540 it starts no launch that is
# expected to end after more than 540 seconds, and exits with status 75 until a call finds all
# launches made.  All must be of one build with the same arguments.  GPUBENCH=PROGRAM is launched
# instead, and judged by the gate-trials beside it; nothing is built then.
set -euo pipefail
export LC_ALL=C
if (($# == 0)) || [[ $1 == -* ]]; then
	sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
	exit 2
fi
folder=$1
shift
top=$(cd "$(dirname "$0")/.." && pwd)
gpubench=${GPUBENCH:-$top/build/release/gpubench}
trials=$(dirname "$gpubench")/gate-trials

table() {
	local made=("$folder"/[0-9]*.jsonl)
	[[ -e ${made[0]} ]] || { echo "gate-launches.sh: $folder has no launches" >&2; exit 2; }
	[[ -n ${GPUBENCH-} ]] || make -C "$top" -s build/release/gate-trials
	"$top/tests/trials/launches.py" --median "${made[@]}" >"$folder/launches.txt"
	"$trials" "$folder/launches.txt" >"$folder/gates.md"
	echo "$folder/gates.md"
}

if [[ ${1-} == --table ]]; then
	table
	exit
fi
if (($# == 0)); then
	set -- run --preset=quick --backend=cpu --threads=1 --max-time=0.5
fi
[[ -n ${GPUBENCH-} ]] || make -C "$top" -s all
mkdir -p "$folder"
echo peers >"$folder/orders"
made_with=$(sha256sum <"$gpubench"; printf '%s\n' "$@")
if [[ ! -e $folder/made-with ]]; then
	printf '%s\n' "$made_with" >"$folder/made-with"
elif [[ $made_with != "$(<"$folder/made-with")" ]]; then
	echo "gate-launches.sh: $folder has launches of another build or with other arguments" >&2
	exit 2
fi
longest=0
slice_ends() { # DONE
	echo "gate-launches.sh: $1 of ${LAUNCHES:-48} launches done"
	exit 75
}
for ((i = 1; i <= ${LAUNCHES:-48}; i++)); do
	launch=$(printf '%s/%03d' "$folder" $i)
	[[ ! -e $launch.jsonl ]] || continue
	[[ -z ${SLICE-} ]] || ((SECONDS + longest <= SLICE)) || slice_ends $((i - 1))
	start=$EPOCHREALTIME
	GPUBENCH_ORDERS=$folder/orders "$gpubench" "$@" -q -o "$folder/part.jsonl" --overwrite ||
		(($? == 6)) # something is doubtful
	took=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
	echo "$took" >"$launch.ms"
	mv "$folder/part.jsonl" "$launch.jsonl"
	longest=$((took / 1000 >= longest ? took / 1000 + 1 : longest))
done
[[ -z ${SLICE-} ]] || ((longest == 0)) || slice_ends $((i - 1))
table
