#!/bin/bash
# gate.sh GPUBENCH -- runs the command of the build server recipe in docs/manual.md on fake builds
# with known times (planted/launch.sh): an identical build (expected exit status 0), a slower one
# (1), one that omits a benchmark (6), and too few launches to decide anything (6).
set -eu
gpubench=$(realpath "$1")
tests=$(realpath "$(dirname "$0")")
recipe=$(sed -n 's/^    \(\.\/gpubench ab base=.*\)/\1/p' "$tests/../docs/manual.md" | tail -n 1)
[ -n "$recipe" ] || { echo "gate: no recipe in docs/manual.md"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/base" "$scratch/new"
cd "$scratch/new"
{
	printf '#!/bin/sh\n[ "$1" != ab ] || exec "%s" "$@"\n' "$gpubench"
	tail -n +2 "$tests/planted/launch.sh"
} >gpubench
chmod +x gpubench
cp gpubench ../base
printf '%s ok 1000000\n' radix/cpu/best radix/cpu/lsd8 bfs/cpu/csr >../base/gpubench.keys

gate() { # STATUS KEYS [OPTION]: KEYS is a sed command that makes the keys of the new build
	local status=0 command="${recipe%% -- *} ${3:-} -- ${recipe#* -- }"
	rm -f gate.*.jsonl
	sed "$2" ../base/gpubench.keys >gpubench.keys
	bash -c "$command" >table 2>&1 || status=$?
	if [ $status != "$1" ]; then
		echo "gate: $2 ${3:-}: exit status $status instead of $1"
		cat table
		exit 1
	fi
	echo "gate: exit status $status: $(tail -n 1 table)"
}
gate 0 ''
gate 1 's/best ok 1000000/best ok 1100000/'
gate 6 /bfs/d
gate 6 '' --runs=3
