# The test lists the steps of scripts/gpu-suite.sh except those of compute-sanitizer and ncu.
# Every benchmark has a check step. gpubench accepts the options of the steps that it can plan.
DRY=1 GPUBENCH=gpubench "$TESTS/../scripts/gpu-suite.sh" out >steps || exit
gpubench list >list || exit
sed -n 's/^\([a-z]*\): .*/\1/p' list >benchmarks
sed -n '/sanitizer/!s/^check-\([a-z]*\) .*/\1/p' steps | diff benchmarks - || exit
sed -n '/sanitizer --tool/d; /^counters/d; /^check-/d; s/ at most:.*//p' steps
