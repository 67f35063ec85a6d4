#!/bin/bash
# papers.sh GPUBENCH -- the pages of results/papers/ are those that scripts/papers.sh makes.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

"$top/scripts/papers.sh" "$1" "$made"
for page in "$made"/*.md; do
	diff -u "$top/results/papers/${page##*/}" "$page" || {
		echo "papers: results/papers/${page##*/} is out of date: scripts/papers.sh $1" >&2
		exit 1
	}
done
echo "papers: $(ls "$made" | wc -l) pages as made"
