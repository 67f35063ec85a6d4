#!/bin/bash
# resume.sh GPUBENCH [KILLS=3 [SEED=1 [ARGUMENT...]]] -- a sweep (preset quick of all benchmarks)
# that is killed by SIGKILL at random times, and resumed by --resume each time, must end with the
# keys of an uninterrupted one, each exactly once and in the same order.  Every line of the file
# must be complete.
set -eu
gpubench=$(realpath "$1") kills=${2:-3}
RANDOM=${3:-1}
shift $(($# < 3 ? $# : 3))
[ $# != 0 ] || set -- run radix bfs cbt octree lbvh --preset=quick --backend=cpu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# One sample per point: the number of points matters, not their times.
sweep=("$gpubench" "$@" --samples=1 --warmup=1 --threads=1 -q)
keys() {
	grep -a '"type":"record"' "$1" | sed 's/.*"key":"\([^"]*\)".*/\1/'
}

started=$(date +%s%N)
"${sweep[@]}" -o whole.jsonl
took_ms=$((($(date +%s%N) - started) / 1000000))

# Kills are spread over the sweep: each repetition lives for a random part of twice its share of the
# time, so some die during start-up and some after several points.
: >killed.jsonl
died=0 repetitions=0
while [ $died -lt "$kills" ]; do
	repetitions=$((repetitions + 1))
	[ $repetitions -le $((4 * kills + 8)) ] || {
		echo "resume: the sweep ends too soon to be killed"
		exit 1
	}
	"${sweep[@]}" --resume -o killed.jsonl &
	child=$!
	ms=$((took_ms * 2 * (RANDOM % 1000 + 1) / 1000 / kills + 5))
	sleep "$(awk -v ms=$ms 'BEGIN { print ms / 1000 }')"
	kill -KILL $child 2>/dev/null && died=$((died + 1))
	status=0
	wait $child 2>/dev/null || status=$?
	[ $status = 137 ] || [ $status = 0 ] || { echo "resume: exit status $status"; exit 1; }
	[ $status = 137 ] || rm killed.jsonl # it finished: start over
done
left=$(keys killed.jsonl 2>/dev/null | wc -l)
"${sweep[@]}" --resume -o killed.jsonl
keys whole.jsonl >whole
[ -s whole ] || { echo "resume: the sweep has no keys"; exit 1; }
twice=$(sort whole | uniq -d)
[ -z "$twice" ] || { echo "resume: measured twice in one sweep: $twice"; exit 1; }
keys killed.jsonl >killed
diff whole killed
"$gpubench" report --format=json killed.jsonl >/dev/null
echo "resume: killed $died times, $left of $(wc -l <whole) keys before the last repetition;" \
	"every key once"
