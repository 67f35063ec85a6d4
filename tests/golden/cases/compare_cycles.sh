# The clock of the new side is a fifth lower. The key is slower in time and the same in cycles.
side() { # NAME NS HZ
	for i in 1 2 3 4 5; do
		printf '{"type":"run","schema":2,"run_id":"%s%s"}\n' "$1" $i
		printf '{"type":"record","schema":2,"run_id":"%s%s","seq":0,"key":"radix/cuda/lsd4 a=1","bench":"radix","backend":"cuda","variant":"lsd4","params":{"a":1},"status":"ok","verify":{"result":"pass"},"time":{"median":%s,"samples":[%s]},"gpu_state":{"sm_clock_hz":[%s]}}\n' \
			"$1" $i $2 $2 $3
	done
}
side base 1000000 1500000000 >base.jsonl
side new 1250000 1200000000 >new.jsonl
gpubench compare base.jsonl new.jsonl && exit
gpubench compare base.jsonl new.jsonl --cycles --all || exit
gpubench compare base.jsonl new.jsonl --cycles --format=json
