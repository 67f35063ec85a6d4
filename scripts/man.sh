#!/bin/sh
# man.sh GPUBENCH FOLDER -- the manual pages, by help2man from the program's own help: gpubench.1, and
# one for each command and benchmark.
set -eu
program=$(realpath "$1") folder=$2
command -v help2man >/dev/null || { echo "man.sh needs help2man (Debian: help2man)" >&2; exit 1; }
mkdir -p "$folder"
page() { # NAME SUMMARY WORD...: its help
	name=$1 summary=$2
	shift 2
	help2man --no-info --section=1 --version-string="$("$program" --version)" \
		--name="$summary" --output="$folder/$name.1" "$program $*"
	sed -i "s/^\.TH .*/.TH ${name} 1 \"\" \"$("$program" --version)\" \"gpubench\"/" "$folder/$name.1"
}
page gpubench "benchmark irregular GPU algorithms, every result verified"
"$program" --help | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command summary; do
	page "gpubench-$command" "$summary" "$command"
done
