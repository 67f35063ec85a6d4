# ab orders no libraries, nor copies whose bandwidth an earlier launch of the side has measured.
# A build that knows no orders measures libraries in vain. A budget may end before the next look.
cp "$TESTS/planted/launch.sh" old
printf 'radix/cpu/%s ok 1000000\n' a qsort >old.keys
: >old.old
for words in "-- radix" "-- radix cpu/qsort" "-- radix cpu/q*" "--peers -- radix"; do
	echo "$words: "$(gpubench ab a=./old --aa --launches=4 --all $words | grep -o 'cpu/[aq][a-z]* n=1')
done
cat >new <<'END'
#!/bin/sh
echo $(cat "$GPUBENCH_ORDERS") >>orders
for output in "$@"; do :; done
./old "$@" && sed -i 's/"params":/"copy_bytes_per_s":6e9,&/; /cpu.a/s/"params"/"threads":2,&/' "${output#*=}"
END
chmod +x new
gpubench ab a=./new --aa --launches=4 --peers -- radix | tail -n 1
sort orders | uniq -c
rm old.launches
printf '#!/bin/sh\nsleep 0.4\nexec ./old "$@"\n' >new
gpubench ab a=./new --aa --budget=1.5 -- radix >table # either side may be first
cat old.launches
