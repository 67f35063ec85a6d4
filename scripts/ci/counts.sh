#!/usr/bin/env bash
# counts.sh BASE [POINTS] -- compare the exact counts of a change with those of the commit BASE.
#
# It compiles both with the same nvcc and counts what their CUDA kernels execute, in the PTX
# executor, without a GPU.  Counts are exact, so one run on any machine decides.  The status is 1
# if the instructions, sectors or wavefronts of a kernel grew by more than GROWTH percent, 6 if
# nothing could be compared, 4 if a build or a run failed, and 2 for bad arguments.
#
#	scripts/ci/counts.sh origin/main
#
# POINTS is a file with the arguments of `gpubench`, a benchmark a line; the default is every CUDA
# variant at the points of scripts/counts.py.  Results are those of gate.sh, in counts.base.jsonl and counts.new.jsonl.
#
#	GROWTH=1          percent that a count may grow by; 0: no cost may grow at all
#	BUILDS=FOLDER     build nothing: use base/gpubench-ptx and new/gpubench-ptx in FOLDER
set -euo pipefail
. "$(dirname "$0")/builds.sh"

begin "$1"
points=$gate/points
if (($# > 1)); then
	points=$2
else
	"$(dirname "$0")/../counts.py" --points >"$points"
fi
build ptx gpubench-ptx

# The same device and schedule for both; one sample, because all are equal.
count() { # SIDE
	local point
	while read -r point; do
		[[ -n $point ]] || continue
		# shellcheck disable=SC2086 # a point has several words
		GPUBENCH_PTX_SMS=132 OMP_NUM_THREADS=1 "$BUILDS/$1/gpubench-ptx" $point \
			--backend=cuda --warmup=0 --samples=1 --timeout=3600 --quiet \
			--output="$gate/counts.$1.jsonl" --resume </dev/null || return
	done <"$points"
}
status=0
count base &
count new || status=$?
wait $! || status=$?
[[ $status == 0 ]] || exit $status
compare() { # FORMAT
	"$BUILDS/new/gpubench-ptx" compare "$gate/counts.base.jsonl" "$gate/counts.new.jsonl" \
		--threshold="${GROWTH:-1}" --format="$1"
}
compare table || status=$?
case $status in
0 | 1 | 6) report $status compare ;;
esac
exit $status
