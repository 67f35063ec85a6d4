# The test compares two GPUs and their hosts. Some records are hot, failed, emulated or unverified.
# Some keys have too few launches or exist on one side only.
whole='"cpu_vendor":"V","cpu_family":6,"cpu_model":1,"cpu_stepping":0,"sockets":1,"cores":2,"l1d_bytes":32768,"l2_bytes":1048576,"l3_bytes":1048576,"memory_bytes":1073741824'
run() { # ID GPU CPU COMMIT
	printf '{"type":"run","schema":1,"run_id":"%s","host":{"cpu":"%s","hostname":"h%.1s",'"$whole"'},"tool":{"commit":"%s"},"settings":{"device":0},"cuda":{"driver":"550"},"gpus":[{"id":0,"name":"%s"}]}\n' \
		"$1" "$3" "$1" "$4" "$2"
	seq=0
}
record() { # ID BACKEND KEY NS MEMBERS
	printf '{"type":"record","schema":1,"run_id":"%s","seq":%s,"key":"radix/%s/%s","bench":"radix","backend":"%s","variant":"v","params":{},%s' \
		"$1" $seq $2 "$3" $2 "$5"
	[ "$4" = 0 ] || printf ',"time":{"median":%s,"samples":[%s]},"work":{"items":1000,"unit":"keys"},"rates":{"items_per_s":%s}' \
		$4 $4 $((1000000000000 / $4))
	printf '}\n'
	seq=$((seq + 1))
}
ok='"status":"ok","verify":{"result":"pass"}'
side() { # LETTER GPU CPU NS
	for i in 1 2 3 4 5; do
		id=$1$i
		run $id "$2" "$3" $([ $i$1 = 5b ] && echo new || echo old)
		record $id cuda "v n=1" $(($4 + i)) "$ok,\"cold\":true"
		record $id cuda "v n=1" $(($4 / 2 + i)) "$ok,\"cold\":false"
		[ $i -gt 3 ] || record $id cuda "few n=2" $(($4 * 2 + i)) "$ok"
		[ $1$i != b3 ] || record $id cuda "broken n=1" 0 '"status":"failed","reason":"key 3 | is out of <order>"'
		[ $1$i = b3 ] || record $id cuda "broken n=1" $4 "$ok"
		record $id cuda "emulated n=1" $4 "$ok,\"emulated\":$([ $1 = b ] && echo true || echo false)"
		record $id cuda "unverified n=1" $4 "\"status\":$([ $1 = a ] && echo '"unverified","verify":{"result":"skipped"}' || echo '"ok","verify":{"result":"pass"}')"
		[ $1 = b ] || record $id cuda "gone n=1" $4 "$ok"
		record $id cpu "v threads=2" $(($4 * 15 - 250000)) "$ok"
	done >$1.jsonl
}
side a A100 'Xeon A' 100000
side b '=H100 | <new>' 'Xeon A' 50000
gpubench versus a.jsonl b.jsonl
echo "status $?"
gpubench versus --show=rate -f markdown b.jsonl a.jsonl a.jsonl
echo "status $?"
gpubench versus --format=csv a.jsonl b.jsonl >csv; grep -a -c "'=H100" csv
# A launch that is given twice counts once in the JSON. The means are those of the rows.
# The CSV has the same cells.
gpubench versus --format=json a.jsonl b.jsonl a.jsonl >json; /usr/bin/python3 "$TESTS/schema.py" --report json
/usr/bin/python3 - <<'END'
import csv, json, math
versus = json.load(open("json"))
cells = versus["cells"]
lines = list(csv.DictReader(open("csv", encoding="utf-8-sig")))
assert list(lines[0]) == list(cells[0])
for name in ("time_ns", "speed_up", "low", "high"):
    assert [float(x[name] or 0) for x in lines] == [c[name] or 0 for c in cells], name
names = "bench", "backend", "machine", "column", "caches"
assert versus["means"]
for mean in versus["means"]:
    logs = [math.log(c["speed_up"]) for c in cells if c["speed_up"] and all(c[n] == mean[n] for n in names)]
    assert mean["rows"] == len(logs) and math.isclose(mean["speed_up"], math.exp(math.fsum(logs) / len(logs)), rel_tol=1e-12)
a, b = cells[:2]
print(*("%.9g" % x for x in (a["time_ns"], a["launches"], b["time_ns"], b["items_per_s"], b["speed_up"], b["low"], b["high"])))
END
gpubench versus --format=html a.jsonl b.jsonl | grep -c -E '</table>|</svg>|<h2>|H100 . &lt;new&gt;: |is out of &lt;order&gt;'
gpubench versus --by=commit a.jsonl b.jsonl >by; echo "status $?"; grep "radix on" by
gpubench versus --by=commit --format=json a.jsonl b.jsonl >json; /usr/bin/python3 "$TESTS/schema.py" --report json
gpubench versus --by=driver --format=json a.jsonl >by; echo "status $?"; grep left_out by
gpubench versus --by=host a.jsonl b.jsonl >by; echo "status $?"; grep -A 2 '^variant .*caches' by; grep '^all' by
gpubench versus --by=threads a.jsonl >by; echo "status $?"; grep 'left out' by
