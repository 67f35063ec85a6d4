# The test gives `history` no folder, an empty folder, foreign files, a truncated file, one launch
# in two files, and records that have no usable time.
. "$TESTS/golden/history.sh"
gpubench history; echo "status $?"
gpubench history nowhere; echo "status $?"
touch file.jsonl
gpubench history file.jsonl; echo "status $?"
mkdir empty
gpubench history empty; echo "status $?"
ls -A empty
history_of_thirty runs
gpubench history runs 'radix/cpu/nothing*'; echo "status $?"
gpubench history runs --order=size; echo "status $?"
printf 'name,value\n1,2\n' >runs/table.csv
printf '{"a":1}\n' >runs/foreign.jsonl
printf '\000\001\002' >runs/binary.jsonl
: >runs/void.jsonl
ln -s nowhere.jsonl runs/dangling.jsonl
ln -s .. runs/loop
printf '{"type":"record","schema":1,"run' >>runs/two/launch-29.jsonl
cp runs/one/launch-03.jsonl runs/one/copy.jsonl
gpubench history runs 'radix/cpu/lsd8'; echo "status $?"
for i in 1 2 3; do : >runs/void-$i.jsonl; done
gpubench history runs/ 'radix/cpu/lsd8' 2>errors; cat errors >&2
mkdir few
launch few/1.jsonl 1 aaaa null
record few/1.jsonl 1 cpu best true "$(took 100 1)"
record few/1.jsonl 1 cpu lsd8 true '"status":"unverified","time":{"median":5,"samples":[5]}'
record few/1.jsonl 1 cuda split true '"emulated":true,"status":"ok","verify":{"result":"pass"},"time":{"median":5,"samples":[5]}'
record few/1.jsonl 1 cuda cub true '"status":"skipped","reason":"no device"'
launch few/2.jsonl 2 aaaa null
sed -i 's/"started":"[^"]*"/"started":null/' few/2.jsonl
record few/2.jsonl 2 cpu best true "$(took 100 2)"
gpubench history few
