# Every format prints the published row of a table that needs no measurement.
for format in table markdown json; do
	echo "== $format"
	gpubench repro bfs:threshold --timeout=1000 --format=$format >printed || exit
	grep '0\.0625' printed
done
# --list prints the tables of the words.
gpubench repro --list bfs:warp radix octree
