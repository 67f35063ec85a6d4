# compare --by=machine prints two GPUs and their hosts side by side.  Some records are hot, failed,
# emulated or unverified; some keys have too few repetitions or are on one machine only.
whole='"cpu_vendor":"V","cpu_family":6,"cpu_model":1,"cpu_stepping":0,"sockets":1,"cores":2,"l1d_bytes":32768,"l2_bytes":1048576,"l3_bytes":1048576,"memory_bytes":1073741824'
record() { # ID BACKEND KEY NS MEMBERS
	printf '{"type":"record","schema":2,"run_id":"%s","seq":%s,"key":"radix/%s/%s","bench":"radix","backend":"%s","variant":"%s","params":{"n":%s},%s' \
		"$1" $seq $2 "$3" $2 "${3%% *}" "${3##*=}" "$5"
	[ "$4" = 0 ] || printf ',"time":{"median":%s,"samples":[%s]}' $4 $4
	printf '}\n'
	seq=$((seq + 1))
}
ok='"status":"ok","verify":{"result":"pass"}'
side() { # LETTER GPU CPU NS
	for i in 1 2 3 4 5; do
		id=$1$i seq=0
		printf '{"type":"run","schema":2,"run_id":"%s","host":{"cpu":"%s","hostname":"h%s",'"$whole"'},"settings":{"device":0},"gpus":[{"id":0,"name":"%s"}]}\n' \
			$id "$3" $1 "$2"
		record $id cuda "v n=1" $(($4 + i)) "$ok,\"cold\":true"
		record $id cuda "v n=1" $(($4 / 2 + i)) "$ok,\"cold\":false"
		[ $i -gt 3 ] || record $id cuda "few n=2" $(($4 * 2 + i)) "$ok"
		[ $1$i != b3 ] || record $id cuda "broken n=1" 0 '"status":"failed","reason":"key 3 | is out of <order>"'
		[ $1$i = b3 ] || record $id cuda "broken n=1" $4 "$ok"
		record $id cuda "emulated n=1" $4 "$ok,\"emulated\":$([ $1 = b ] && echo true || echo false)"
		record $id cuda "unverified n=1" $4 "\"status\":$([ $1 = a ] && echo '"unverified","verify":{"result":"skipped"}' || echo '"ok","verify":{"result":"pass"}')"
		[ $1 = b ] || record $id cuda "gone n=1" $4 "$ok"
		record $id cpu "v n=2" $(($4 * 15 - 250000)) "$ok"
	done >$1.jsonl
}
side a A100 'Xeon A' 100000
side b '=H100 | <new>' 'Xeon A' 50000
gpubench compare --by=machine a.jsonl b.jsonl
echo "status $?"
# The order of the files is that of the machines; a repetition that is given twice counts once.
gpubench compare --by=machine -f markdown b.jsonl a.jsonl a.jsonl 2>err
echo "status $?"
gpubench compare --by=machine --format=csv a.jsonl b.jsonl | grep -c "=H100"
gpubench compare --by=machine --format=json a.jsonl b.jsonl >json; /usr/bin/python3 "$TESTS/schema.py" --report json
gpubench compare --by=machine a.jsonl
echo "status $?"
gpubench compare --by=machine a.jsonl b.jsonl >/dev/full
echo "status $?"
