# A repetition with a failed or doubtful result ends with 1, 3, 4 or 6 and is compared. A repetition without
# records, or that ends otherwise, ends the gate.
cp "$TESTS/planted/repetition.sh" base
cp base new
printf 'radix/cpu/%s ok 1000000\n' a b >base.keys
sed 's/b ok/b doubtful/' base.keys >new.keys
for status in 1 3 4 6 2 5 7 127 128 130; do
	echo $status >new.exit
	gpubench ab base=./base new=./new --repetitions=4 -- x | tail -n 1
	gpubench ab base=./base new=./new --repetitions=4 -- x >out 2>&1
	echo "a repetition ends with $status: status $?"
done
for status in 0 1 2 3 4 5 6; do
	printf '#!/bin/sh\nexit %d\n' $status >new
	gpubench ab base=./base new=./new --repetitions=4 -- x
	echo "no records, $status: status $?"
done
