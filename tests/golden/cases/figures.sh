# --check finds a table with a changed digit, and figures.py prints that table again.
top=$TESTS/..
mkdir -p docs scripts results/measured/cpu-a results/measured/cpu-b
cp "$top/scripts/figures.py" "$top/scripts/columns.py" scripts
cat >docs/page.md <<'END'
before
<!-- begin: gpubench report --format=markdown results/measured/cpu-a/sizes.jsonl -->
<!-- end -->
<!-- begin: gpubench report --format=csv results/measured/cpu-a/sizes.jsonl | scripts/columns.py keys=param_count variant -->
<!-- end -->
<!-- begin: gpubench report --format=markdown results/measured/cpu-a/absent.jsonl -->
<!-- end -->
after
END
: >README.md
table=results/measured/cpu-b/sizes.jsonl
gpubench radix 'cpu/spli[t]' cpu/split-omp --count=7,77 --threads=1 --samples=7 --quiet --output=$table
sed -i 's/"cpu":"[^"]*"/"cpu":"AMD EPYC"/; s/"dirty":true/"dirty":false/' $table # of any build and machine
# measures COUNTS: write a measure.sh that has these counts.
measures() {
	printf '#!/bin/sh\n' >scripts/measure.sh
	for name in sizes absent; do
		echo "echo '$name: gpubench radix cpu/spli[t] cpu/split-omp $1 --threads=1 --samples=7'"
	done >>scripts/measure.sh
	chmod +x scripts/measure.sh
}
measures --count=7,77
export GPUBENCH=gpubench
scripts/figures.py results/measured/cpu-b || exit
# The test replaces the parts that vary (times and the machine) and the list of all parameters.
sed 's/^gpubench 0.*/MACHINE/; s/^type=u32 .*/PARAMETERS/; /^| [0-9]* | cpu/s/^\(| [0-9]* | [^ ]* |\).*/\1 .../' docs/page.md
scripts/figures.py --check || exit
sed -i 's/^| 77 /| 78 /' docs/page.md
scripts/figures.py --check 2>differences && echo "a changed digit was not found"
grep '^[-+]| 7[78] ' differences | sed 's/^\(.| 7[78] |\).*/\1/' | sort -u
scripts/figures.py && scripts/figures.py --check || exit
# A file that also holds a run of another machine, or of another commit, is refused.
cp $table one.jsonl
for change in 's/"cpu":"/&another /' 's/"commit":"/&a/'; do
	sed "$change; s/\"run_id\":\"/&0/" one.jsonl | cat one.jsonl - >$table
	scripts/figures.py --check 2>mixed && echo "was not found"
	sort -u mixed
done
# A newer record with the two variants in the other order contradicts the table, unless it is of
# another machine or older.
# planted SPLIT OMP: print the records with these times at 77 keys.
planted() {
	sed "/\"count\":77,/{/\"variant\":\"split\"/s/\"median\":.*/$(taking "$1")/
		/split-omp/s/\"median\":.*/$(taking "$2")/;}" one.jsonl
}
taking() {
	echo "\"median\":$1,\"samples\":[$1,$1,$1,$1,$1,$1,$1]}}"
}
planted 100 900 >$table
scripts/figures.py
planted 800 200 | sed 's/"run_id":"/&0/; s/"started":"2/&9/' >newer.jsonl
for change in '' 's/"cpu":"/&another /' 's/"started":"29/"started":"19/'; do
	sed "$change" newer.jsonl >results/measured/cpu-b/newer.jsonl
	scripts/figures.py --check && echo "no contradiction"
done
rm results/measured/cpu-b/newer.jsonl
# A command is stale if measure.sh has another, if it makes other records, or if the program refuses
# it.
measures --count=7
scripts/figures.py --check
for counts in --count=7 --count=7,77,777 --size=7; do
	measures $counts
	planted 100 900 | sed "s/--count=7,77/$counts/" >$table
	scripts/figures.py
	scripts/figures.py --check
done
# All tables of CPUs are of one machine.
measures --count=7,77
cp one.jsonl $table
sed 's/"cpu":"/&another /' one.jsonl >results/measured/cpu-b/absent.jsonl
scripts/figures.py
scripts/figures.py --check 2>several && echo "several machines were not found"
cat several
sed -i '$s/.*/<!-- end -->/' docs/page.md
scripts/figures.py --check
