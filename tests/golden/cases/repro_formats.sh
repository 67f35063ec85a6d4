# The published row of a table that nothing is measured for.
for format in table markdown latex json; do
	echo "== $format"
	gpubench repro bfs:threshold --format=$format >printed || exit
	grep '0\.0625' printed
done
