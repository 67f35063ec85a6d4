# The test lists the steps of scripts/gpu-suite.sh. There is an `ab` for each changed variant, so
# those, and the minutes, vary. Every benchmark has a check step, each stage takes less than nine
# minutes and all take 27. gpubench accepts the options of the steps that it can plan.
DRY=1 GPUBENCH=gpubench "$TESTS/../scripts/gpu-suite.sh" out >steps || exit
gpubench list >list || exit
sed -n 's/^\([a-z]*\): .*/\1/p' list >benchmarks
sed -n 's/^check .* s  check-\([a-z]*\) .*/\1/p' steps | diff benchmarks - || exit
sed -n 's/^\([a-z]*\) *\([0-9]*\):\([0-9]*\) .*/\1 \2 \3/p' steps >begins
awk '{ now = 60 * $2 + $3; if ($1 != stage) begin = now; stage = $1 }
	now - begin >= 540 { exit 1 }' begins || exit
grep -q '^all: 2[0-6]:' steps || exit
sed -n 's/^\([a-z]*\) .*:[0-9][0-9] *\([0-9]* s\)  \([a-z][^ ]*\) .*/\1 \3 \2/p' steps >lines
grep -v '^ab ' lines
