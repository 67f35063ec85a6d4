#!/bin/bash
# reading.sh GPUBENCH -- every code block of docs/manual.md runs and prints something, if
# its tool is installed.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" && ln -s "$binary" "$scratch/bin/gpubench"
PATH=$scratch/bin:$PATH
cd "$scratch"
fail() {
	echo "reading: $*" >&2
	exit 1
}
gpubench radix cpu/best cpu/lsd8 --count=1k,2k --samples=3 -q -o runs.jsonl

# blocks LANGUAGE: print the page's code blocks in this language
blocks() {
	awk -v open="\`\`\`$1" '$0 == open { in_it = 1; next } /^```/ { in_it = 0 } in_it' \
		"$top/docs/manual.md"
}

ran='' left=''
# try LANGUAGE TOOL COMMAND...: run the blocks as a file
try() {
	local language=$1 tool=$2
	shift 2
	blocks "$language" >"block.$language"
	[[ -s block.$language ]] || fail "the page has no block of $language"
	if ! eval "$tool" >/dev/null 2>&1; then
		left+=" $language"
		return
	fi
	"$@" "block.$language" >out || fail "the blocks of $language failed"
	[[ $language == sh || -s out ]] || fail "the blocks of $language print nothing"
	ran+=" $language"
}

try sh true bash -eu
try python '/usr/bin/python3 -c "import pandas"' /usr/bin/python3 -W error
try jq 'command -v jq' bash -eu
[[ $(wc -l <records.csv) == 5 ]] || fail "records.csv does not have one row per record"
echo "reading:$ran run;${left:- none} not installed"
