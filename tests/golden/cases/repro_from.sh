# Measured once, of two papers; resumed without anything to do; printed from the records, which measures nothing.
words="radix:table1 cbt:memory"
how="--backend=cpu --samples=2"
gpubench repro $words --preset=ci $how -o a.jsonl >measured || exit
lines=$(wc -l <a.jsonl)
gpubench repro $words --preset=ci $how -o a.jsonl --resume >resumed || exit
[ "$(wc -l <a.jsonl)" = "$lines" ] && cmp measured resumed && echo "nothing was measured again"
numbers() { sed -n '/^ *count/,/^$/p' "$1"; }
gpubench repro radix:table1 --from=a.jsonl >stored || exit
numbers measured >1; numbers stored >2; cmp 1 2 && echo "the same table"
grep -c 'not in the records given' stored
# The file of another option's word, and several files.
gpubench repro --from a.jsonl ./a.jsonl cbt:memory | sed -n '/^ *leaves/,/^$/p'
# A page beside the table: the published column is in it.
gpubench repro $words --from=a.jsonl -o page.html >/dev/null || exit
grep -c '<td class="right">22.5551</td>' page.html
tail -n 1 page.html
# LaTeX: what is begun ends, in order; characters with a meaning are escaped.
gpubench repro all --from=a.jsonl --format=latex >tables.tex || exit
awk '{
	line = $0
	while (match(line, /\\(begin|end)\{[a-z]*\}/)) {
		word = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
		name = word; sub(/.*\{/, "", name); sub(/\}/, "", name)
		if (word ~ /begin/) open[++depth] = name
		else if (open[depth--] != name) { print "line " NR ": " name; exit }
	}
}
END { print depth ? "left open" : "balanced" }' tables.tex
grep -c toprule tables.tex
grep -v '^\\begin{tabular}' tables.tex | sed 's/\\[&%$#_{}]//g; s/\\\\$//; s/ & //g' | grep -c '[&%#_]'
# Refused.
for words in "radix:table1 --from=no.jsonl" "radix:table1 nothing:at --from=a.jsonl" "--from=a.jsonl a.jsonl" "radix:table1 --from=a.jsonl -o b.jsonl"; do
	gpubench repro $words 2>&1
	echo "status $?"
done
