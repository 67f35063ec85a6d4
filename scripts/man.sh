#!/bin/sh
# man.sh GPUBENCH FOLDER -- make the manual pages with help2man from the program's own help: one for
# each command and benchmark, and gpubench.1, which is written last.
set -eu
[ $# = 2 ] || { echo "usage: man.sh GPUBENCH FOLDER" >&2; exit 2; }
program=$1 folder=$2
command -v help2man >/dev/null || { echo "man.sh needs help2man (Debian: help2man)" >&2; exit 1; }
# help2man splits its command line at spaces: give it a path without any.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ln -s "$(realpath "$program")" "$scratch/gpubench"
program=$scratch/gpubench
mkdir -p "$folder"
rm -f "$folder"/gpubench*.1
page() { # NAME SUMMARY WORD...: write the page from the help of WORD...
	name=$1 summary=$2
	shift 2
	help2man --no-info --section=1 --version-string="$("$program" --version)" \
		--name="$summary" --output="$folder/$name.1" "$program $*"
	# Lines break after a "|", not within words, and are not adjusted, since some have no space.
	# groff 1.23 adjusts each paragraph as the string AD says.
	title="$name 1 \"\" \"$("$program" --version)\" \"gpubench\""
	sed -i "s/^\.TH .*/.TH $title\n.ad l\n.ds AD l\n.nh/; s/|/|\\\\:/g" "$folder/$name.1"
}
"$program" --help | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1 \2/p' |
	while read -r command summary; do
		page "gpubench-$command" "$summary" "$command"
	done
page gpubench "benchmark irregular GPU algorithms, every result verified"
