# Five repetitions a side hold four keys: one is slower, one faster, one the same, and one failed.
side() { # NAME PERCENT_OF_A PERCENT_OF_B STATUS_OF_C
	for i in 1 2 3 4 5; do
		seq=0
		printf '{"type":"run","schema":2,"run_id":"%s%s"}\n' "$1" $i
		for key in "a $2" "b $3" "c 100"; do
			ns=$((10000 * ${key#* } + i))
			printf '{"type":"record","schema":2,"run_id":"%s%s","seq":%s,"key":"radix/cpu/best %s=1","bench":"radix","backend":"cpu","variant":"best","params":{"%s":1},"status":"ok","verify":{"result":"pass"},"time":{"median":%s,"samples":[%s]}}\n' "$1" $i $seq "${key% *}" "${key% *}" $ns $ns
			seq=$((seq + 1))
		done
		printf '{"type":"record","schema":2,"run_id":"%s%s","seq":3,"key":"radix/cpu/best d=1","bench":"radix","backend":"cpu","variant":"best","params":{"d":1},%s}\n' "$1" $i "$4"
	done
}
side base 100 100 '"status":"ok","verify":{"result":"pass"},"time":{"median":5,"samples":[5]}' >base.jsonl
side new 120 80 '"status":"failed","reason":"key 3 is out of order"' >new.jsonl
side again 100 100 '"status":"ok","verify":{"result":"pass"},"time":{"median":5,"samples":[5]}' >again.jsonl
gpubench compare base.jsonl again.jsonl || exit
gpubench compare base.jsonl new.jsonl --format=markdown
