# Counts of emulated runs, which have no time: one key has more, one has fewer, one is the same.
record() { # SIDE KEY INSTRUCTIONS SECTORS BLOCKS
	printf '{"type":"record","schema":2,"run_id":"%s","bench":"radix","backend":"cuda","variant":"lsd4","key":"radix/cuda/lsd4 %s n=1","params":{"n":1},"status":"ok","verify":{"result":"pass"},"emulated":true,"time":{"median":1,"samples":[1]},"counts":{"warp_instructions":%s,"kernels":[{"kernel":"void n::scan<4>(int*)","blocks":%s,"global_load":{"sectors":%s}},{"kernel":"copy(int*)","launches":1}]}}\n' \
		$1 "$2" $3 $5 $4
}
printf '{"type":"run","schema":2,"run_id":"base"}\n' | tee base.jsonl | sed s/base/new/ >new.jsonl
record base a 1000 50 8 >>base.jsonl
record new a 1200 40 9 >>new.jsonl
record base b 7 3 2 >>base.jsonl
record new b 5 3 1 >>new.jsonl
record base c 5 3 1 >>base.jsonl
record new c 5 3 1 >>new.jsonl
gpubench compare base.jsonl new.jsonl --threshold=0
echo $?
gpubench compare base.jsonl new.jsonl --threshold=20 --format=csv
echo $?
gpubench compare base.jsonl new.jsonl --threshold=0 --format=junit
echo $?
gpubench compare base.jsonl new.jsonl --format=github
gpubench compare base.jsonl new.jsonl --format=json
