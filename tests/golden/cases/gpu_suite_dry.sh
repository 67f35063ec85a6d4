# The steps of scripts/gpu-suite.sh but for compute-sanitizer's and ncu's, and that gpubench takes the options of
# those it can plan.
DRY=1 GPUBENCH=gpubench "$TESTS/../scripts/gpu-suite.sh" out >steps || exit
sed -n '/sanitizer --tool/d; /^counters/d; s/ at most:.*//p' steps >names
cat names
