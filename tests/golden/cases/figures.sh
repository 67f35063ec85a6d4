# The committed pages hold the tables that their records give.
# --check finds a table with a changed digit, and figures.sh prints that table again.
top=$TESTS/..
GPUBENCH=gpubench "$top/scripts/figures.sh" --check || exit
mkdir -p docs scripts results/measured/cpu-a results/measured/cpu-b
cp "$top/scripts/figures.sh" "$top/scripts/columns.py" scripts
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
gpubench radix 'cpu/spli[t]' cpu/split-omp --count=7,77 --threads=1 --samples=1 --quiet --output=results/measured/cpu-b/sizes.jsonl
export GPUBENCH=gpubench
scripts/figures.sh results/measured/cpu-b || exit
# The test replaces the parts that vary (times and the machine) and the list of all parameters.
sed 's/^gpubench 0.*/MACHINE/; s/^type=u32 .*/PARAMETERS/; /^| [0-9]* | cpu/s/^\(| [0-9]* | [^ ]* |\).*/\1 .../' docs/page.md
scripts/figures.sh --check || exit
sed -i 's/^| 77 /| 78 /' docs/page.md
scripts/figures.sh --check >differences && echo "a changed digit was not found"
grep '^[-+]| 7[78] ' differences | sed 's/^\(.| 7[78] |\).*/\1/' | sort -u
scripts/figures.sh && scripts/figures.sh --check || exit
# A file that also holds a run of another machine, or of another commit, is refused.
cp results/measured/cpu-b/sizes.jsonl one.jsonl
for change in 's/"cpu":"/&another /' 's/"commit":"/&a/'; do
	sed "$change" one.jsonl | cat one.jsonl - >results/measured/cpu-b/sizes.jsonl
	scripts/figures.sh --check >/dev/null 2>mixed && echo "was not found"
	sort -u mixed
done
cp one.jsonl results/measured/cpu-b/sizes.jsonl
sed -i '$s/.*/<!-- end -->/' docs/page.md
scripts/figures.sh --check
