#!/bin/sh
# run.sh GPUBENCH -- run the golden command-line cases: one-line cases in messages.txt, and
# cases/NAME.sh with NAME.out, NAME.err and NAME.status beside it (a missing file means no output or
# status 0).
# In expected standard error, `*` matches any text.
# UPDATE=1 writes the output instead of comparing it; ONLY=NAME runs one case; JOBS=N runs N cases
# at a time (default: one per core).
# The status of a case is that of its last command.  A pipe at the end hides the status of gpubench.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" && ln -s "$binary" "$scratch/bin/gpubench" &&
	ln -s "$binary-planted" "$scratch/bin/gpubench-planted"
PATH=$scratch/bin:$PATH
LC_ALL=C
TESTS=$top/tests
# Hide the machine's Vulkan drivers.
VK_DRIVER_FILES=/nowhere.json VK_ICD_FILENAMES=/nowhere.json
cases=$scratch/.cases
export PATH LC_ALL TESTS VK_DRIVER_FILES VK_ICD_FILENAMES cases
passed=0 failed=0

# Convert the entries of messages.txt to files like those in cases/.
cp -r "$here/cases" "$cases"
awk -v cases="$cases" '
	/^[a-z]/ {
		name = cases "/" $1
		print substr($0, index($0, ": ") + 2) >(name ".sh")
		print $2 + 0 >(name ".status")
		close(name ".sh"); close(name ".status"); close(error)
		error = name ".err"
	}
	/^\t/ { print substr($0, 2) >error }' "$here/messages.txt"

# expected NAME KIND: set `file` to the file to compare with; write the default if it is missing.
expected() {
	file=$cases/$1.$2
	[ -e "$file" ] && return
	[ "$2" = status ] && echo 0 >"$file" || : >"$file"
}

# settle EXPECTED PRINTED: replace each printed line by the expected line with `*` that matches it.
settle() {
	grep -q '\*' "$1" || return
	awk -v expected="$1" '
		BEGIN { while ((getline line <expected) > 0) wanted[++n] = line }
		{
			pattern = wanted[NR]
			gsub(/[][\\.^$+?(){}|]/, "\\\\&", pattern)
			print gsub(/\*/, ".*", pattern) && $0 ~ "^" pattern "$" ? wanted[NR] : $0
		}' "$2" >"$scratch/.settled"
	cp "$scratch/.settled" "$2"
}

names=${ONLY:-$(cd "$cases" && ls -- *.sh | sed 's/\.sh$//')}
cd "$scratch" || exit
printf '%s\n' $names | xargs -P "${JOBS:-$(nproc)}" -I{} sh -c '
	mkdir {} && cd {} || exit
	sh "$cases/{}.sh" >.out 2>.err </dev/null
	echo $? >.status'

for name in $names; do
	ok=1
	for kind in out err status; do
		printed=$scratch/$name/.$kind
		expected "$name" $kind
		[ $kind = err ] && settle "$file" "$printed"
		if [ -n "${UPDATE:-}" ] && [ -e "$here/cases/$name.sh" ]; then
			kept=$here/cases/$name.$kind
			[ -s "$printed" ] && [ "$(cat "$printed")" != 0 ] &&
				cp "$printed" "$kept" || rm -f "$kept"
		elif [ -z "${UPDATE:-}" ] && ! diff -u "$file" "$printed" >"$scratch/.diff"; then
			echo "--- $name: $kind differs"
			cat "$scratch/.diff"
			ok=0
		fi
	done
	[ $ok = 1 ] && passed=$((passed + 1)) || failed=$((failed + 1))
done
if [ -n "${UPDATE:-}" ]; then
	awk -v scratch="$scratch" '
		/^[a-z]/ {
			results = scratch "/" $1
			ran = (getline status <(results "/.status")) > 0
			if (ran) {
				print $1 " " status substr($0, index($0, ": "))
				while ((getline line <(results "/.err")) > 0) print "\t" line
				close(results "/.status"); close(results "/.err")
				next
			}
		}
		!ran || !/^\t/' "$here/messages.txt" >.messages && cp .messages "$here/messages.txt"
	exit
fi
echo "command-line: $passed passed, $failed failed"
[ $failed = 0 ]
