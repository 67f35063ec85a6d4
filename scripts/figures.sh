#!/bin/bash
# figures.sh [FOLDER | --check] -- print the tables of README.md and results/*.md from stored records.
#
# A table stands in a page between two marks, of which the first holds the command that prints it:
#
#	<!-- begin: gpubench report --format=markdown results/measured/FOLDER/CASE.jsonl -->
#	<!-- end -->
#
# It may be `gpubench versus --by=threads --format=markdown FILE`, too; and `report` may have
# --launches=pooled, or go on with `| scripts/columns.py COLUMN...`, then with --format=csv.  The
# text between the marks is replaced by the command line that measured the file, the machine and the
# commit, and the table; the heading that is printed is left out.  A file that is not there is "Not measured
# yet."
#
#	scripts/figures.sh results/measured/cpu-2026-12-01    the marks of all cpu-* folders name this one from now on
#	scripts/figures.sh                                    print the tables again
#	scripts/figures.sh --check                            fail if a page is not what its records give
#
# GPUBENCH is the program (default: ./gpubench).
set -u -o pipefail
shopt -s extglob
program=$(command -v "${GPUBENCH:-./gpubench}") || { echo "figures.sh: there is no ${GPUBENCH:-./gpubench}" >&2; exit 1; }
program=$(realpath "$program")
folder=
check=0
case ${1:-} in
--check) check=1 ;;
?*)
	folder=$(realpath --relative-to="$(dirname "$0")/.." "$1")
	[[ $folder =~ ^results/measured/[A-Za-z0-9.-]+$ && -d $1 ]] ||
		{ echo "figures.sh: $1 is no folder in results/measured" >&2; exit 2; }
	;;
esac
cd "$(dirname "$0")/.." || exit
export LC_ALL=C.UTF-8

gpubench() {
	"$program" "$@"
}

# measured_by FILE: the command line in its first line, as code, and the first line of its table: the
# commit, the machine, the time.
measured_by() {
	local file=$1
	printf '`gpubench %s`\n' "$(sed -n '1{s/.*"argv":\["//; s/"\],.*//; s/","/\n/g; p}' "$file" |
		sed "/^--quiet\$/d; /^-o\$/{N;d}; /^--output=/d; /^--overwrite\$/d; s/.*[][*?].*/'&'/" | paste -sd' ')"
	echo
	gpubench report --format=markdown "$file" | sed -n '1{s/^- [^ ]*: //;p}'
}

# table COMMAND: what stands between the marks.
table() {
	local command=$1 file
	local allowed='^gpubench (report( --launches=pooled)? --format=(markdown|csv)|versus --by=(threads|peer) --format=markdown) ([A-Za-z0-9_./-]+)( \| scripts/columns\.py( [A-Za-z0-9_=-]+)+)?$'
	[[ $command =~ $allowed ]] || { echo "figures.sh: not a command for a table: $command" >&2; return 1; }
	file=${BASH_REMATCH[5]}
	[ -e "$file" ] || { echo "Not measured yet."; return; }
	measured_by "$file"
	echo
	eval "$command" | sed '1{/^gpubench /d}' | sed '/^## /,/^$/d' | sed '/./,$!d'
}

# page FILE: it, with its tables printed anew.
page() {
	local line inside=0 number=0
	while IFS= read -r line; do
		number=$((number + 1))
		case $line in
		'<!-- begin: '*' -->')
			[ $inside = 0 ] || break
			inside=1
			[ -z "$folder" ] || line=${line/results\/measured\/cpu-*([^\/ ])/$folder}
			printf '%s\n' "$line"
			line=${line#<!-- begin: }
			table "${line% -->}" || return
			;;
		'<!-- end -->')
			[ $inside = 1 ] || break
			inside=0
			printf '%s\n' "$line"
			;;
		*)
			[ $inside = 1 ] || printf '%s\n' "$line"
			;;
		esac
	done <"$1"
	if [[ $line == '<!-- '* || $inside = 1 ]]; then # the loop was left at a mark, or ended in a table
		echo "figures.sh: $1:$number: a begin or an end without the other" >&2
		return 1
	fi
}

failures=0
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
for file in README.md results/*.md; do
	grep -q '^<!-- begin: ' "$file" || continue
	if ! page "$file" >"$printed"; then
		failures=1
	elif cmp -s "$file" "$printed"; then
		:
	elif [ $check = 1 ]; then
		echo "figures.sh: $file is not what its records give; scripts/figures.sh prints it again:"
		diff -u "$file" "$printed"
		failures=1
	else
		cat "$printed" >"$file"
		echo "$file"
	fi
done
exit $failures
