# --check finds a table with a changed digit, and figures.py prints that table again.
top=$TESTS/..
mkdir -p docs scripts results/measured/cpu-a
cp "$top/scripts/figures.py" scripts
cat >docs/page.md <<'END'
before
<!-- begin: gpubench report --format=markdown results/measured/cpu-a/sizes.jsonl -->
<!-- end -->
<!-- begin: gpubench report --format=markdown results/measured/cpu-a/absent.jsonl -->
<!-- end -->
after
END
: >README.md
table=results/measured/cpu-a/sizes.jsonl
gpubench radix 'cpu/spli[t]' cpu/split-omp --count=7,77 --threads=1 --samples=7 --quiet --output=$table
sed -i 's/"cpu":"[^"]*"/"cpu":"AMD EPYC"/; s/"dirty":true/"dirty":false/' $table # of any build and machine
export GPUBENCH=gpubench
scripts/figures.py || exit
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
cp one.jsonl $table
sed -i '$s/.*/<!-- end -->/' docs/page.md
scripts/figures.py --check
