# --repetitions=3 makes three repetitions, each with its own run line. --resume repeats no repetition.
gpubench radix cpu/best --count=1k,2k --threads=1 --samples=1 --repetitions=3 -q -o out.jsonl || exit
grep -c '"type":"run"' out.jsonl
grep -c '"type":"record"' out.jsonl
gpubench radix cpu/best --count=1k,2k --threads=1 --samples=1 --repetitions=4 --resume -q -o out.jsonl || exit
grep -c '"type":"record"' out.jsonl
gpubench radix cpu/best --count=1k --samples=1 --repetitions=2 -o - | grep -c '"type":"record"'
gpubench radix cpu/best --count=1k --samples=1 --repetitions=2 --threads=1 | grep -c cpu/best
# A parent's word that was cut off is not a repetition.
GPUBENCH_LAUNCH=0:0:0:0 gpubench radix cpu/best --count=1k --samples=1 -q -o - | grep -c '"type":"record"'
gpubench radix cpu/best --count=minus --repetitions=2
