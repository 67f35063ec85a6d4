#!/bin/sh
# run.sh GPUBENCH -- run every tests/golden/cases/*.sh and compare its standard output, standard error
# and exit status with the files beside it (.out, .err, .status; a missing one means empty, 0).
# UPDATE=1 writes them instead; ONLY=name runs one; JOBS=N runs N at a time (default: one per core).
# A case never ends in a pipe: its last command's status is the case's.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" && ln -s "$binary" "$scratch/bin/gpubench" && ln -s "$binary-planted" "$scratch/bin/gpubench-planted"
PATH=$scratch/bin:$PATH
LC_ALL=C
TESTS=$top/tests
# Whatever Vulkan drivers the machine has.
VK_DRIVER_FILES=/nowhere.json VK_ICD_FILENAMES=/nowhere.json
export PATH LC_ALL TESTS VK_DRIVER_FILES VK_ICD_FILENAMES
passed=0 failed=0

# compare NAME KIND WANTED_IF_ABSENT
same() {
	wanted=$here/cases/$1.$2
	[ -e "$wanted" ] || { printf '%s' "$3" >"$scratch/absent"; wanted=$scratch/absent; }
	diff -u "$wanted" "$scratch/$1/.$2" >"$scratch/diff" && return
	echo "--- $1: $2 differs"
	cat "$scratch/diff"
	return 1
}

names=$(cd "$here/cases" && ls -- *.sh | sed 's/\.sh$//')
names=${ONLY:-$names}
cases=$here/cases
export cases
cd "$scratch" || exit
printf '%s\n' $names | xargs -P "${JOBS:-$(nproc)}" -I{} sh -c '
	mkdir {} && cd {} || exit
	sh "$cases/{}.sh" >.out 2>.err </dev/null
	echo $? >.status'

for name in $names; do
	if [ -n "${UPDATE:-}" ]; then
		for kind in out err status; do
			if [ -s "$scratch/$name/.$kind" ] && [ "$(cat "$scratch/$name/.$kind")" != 0 ]; then
				cp "$scratch/$name/.$kind" "$here/cases/$name.$kind"
			else
				rm -f "$here/cases/$name.$kind"
			fi
		done
		continue
	fi
	ok=1
	same "$name" out '' || ok=0
	same "$name" err '' || ok=0
	same "$name" status '0
' || ok=0
	if [ $ok = 1 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "command-line: $passed passed, $failed failed"
[ $failed = 0 ]
