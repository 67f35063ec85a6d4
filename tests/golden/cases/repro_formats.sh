# Every format prints the published row of a table that needs no measurement.
for format in table markdown json; do
	echo "== $format"
	gpubench repro bfs:threshold --timeout=1000 --format=$format >printed || exit
	grep '0\.0625' printed
done
# Without words, it lists the tables.
gpubench repro | grep -e bfs:warp -e "^radix" -e octree
