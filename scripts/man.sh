#!/bin/sh
# man.sh GPUBENCH FOLDER -- the manual pages, by help2man from the program's own help: gpubench.1, the last
# to be written, and one for each command and benchmark.
set -eu
program=$1 folder=$2
command -v help2man >/dev/null || { echo "man.sh needs help2man (Debian: help2man)" >&2; exit 1; }
# help2man runs a command line: one of words without spaces.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ln -s "$(realpath "$program")" "$scratch/gpubench"
program=$scratch/gpubench
mkdir -p "$folder"
rm -f "$folder"/gpubench*.1
page() { # NAME SUMMARY WORD...: its help
	name=$1 summary=$2
	shift 2
	help2man --no-info --section=1 --version-string="$("$program" --version)" \
		--name="$summary" --output="$folder/$name.1" "$program $*"
	sed -i "s/^\.TH .*/.TH ${name} 1 \"\" \"$("$program" --version)\" \"gpubench\"/" "$folder/$name.1"
}
"$program" --help | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command summary; do
	page "gpubench-$command" "$summary" "$command"
done
page gpubench "benchmark irregular GPU algorithms, every result verified"
