#!/bin/bash
# papers.sh GPUBENCH [FOLDER] -- the tour of the papers: a page for each and README.md, into FOLDER (default: results/papers).
# The measured columns are those of the records in results/measured/; nothing is measured.
set -euo pipefail

gpubench=$1
top=$(dirname "$0")/..
folder=${2:-$top/results/papers}
shopt -s nullglob
records=("$top"/results/measured/*/*.jsonl)

# member NAME: a count of the sum in the JSON document on standard input.
member() { sed -n "s/^\t\t\"$1\":\t\([0-9]*\),*\$/\1/p"; }

{
	cat <<'HEAD'
# The papers

<!-- made by scripts/papers.sh -->

One page per paper: what is cited and where it was measured, each published table with its digits as printed, beside it what was measured
here, what each claim comes to on that, and what the paper leaves unsaid. The measured columns come from the records in
[results/measured](../measured), and nothing else: an empty column was not measured for these pages. On your machine `gpubench repro PAPER` fills
them. What can be said is what is held or not held; a claim that cannot be tested says why. The files behind the pages are described in
[FORMAT.md](FORMAT.md); `scripts/papers.sh build/release/gpubench` makes the pages anew, and a test compares them.

| paper | what it is | tables | claims held | not held | cannot be tested |
| :--- | :--- | ---: | ---: | ---: | ---: |
HEAD
	for paper in radix bfs cbt octree lbvh; do
		"$gpubench" repro "$paper" --from "${records[@]}" --format=markdown | cat -s >"$folder/$paper.md"
		sum=$("$gpubench" repro "$paper" --from "${records[@]}" --format=json | sed -n '/"sum"/,$p')
		what=$(sed -n '3p' "$folder/$paper.md")
		printf '| [%s](%s.md) | %s | %s | %s | %s | %s |\n' "$paper" "$paper" "$what" \
			"$(member tables <<<"$sum")" "$(member held <<<"$sum")" "$(member not_held <<<"$sum")" \
			"$(member untestable <<<"$sum")"
	done
} >"$folder/README.md"
