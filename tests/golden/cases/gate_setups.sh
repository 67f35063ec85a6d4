# compare prints the differences in host, compiler flags and settings.
# Another CPU, cache mode or GPU is refused without --across.
side() { # NAME BACKEND RUN-MEMBERS RECORD-MEMBERS: four repetitions
	for i in 1 2 3 4; do
		printf '{"type":"run","schema":2,"run_id":"%s%s"%s}\n' "$1" $i "$3"
		printf '{"type":"record","schema":2,"run_id":"%s%s","seq":0,"key":"radix/%s/v n=1","bench":"radix","backend":"%s","variant":"v","params":{"n":1},"status":"ok","verify":{"result":"pass"},"time":{"median":1000000,"samples":[1000000]}%s}\n' \
			"$1" $i $2 $2 "$4"
	done >$1.jsonl
}
try() { # COMPARE-WORDS...
	gpubench compare "$@" --all
	echo "status $?"
}
gpu() { # NAME DRIVER
	printf ',"settings":{"device":0},"cuda":{"driver":"%s"},"gpus":[{"id":0,"name":"%s"}]' "$2" "$1"
}
whole='"cpu_vendor":"V","cpu_family":6,"cpu_model":1,"cpu_stepping":0,"sockets":1,"cores":2,"l1d_bytes":32768,"l2_bytes":1048576,"l3_bytes":1048576,"memory_bytes":1073741824'
side here cpu ',"host":{"hostname":"one","cpu":"A",'"$whole"'},"tool":{"commit":"1","cflags":"-O3"},"settings":{"samples":0}'
side there cpu ',"host":{"hostname":"two","cpu":"A",'"$whole"'},"tool":{"commit":"2","cflags":"-O2"},"settings":{"samples":30}'
side faraway cpu ',"host":{"hostname":"two","cpu":"B",'"$whole"'}'
try here.jsonl there.jsonl
try here.jsonl faraway.jsonl
try here.jsonl faraway.jsonl --across
side hot cpu '' ',"cold":false'
side cold cpu '' ',"cold":true'
try hot.jsonl cold.jsonl
try hot.jsonl cold.jsonl --across --format=markdown
gpubench compare hot.jsonl cold.jsonl --across --format=json >hot.json || exit
sed -n '/"differs"/,/\]/p' hot.json
side new cuda "$(gpu H100 550)"
side old cuda "$(gpu A100 535)"
try new.jsonl old.jsonl
try new.jsonl old.jsonl --across
