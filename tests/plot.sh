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
sed 's/"cpu":"/&another /; s/"run_id":"/&b/' run.jsonl >other.jsonl
"$gpubench" versus --format=json run.jsonl other.jsonl >versus.json
for what in "sweep run.jsonl" "sweep --y=rate run.jsonl" "roofline run.jsonl" "ab run.jsonl run.jsonl" "versus versus.json" \
	"paper radix:table1 paper.jsonl"; do
	/usr/bin/python3 "$plot" $what -o picture.svg >name
	grep -q '</svg>' picture.svg
	rm picture.svg
done
# Two builds, the first of which spelled all parameters in its keys; at the default size and at another.
"$gpubench" radix cpu/best --count=1M,4k --samples=2 -q -o new.jsonl
sed 's|"key":"radix/cpu/best\( count=4000\)\?|"key":"radix/cpu/best count=\1 type=u32 distribution=uniform|
	s|count= count=4000|count=4000|; s|count= type|count=1000000 type|; s|\(threads=[0-9]*\)"|\1 seed=1"|' new.jsonl >old.jsonl
/usr/bin/python3 "$plot" ab old.jsonl new.jsonl -o picture.svg >name
grep -q 'radix/cpu/best count=4000 threads' picture.svg
grep -q 'radix/cpu/best threads' picture.svg
if /usr/bin/python3 "$plot" sweep nowhere 2>err; then exit 1; fi
grep -q 'No such file' err
if /usr/bin/python3 "$plot" versus run.jsonl 2>err; then exit 1; fi
grep -q 'is not what `gpubench versus' err
echo "plot: 9 passed, 0 failed"
