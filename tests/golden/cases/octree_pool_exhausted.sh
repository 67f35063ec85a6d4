# Every builder reports a pool with too few nodes. The failed records have no time.
gpubench octree cpu/seq cpu/lock cpu/lf cpu/morton --count=1000 --dist=pairs --pool=1 --samples=3 --threads=2 -o out.jsonl >table
status=$?
sed -n '/^cpu/ s/  */ /gp' table
grep '"status":"failed"' out.jsonl | grep -c '"time"'
exit $status
