# repro prints the numbers of a measured table, and the claims that cannot be tested, as JSON.
# It prints the rows as text. With -o - it prints only records, and with -q nothing.
gpubench repro radix:table1 --preset=ci --samples=1 --timeout=1000 --backend=cpu -f json >json || exit
grep -c '"here":	[0-9]' json
grep -q '"verdict":	"cannot be tested here"' json || exit
sed -n '/^\t"measured/p; /^\t".*held/p' json
gpubench repro octree --preset=ci --samples=1 --timeout=1000 --backend=cpu >table || exit
grep -c '^ *plummer' table
gpubench repro cbt:memory --preset=ci --samples=1 --timeout=1000 --backend=cpu -o - | grep -vc '^{"type":'
gpubench repro cbt:memory --preset=ci --samples=1 --timeout=1000 --backend=cpu -q
# A point that two tables share is measured once, and both show it.
gpubench repro lbvh:table1 lbvh:table2 --preset=quick --samples=1 --timeout=1000 --backend=cpu -o both.jsonl \
	-f csv >cells || exit
grep -o '"key":"[^"]*"' both.jsonl | sort | uniq -d
for table in 1 2; do
	sed -n "s/^lbvh:table$table,//p" cells | grep '_ms\|cpu/' | cut -d, -f1,2,8 >$table
done
diff 1 2 && grep -c 'cpu/.*[0-9]$' 1
