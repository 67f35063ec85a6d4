# Three launches of two variants: a row for each, or one of their medians.
gpubench radix cpu/best cpu/lsd8 --count=1k --samples=3 --runs=3 -q -o a.jsonl || exit
gpubench report --format=csv a.jsonl >each.csv || exit
gpubench report --format=csv --launches=pooled a.jsonl >pooled.csv || exit
wc -l <each.csv; wc -l <pooled.csv
# The median of the launches' medians, of three; the rate goes with it; the phases are each launch's own.
column() { head -n 1 $1 | tr -d '\r' | tr ',' '\n' | grep -nx $2 | cut -d: -f1; }
time_of() { awk -F, -v v=$2 -v c="$(column $1 variant)" -v t="$(column $1 $3)" '$c == v { print $t }' $1; }
for variant in best lsd8; do
	middle=$(time_of each.csv $variant time_ns | sort -g | sed -n 2p)
	[ "$(time_of pooled.csv $variant time_ns)" = "$middle" ] && echo "$variant: the middle of $(time_of pooled.csv $variant samples)"
	awk -v r="$(time_of pooled.csv $variant items_per_s)" -v t="$middle" 'BEGIN { x = r * t / 1e12; print (x > 0.999999 && x < 1.000001 ? "its rate" : "not its rate") }'
done
# The launches have one line, and so has what all of them skip; a launch of another build has its own.
gpubench octree cpu/lf cpu/lf-amac --count=1k --bucket=4 --samples=3 --runs=3 -q -o skips.jsonl
sed '1,/"record"/s/"commit":"[^"]*/&x/' skips.jsonl >mixed.jsonl
for file in a skips mixed; do
	gpubench report --launches=pooled $file.jsonl | grep -oE 'up to [0-9] launches pooled|^skipped.*|commit' |
		sed 's/:.*//'
done
gpubench report --launches=some a.jsonl
