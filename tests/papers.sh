#!/bin/bash
# papers.sh GPUBENCH -- docs/papers.md must be the output of scripts/papers.py.
set -euo pipefail
gpubench=$(realpath "$1")
cd "$(dirname "$0")/.."
page=$(mktemp)
trap 'rm -f "$page"' EXIT

scripts/papers.py "$gpubench" >"$page"
diff -u docs/papers.md "$page" || {
	echo "papers: docs/papers.md is out of date: scripts/papers.py $1 >docs/papers.md" >&2
	exit 1
}
echo "papers: the page of the papers is as made"
