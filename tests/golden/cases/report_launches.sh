# A table has one row for the three repetitions of a variant; CSV has each.
gpubench radix cpu/best cpu/lsd8 --count=1k --samples=3 --repetitions=3 -q -o a.jsonl || exit
gpubench report a.jsonl | grep -c '^cpu/'
gpubench report --format=csv a.jsonl | wc -l
# Repetitions of one build share one heading, and one line if all of them skip a variant.
# A repetition of another build has its own heading.
gpubench cbt cpu/serial cpu/descent --op=bitfield --depth=6 --samples=3 --repetitions=3 -q -o skips.jsonl
sed '1,/"record"/s/"commit":"[^"]*/&x/' skips.jsonl >mixed.jsonl
for file in a skips mixed; do
	gpubench report $file.jsonl | grep -oE '[0-9] repetitions|^skipped.*|commit' | sed 's/:.*//'
done
# A page of several runs has its tables before the runs.
gpubench report --format=html a.jsonl | grep -oE '<table|, commit' | head -n 1
# Unverified repetitions are not pooled, and none of them is left out.
gpubench radix cpu/best --count=1k --samples=3 --repetitions=3 --verify=no -q -o unverified.jsonl
gpubench report unverified.jsonl | grep -c 'unverified$'
