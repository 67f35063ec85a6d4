# The test measures the tables of two papers once. --resume finds nothing to measure.
# --from prints the tables from the records without a measurement.
words="radix:table1 cbt:memory"
how="--backend=cpu --samples=2"
gpubench repro $words --preset=ci --timeout=1000 $how -o a.jsonl >measured || exit
lines=$(wc -l <a.jsonl)
gpubench repro $words --preset=ci --timeout=1000 $how -o a.jsonl --resume >resumed || exit
[ "$(wc -l <a.jsonl)" = "$lines" ] && cmp measured resumed && echo "nothing was measured again"
numbers() { sed -n '/^ *count/,/^$/p' "$1"; }
gpubench repro radix:table1 --from=a.jsonl >stored || exit
numbers measured >1; numbers stored >2; cmp 1 2 && echo "the same table"
grep -c 'not in the records given' stored
# --backend and --preset leave cells out of stored tables too.
gpubench repro radix:table1 --from=a.jsonl --backend=cuda --preset=ci | grep '^  cpu_s, row'
# A doubtful result is marked.
sed 's/"status":"ok"/"status":"doubtful"/' a.jsonl >doubtful.jsonl
gpubench repro cbt:memory --from=doubtful.jsonl | grep -o '512 doubtful\|memory-512.*doubtful'
# --from takes the file as a separate word, and further files.
gpubench repro --from a.jsonl ./a.jsonl cbt:memory | sed -n '/^ *leaves/,/^$/p'
# A page has the published column.
gpubench repro $words --from=a.jsonl --format=html >page.html || exit
grep -c '<td class="right">22.5551</td>' page.html
tail -n 1 page.html
# repro refuses these words.
for words in "radix:table1 --from=no.jsonl" "radix:table1 nothing:at --from=a.jsonl" "--from=a.jsonl a.jsonl" "radix:table1 --from=a.jsonl -o b.jsonl"; do
	gpubench repro $words 2>&1
	echo "status $?"
done
