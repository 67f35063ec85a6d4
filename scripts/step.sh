#!/bin/bash
# step.sh -- runs one compilation or test and keeps its times.
#
#	step.sh FILE WORD NAME COMMAND...       run COMMAND, and append its times to FILE
#	step.sh --test FOLDER NAME COMMAND...   the same in one line; the output goes to FOLDER/NAME
#	step.sh --sum FOLDER STATUS             the output of failed tests, and how many passed; STATUS
#	                                        is that of the make that ran them
#	step.sh --slowest FILE...               the ten compilations and tests that took longest
#
# They are sorted by the time of processors, which depends less on other programs.
set -u
TIMEFORMAT='%U %S %R'

# timed FILE WORD NAME COMMAND...: run it, and append a line to FILE
timed() {
	local file=$1 word=$2 name=$3 status times
	shift 3
	{ times=$({ time "$@" <&3 >&4 2>&5; } 2>&1); } 3<&0 4>&1 5>&2
	status=$?
	mkdir -p "${file%/*}"
	awk -v t="$times" -v w="$word" -v n="$name" \
		'BEGIN { split(t, v, " "); printf "%.1f %.1f %s %s\n", v[1] + v[2], v[3], w, n }' \
		>>"$file"
	return $status
}

case $1 in
--test)
	folder=$2 name=$3
	shift 3
	mkdir -p "$folder"
	rm -f "$folder/$name.failed"
	if timed "$folder/times" TEST "$name" "$@" >"$folder/$name" 2>&1 </dev/null; then
		printf '  ok    %-10s %s\n' "$name" "$(tail -n 1 "$folder/$name" | cut -c -100)"
	else
		mv "$folder/$name" "$folder/$name.failed"
		printf '  FAIL  %s\n' "$name"
		exit 1
	fi
	;;
--sum)
	cd "$2" 2>/dev/null || exit 1
	failed=0
	for file in *.failed; do
		[ -e "$file" ] || continue
		failed=$((failed + 1))
		printf '\n==== %s failed ====\n' "${file%.failed}"
		cat "$file"
	done
	passed=$(find . -type f ! -name '*.*' ! -name times | wc -l)
	if [ $failed = 0 ] && [ "$3" != 0 ]; then
		printf '%d passed, but make did not build and run all: see its errors above\n' "$passed"
		exit 1
	fi
	printf '%d passed, %d failed\n' "$passed" $failed
	[ $failed = 0 ]
	;;
--slowest)
	shift
	for kind in -v ''; do
		cat "$@" 2>/dev/null | tac | grep $kind ' TEST ' | awk '!seen[$3, $4]++' |
			sort -rn | head -n 10 | awk -v k="$kind" '
			NR == 1 { print k ? "compilations: CPU s, wall s" : "tests: CPU s, wall s" }
			{ printf "%8.1f %8.1f  %s %s\n", $1, $2, $3, $4 }'
	done
	;;
*) timed "$@" ;;
esac
