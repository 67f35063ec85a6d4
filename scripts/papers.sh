#!/bin/bash
# papers.sh GPUBENCH [FOLDER] -- the tour of the papers: a page for each and README.md, into FOLDER (default: results/papers).
# The measured columns are those of records in results/measured/, of one machine; nothing is measured.
set -euo pipefail

gpubench=$1
top=$(dirname "$0")/..
folder=${2:-$top/results/papers}
shopt -s nullglob
machine=h100-2026-11-23
records=("$top"/results/measured/$machine/papers-*.jsonl)

# member NAME: a number of the JSON document on standard input.
member() { sed -n "s/^\t\"$1\":\t\([0-9]*\),*\$/\1/p"; }

{
	cat <<'HEAD'
# The papers

<!-- made by scripts/papers.sh -->

One page per paper: what is cited and where it was measured, each published table with its digits as printed, beside it what was measured
here, what each claim comes to on that, and what the paper leaves unsaid. The measured columns are of one machine, an NVIDIA H100 with 16 cores of an
Intel Xeon, from [its records](../measured/h100-2026-11-23), and nothing else: an empty cell was not measured there. On your machine
`gpubench repro PAPER` fills them. What can be said is what is held or not held; a claim that cannot be tested says why. The files behind the pages are described in
[FORMAT.md](FORMAT.md); `scripts/papers.sh build/release/gpubench` makes the pages anew, and a test compares them.

| paper | what it is | tables | claims held | not held | cannot be tested |
| :--- | :--- | ---: | ---: | ---: | ---: |
HEAD
	for paper in radix bfs cbt octree lbvh; do
		"$gpubench" repro "$paper" --from "${records[@]}" --format=markdown >"$folder/$paper.md"
		sum=$("$gpubench" repro "$paper" --from "${records[@]}" --format=json)
		what=$(sed -n '3p' "$folder/$paper.md")
		printf '| [%s](%s.md) | %s | %s | %s | %s | %s |\n' "$paper" "$paper" "$what" \
			"$(member tables <<<"$sum")" "$(member held <<<"$sum")" "$(member not_held <<<"$sum")" \
			"$(member untestable <<<"$sum")"
	done
} >"$folder/README.md"
