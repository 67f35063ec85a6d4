#!/usr/bin/env bash
# gate.sh BASE [ARGUMENT...] -- a change against the commit BASE on a build server: build both, measure
# them in turn, report, and exit as `gpubench ab` does: 0 nothing slower, 1 slower or failed, 6 too
# little could be decided; 2 and more: it could not be done.
#
#	scripts/ci/gate.sh origin/main                            a GPU's benchmarks, or a CPU's without one
#	scripts/ci/gate.sh origin/main run radix --preset=quick --backend=cpu --threads=1
#
# ARGUMENT... is what `gpubench` measures, for both builds.  Results go to the folder GATE
# (build/gate): records gate.base.jsonl and gate.new.jsonl, and junit.xml.  On GitHub the table goes to
# the job's summary, too, and each key that is slower, failed or undecided becomes an annotation.
#
#	LAUNCHES=40       of each build, at most
#	BUILDS=FOLDER     where base/gpubench and new/gpubench are built already: nothing is built
set -euo pipefail

if (($# == 0)) || [[ $1 == -* ]]; then
	sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
	exit 2
fi
base=$1
shift
if (($# == 0)); then
	set -- run --preset=quick --max-time=0.5
	if nvidia-smi -L >/dev/null 2>&1; then
		set -- "$@" --backend=cuda --require-gpu
	else
		set -- "$@" --backend=cpu --threads=1
	fi
fi
gate=${GATE:-build/gate}
rm -rf "$gate"
mkdir -p "$gate"

# A build in a work tree of its own, and of what is checked out.
if [[ -z ${BUILDS:-} ]]; then
	BUILDS=$(realpath "$gate")/builds
	mkdir -p "$BUILDS/new"
	git worktree prune
	git worktree add --force --detach "$BUILDS/base" "$base"
	make -C "$BUILDS/base" -j"$(nproc)" all
	make -j"$(nproc)" all
	cp -L gpubench "$BUILDS/new/gpubench"
fi

# Once the launches are made, --resume makes no more, and the same comparison is printed another way.
ab() {
	"$BUILDS/new/gpubench" ab base="$BUILDS/base/gpubench" new="$BUILDS/new/gpubench" \
		--launches="${LAUNCHES:-40}" --early --resume --output="$gate/gate" --format="$1" -- "${measured[@]}"
}
measured=("$@")
status=0
ab table || status=$?
case $status in
0 | 1 | 6) ;;
*) exit $status ;;
esac
ab junit >"$gate/junit.xml" || :
if [[ -n ${GITHUB_STEP_SUMMARY:-} ]]; then
	ab markdown >>"$GITHUB_STEP_SUMMARY" || :
fi
if [[ ${GITHUB_ACTIONS:-} == true ]]; then
	ab github || :
fi
exit $status
