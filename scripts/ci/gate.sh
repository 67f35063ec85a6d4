#!/usr/bin/env bash
# gate.sh BASE [ARGUMENT...] -- compare a change with the commit BASE on a build server.
#
# It builds both, measures them in turn, reports, and exits as `gpubench ab` does: 0 nothing is
# slower, 1 something is slower or failed, 6 too little could be decided.  Another status means that
# the comparison could not be made.
#
#	scripts/ci/gate.sh origin/main        measure on a GPU, or on the CPU if there is none
#	scripts/ci/gate.sh origin/main run radix --preset=quick --backend=cpu --threads=1
#
# ARGUMENT... tells `gpubench` what to measure, for both builds.  Results go to the folder GATE
# (build/gate): records gate.base.jsonl and gate.new.jsonl, and junit.xml.  On GitHub, the table
# also goes to the job's summary, and each key that is slower, failed or undecided becomes an
# annotation.
#
#	LAUNCHES=80       launches of each build, at most
#	BUILDS=FOLDER     build nothing: use base/gpubench and new/gpubench in FOLDER
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
if [[ -z ${BUILDS:-} ]] && ! git rev-parse --quiet --verify "$base^{commit}" >/dev/null; then
	echo "gate.sh: there is no commit $base" >&2
	exit 2
fi
# Only a folder that an earlier run made is removed.
if [[ -e $gate && ! -e $gate/.gate && -n $(ls -A "$gate") ]]; then
	echo "gate.sh: $gate is there and was not made by gate.sh; remove it, or set GATE" >&2
	exit 2
fi
rm -rf "$gate"
mkdir -p "$gate"
touch "$gate/.gate"

# Build BASE in a work tree of its own, and what is checked out.
if [[ -z ${BUILDS:-} ]]; then
	BUILDS=$(realpath "$gate")/builds
	mkdir -p "$BUILDS/new"
	git worktree prune
	git worktree add --force --detach "$BUILDS/base" "$base"
	make -C "$BUILDS/base" -j"$(nproc)" all
	make -j"$(nproc)" all
	cp -L gpubench "$BUILDS/new/gpubench"
fi

# Once the launches are made, --resume makes no more; the comparison is printed in other formats.
ab() {
	"$BUILDS/new/gpubench" ab base="$BUILDS/base/gpubench" new="$BUILDS/new/gpubench" \
		--launches="${LAUNCHES:-80}" --resume --output="$gate/gate" --format="$1" \
		-- "${measured[@]}"
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
