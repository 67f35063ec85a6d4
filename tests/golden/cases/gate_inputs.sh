# compare refuses files that are not two complete record files of different runs.
# A file with a run and no records gives status 6.
gpubench radix cpu/best --count=100 --samples=1 --warmup=0 -q -o base.jsonl || exit
gpubench radix cpu/best --count=100 --samples=1 --warmup=0 -q -o new.jsonl || exit
try() {
	gpubench compare "$@" 2>err
	echo "status $?: $(sed 's/the same run, .*/the same run/' err)"
}
: >empty.jsonl
mkdir directory
ln -s base.jsonl link.jsonl
cp base.jsonl copy.jsonl
cat base.jsonl new.jsonl >both.jsonl
head -c -50 new.jsonl >cut.jsonl
sed 's/"schema":2/"schema":3/' new.jsonl >later.jsonl
sed 's/"schema":2,//' new.jsonl >none.jsonl
echo '{"a":1}' >other.jsonl
for file in empty.jsonl directory base.jsonl link.jsonl copy.jsonl both.jsonl cut.jsonl later.jsonl none.jsonl other.jsonl absent.jsonl; do
	try base.jsonl $file
done
head -n 1 new.jsonl >run.jsonl
gpubench compare base.jsonl run.jsonl | tail -n 1
gpubench compare base.jsonl run.jsonl >table
