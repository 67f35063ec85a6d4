# Every command that reads records counts a run once, even if it reads the run twice.
for i in 1 2 3; do
	gpubench radix cpu/best cpu/lsd8 --count=1k,2k,3k --threads=1 --shard=$i/3 --samples=1 -q -o $i.jsonl || exit
done
cat 1.jsonl 2.jsonl 3.jsonl >all.jsonl
gpubench report all.jsonl >once || exit
gpubench report all.jsonl 2.jsonl >twice || exit
cmp once twice && echo the same table
cat all.jsonl 1.jsonl >again.jsonl
gpubench report again.jsonl >twice || exit
cmp once twice && echo the same table
gpubench compare --by=machine all.jsonl all.jsonl >machines
echo $?
sed 's/"run_id":"/&f/' 1.jsonl >other.jsonl
gpubench compare --all --format=json other.jsonl again.jsonl | grep -o '"why":.*repetitions:' | sort | uniq -c
