#!/bin/bash
# figures.sh [FOLDER | --check] -- print the tables of README.md and docs/*.md from stored records.
#
# A table stands in a page between two marks; the first one holds the command that prints it:
#
#	<!-- begin: gpubench report --format=markdown results/measured/FOLDER/CASE.jsonl -->
#	<!-- end -->
#
# The command may also be `gpubench versus --by=threads --format=markdown FILE` (or --by=peer).
# `report` may have --launches=pooled.  With --format=csv, `| scripts/columns.py COLUMN...` may
# follow; `| grep -E 'REGEX'` selects lines.  The text between the marks is replaced by the command
# line that measured the file, the machine and the commit, and the table without its heading.  If
# the file does not exist, the text is "Not measured yet."
#
#	scripts/figures.sh FOLDER     make the marks of all cpu-* folders name FOLDER, one in
#	                              results/measured, and print the tables
#	scripts/figures.sh            print the tables again
#	scripts/figures.sh --check    fail if a page differs from what its records give
#
# The runs of a table's file must be of one machine and one commit.
#
# GPUBENCH is the program (default: ./gpubench).
set -u -o pipefail
shopt -s extglob
program=$(command -v "${GPUBENCH:-./gpubench}") ||
	{ echo "figures.sh: there is no ${GPUBENCH:-./gpubench}" >&2; exit 1; }
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

# measured_by FILE: print the command line in its first line, as code, and the first line of its
# table: the commit, the machine, the time.
measured_by() {
	local file=$1
	printf '`gpubench %s`\n' "$(
		sed -n '1{s/.*"argv":\["//; s/"\],.*//; s/","/\n/g; p}' "$file" |
			sed "/^--quiet\$/d; /^-o\$/{N;d}; /^--output=/d; /^--overwrite\$/d;
				s/.*[][*?].*/'&'/" |
			paste -sd' '
	)"
	echo
	gpubench report --format=markdown "$file" | sed -n '1{s/^- [^ ]*: //;p}'
}

# table COMMAND: print the text between the marks.
table() {
	local command=$1 file allowed
	allowed='^gpubench (report( --launches=pooled)? --format=(markdown|csv)'
	allowed+='|versus --by=(threads|peer) --format=markdown) ([A-Za-z0-9_./-]+)'
	allowed+="( \| scripts/columns\.py( [A-Za-z0-9_=-]+)+| \| grep -E '[^']+')?$"
	[[ $command =~ $allowed ]] ||
		{ echo "figures.sh: not a command for a table: $command" >&2; return 1; }
	file=${BASH_REMATCH[5]}
	[ -e "$file" ] || { echo "Not measured yet."; return; }
	mixed=$(grep '"type":"run"' "$file" | grep -oE '"(cpu|hostname|commit|uuid)":"[^"]*"' |
		sort -u | cut -d: -f1 | uniq -d)
	[ -z "$mixed" ] || {
		echo "figures.sh: $file mixes machines or commits: its runs differ in" $mixed >&2
		return 1
	}
	measured_by "$file"
	echo
	eval "$command" | sed '1{/^gpubench /d}' | sed '/^## /,/^$/d' | sed '/./,$!d'
}

# page FILE: print it with its tables replaced.
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
	# The loop was left at a mark, or ended in a table.
	if [[ $line == '<!-- '* || $inside = 1 ]]; then
		echo "figures.sh: $1:$number: a begin or an end without the other" >&2
		return 1
	fi
}

failures=0
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
for file in README.md docs/*.md; do
	grep -q '^<!-- begin: ' "$file" || continue
	if ! page "$file" >"$printed"; then
		failures=1
	elif cmp -s "$file" "$printed"; then
		:
	elif [ $check = 1 ]; then
		echo "figures.sh: $file differs from its records; scripts/figures.sh rewrites it:"
		diff -u "$file" "$printed"
		failures=1
	else
		cat "$printed" >"$file"
		echo "$file"
	fi
done
exit $failures
