# A wrong variant is listed, run, and reported as failed without a time. The exit status is 1.
gpubench-planted list radix >list || exit 9
grep planted list
gpubench-planted radix cpu/planted cpu/qsort --count=1000 --samples=3 -o out.jsonl >table
status=$?
sed -n '/^cpu.planted/{s/  */ /g; s/of the input: .*/of the input/p}' table
grep -c '"status":"ok".*"time"' out.jsonl
grep '"status":"failed"' out.jsonl | grep -c '"time"'
gpubench-planted check radix --backend=cpu >check
sed -n '/planted\|ties\|hasty/{s/[0-9]* failed, [0-9]* passed/N failed, N passed/; s/, [0-9]* skipped//; s/of the input: .*/of the input/; s/: of two.*//; s/: key .*//; p}' check
exit $status
