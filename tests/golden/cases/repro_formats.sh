# A table that nothing is measured for, in the three formats.
for format in table markdown json; do
	gpubench repro bfs:threshold --format=$format >$format || exit
	echo "== $format"
	sed -n '/^The paper does not/q; /^Notes on/q; p' $format
done
