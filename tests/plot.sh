#!/bin/sh
# plot.sh GPUBENCH -- every kind of picture of scripts/plot.py from a real run, where there is matplotlib.
set -eu
gpubench=$(realpath "$1")
plot=$(realpath "$(dirname "$0")/../scripts/plot.py")
/usr/bin/python3 -c 'import matplotlib' 2>/dev/null || { echo "plot: skipped, there is no matplotlib"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$gpubench" radix cpu/best cpu/lsd8 --count=1k,4k,16k --samples=6 --runs=2 -q -o run.jsonl
"$gpubench" repro radix:table1 --preset=ci --samples=1 -o paper.jsonl >table
for what in "sweep run.jsonl" "sweep --y=rate run.jsonl" "roofline run.jsonl" "ab run.jsonl run.jsonl" \
	"paper radix:table1 paper.jsonl"; do
	/usr/bin/python3 "$plot" $what -o picture.svg >name
	grep -q '</svg>' picture.svg
	rm picture.svg
done
if /usr/bin/python3 "$plot" sweep nowhere 2>err; then exit 1; fi
grep -q 'No such file' err
echo "plot: 6 passed, 0 failed"
