# The report of three repetitions has a row for each repetition, or one row for each variant.
gpubench radix cpu/best cpu/lsd8 --count=1k --samples=3 --repetitions=3 -q -o a.jsonl || exit
gpubench report --format=csv a.jsonl >each.csv || exit
gpubench report --format=csv --repetitions=pooled a.jsonl >pooled.csv || exit
wc -l <each.csv; wc -l <pooled.csv
# The pooled time is the median of the medians of three repetitions. The pooled rate follows from that
# time.
column() { head -n 1 $1 | tr -d '\r' | tr ',' '\n' | grep -nx $2 | cut -d: -f1; }
time_of() { awk -F, -v v=$2 -v c="$(column $1 variant)" -v t="$(column $1 $3)" '$c == v { print $t }' $1; }
for variant in best lsd8; do
	middle=$(time_of each.csv $variant time_ns | sort -g | sed -n 2p)
	[ "$(time_of pooled.csv $variant time_ns)" = "$middle" ] && echo "$variant: the middle of $(time_of pooled.csv $variant samples)"
	awk -v r="$(time_of pooled.csv $variant items_per_s)" -v t="$middle" 'BEGIN { x = r * t / 1e12; print (x > 0.999999 && x < 1.000001 ? "its rate" : "not its rate") }'
done
# Repetitions of one build share one heading, and one line if all of them skip a variant.
# A repetition of another build has its own heading.
gpubench cbt cpu/serial cpu/ocbt --op=bitfield --depth=6 --samples=3 --repetitions=3 -q -o skips.jsonl
sed '1,/"record"/s/"commit":"[^"]*/&x/' skips.jsonl >mixed.jsonl
for file in a skips mixed; do
	gpubench report --repetitions=pooled $file.jsonl | grep -oE 'up to [0-9] repetitions pooled|^skipped.*|commit' |
		sed 's/:.*//'
done
# A page of several runs has its tables before the runs.
gpubench report --format=html a.jsonl | grep -oE '<table|, commit' | head -n 1
# Unverified repetitions are not pooled, and none of them is left out.
gpubench radix cpu/best --count=1k --samples=3 --repetitions=3 --verify=no -q -o unverified.jsonl
gpubench report --repetitions=pooled unverified.jsonl | grep -c 'unverified$'
gpubench report --repetitions=some a.jsonl
