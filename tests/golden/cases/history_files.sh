# Other entries of a folder do not change the history.
# The spelling of the record lines and impossible numbers do not change it either.
. "$TESTS/golden/history.sh"
history_of_thirty runs
gpubench history runs --format=json >plain
ask() { # WHAT
	timeout 100 gpubench history runs --format=json >table; echo "$1: status $?"
	cmp plain table
}
mkfifo runs/fifo.jsonl
ln -s fifo.jsonl runs/link.jsonl
ln -s /dev/zero runs/zero.jsonl
ln -s self.jsonl runs/self.jsonl
ln -s .. runs/loop
mkdir runs/folder.jsonl runs/.hidden
echo hidden >runs/.hidden/a.jsonl
echo hidden >runs/.b.jsonl
/usr/bin/python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("runs/socket.jsonl")'
ask "no regular files"
ln -s "$PWD/runs/one/launch-03.jsonl" runs/again.jsonl
truncate -s 2G runs/huge.jsonl
timeout 100 gpubench history runs/ >table; tail -n 1 table
rm runs/again.jsonl runs/huge.jsonl
sed -i 's/"seq":0/"seq":1e18,"launch":99999999999999999999/; s/"time":{/"time":{"n":1e18,/' runs/*/launch-1*.jsonl
sed -i "s/\"run_id\":\"[^\"]*/&$(printf '%05000d' 1)/" runs/one/launch-04.jsonl
ask "forged numbers"
sed -i 's/,"/, "/g' runs/*/launch-2*.jsonl
sed -i 's/$/\r/' runs/*/launch-1[0-4].jsonl
sed -i '1s/^/[/; $!s/$/,/; $s/$/]/' runs/one/launch-0[0-4].jsonl
ask "other spellings"
# The time of a record that another record replaces is not used.
line=$(tail -n 1 runs/two/launch-15.jsonl)
seq=$(printf '%s' "$line" | sed 's/"seq":[^,]*/"seq":7/; 
	s/"median":[^,]*/"median":1/; s/"samples":\[[^]]*\]/"samples":[1]/')
printf '%s\n%s\n' "$(sed '1!d' runs/two/launch-15.jsonl)" "$seq" >replaced.jsonl
sed 1d runs/two/launch-15.jsonl >>replaced.jsonl
sed -i '$s/"seq":[^,]*/"seq":8,"replaces":{"run_id":"runs\/two\/launch-15.jsonl-15","seq":7}/' replaced.jsonl
mv replaced.jsonl runs/two/launch-15.jsonl
ask "a record replaced"
