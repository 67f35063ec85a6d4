#!/bin/bash
# reading.sh GPUBENCH -- every block of results/reading-records.md runs and prints something, where its tool is installed.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" && ln -s "$binary" "$scratch/bin/gpubench"
PATH=$scratch/bin:$PATH
cd "$scratch"
gpubench radix cpu/best cpu/lsd8 --count=1k,2k --samples=3 -q -o runs.jsonl

# blocks LANGUAGE: what stands in the page's blocks of it
blocks() { awk -v open="\`\`\`$1" '$0 == open { in_it = 1; next } /^```/ { in_it = 0 } in_it' "$top/results/reading-records.md"; }

ran='' left=''
# try LANGUAGE TOOL COMMAND...: run the blocks as a file
try() {
	local language=$1 tool=$2
	shift 2
	blocks "$language" >"block.$language"
	[[ -s block.$language ]] || { echo "reading: the page has no block of $language" >&2; exit 1; }
	if ! eval "$tool" >/dev/null 2>&1; then
		left+=" $language"
		return
	fi
	"$@" "block.$language" >out || { echo "reading: the blocks of $language failed" >&2; exit 1; }
	[[ $language == sh || -s out ]] || { echo "reading: the blocks of $language print nothing" >&2; exit 1; }
	ran+=" $language"
}

try sh true bash -eu
try python '/usr/bin/python3 -c "import pandas"' /usr/bin/python3 -W error
try r 'command -v Rscript' Rscript
try jq 'command -v jq' bash -eu
[[ $(wc -l <records.csv) == 5 ]] || { echo "reading: records.csv has not one row a record" >&2; exit 1; }
echo "reading:$ran run;${left:- none} not installed"
