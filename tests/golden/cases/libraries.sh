# compare --by=library prints our fastest variant beside each library: as many threads, the same
# caches, one machine. A single repetition has the interval of its samples.
seq=0
record() { # BACKEND VARIANT PEER PARAMETERS THREADS NS MEMBERS
	members=$(echo "$4" | sed 's/\([a-z]*\)=\([0-9]*\)/"\1":\2/g; s/ /,/g')
	printf '{"type":"record","schema":2,"run_id":"a","seq":%s,"key":"radix/%s/%s %s","bench":"radix","backend":"%s","variant":"%s","peer":%s,"params":{%s},"threads":%s,%s,"verify":{"result":"pass"},"time":{"median":%s,"ci95":[%s,%s],"samples":[%s]}}\n' \
		$seq $1 $2 "$4" $1 $2 $3 "$members" $5 "${7:-\"status\":\"ok\"}" $6 $(($6 - $6 / 50)) $(($6 + $6 / 50)) $6
	seq=$((seq + 1))
}
{
	echo '{"type":"run","schema":2,"run_id":"a","host":{"cpu":"Z80","cores":2},"settings":{"device":0},"gpus":[{"id":0,"name":"H100"}]}'
	for threads in 1 2; do
		record cpu lsd8 false "count=1000 threads=$threads" $threads $((9000 / threads))
		record cpu best false "count=1000 threads=$threads" $threads $((8000 / threads))
	done
	record cpu vqsort true count=1000 1 16000
	record cpu qsort true count=1000 1 8100
	record cpu best false "count=2000 threads=1" 1 20000
	record cpu vqsort true count=2000 1 15000
	record cpu best false "count=2000 threads=1" 1 5000 '"cold":false,"status":"ok"'
	record cpu vqsort true count=2000 1 30000 '"cold":false,"status":"doubtful"'
	record cuda onesweep false count=1000 1 4000
	record cuda cub true count=1000 1 5000
	record cuda cub true count=3000 1 5000
	record vulkan radix false count=1000 1 5000
} >a.jsonl
gpubench compare --by=library a.jsonl
gpubench compare --by=library a.jsonl --format=json >json; /usr/bin/python3 "$TESTS/schema.py" --report json
gpubench compare --by=library a.jsonl --format=csv | tr -d '\r' | cut -d, -f2-12
grep -v '"peer":true' a.jsonl >ours.jsonl
gpubench compare --by=library ours.jsonl
