#!/usr/bin/env bash
# gate.sh BASE [ARGUMENT...] -- compare a change with the commit BASE on a build server.
#
# It builds both, measures them in turn, reports, and exits as `gpubench ab` does: 0 nothing is
# slower, 1 something is slower or failed, 6 too little could be decided.  Another status means that
# the comparison could not be made: 2 bad arguments, 3 no GPU, 4 a build or a repetition failed, 5 no
# room for the records, 130 interrupted.
#
#	scripts/ci/gate.sh origin/main        measure on a GPU, or on the CPU if there is none
#	scripts/ci/gate.sh origin/main run radix --preset=quick --backend=cpu --threads=1
#
# ARGUMENT... tells `gpubench` what to measure, for both builds.  Results go to the folder GATE
# (build/gate): records gate.base.jsonl and gate.new.jsonl, junit.xml, and comment.md for the pull
# request.  On GitHub, comment.md also goes to the job's summary, and the ten worst keys become
# annotations.
#
#	REPETITIONS=140      repetitions of each build, at most
#	BUILDS=FOLDER     build nothing: use base/gpubench and new/gpubench in FOLDER
set -euo pipefail
. "$(dirname "$0")/builds.sh"

begin "$1"
shift
if (($# == 0)); then
	set -- run --preset=quick --max-time=0.5
	if nvidia-smi -L >/dev/null 2>&1; then
		set -- "$@" --backend=cuda
	else
		set -- "$@" --backend=cpu --threads=1
	fi
fi
build all gpubench

# Once the repetitions are made, a budget of nothing makes no more; --resume prints them again.
measured=("$@")
ab() { # FORMAT [OPTION...]
	"$BUILDS/new/gpubench" ab base="$BUILDS/base/gpubench" new="$BUILDS/new/gpubench" \
		${REPETITIONS:+"--repetitions=$REPETITIONS"} --resume \
		--output="$gate/gate" --format="$1" "${@:2}" -- "${measured[@]}"
}
again() {
	ab "$1" --budget=0
}
status=0
ab table || status=$?
case $status in
0 | 1 | 6) report $status again ;;
esac
exit $status
