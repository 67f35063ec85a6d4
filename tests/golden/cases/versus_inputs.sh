# versus refuses a file without records, and an unknown option value, with one line and status 2.
# A full output device gives status 5. Without a speed-up, the first line says why.
mkdir folder
: >empty.jsonl
printf '{"type":"run","schema":1,"run_id":"1"}\n' >run.jsonl
printf '{"type":"run","schema":1,"run_id":"1"}\n{"type":"rec' >cut.jsonl
try() { # WORD...
	gpubench versus "$@"
	echo "status $?"
}
try
try nowhere.jsonl
try folder
try empty.jsonl
try run.jsonl
try cut.jsonl
try --by=moon run.jsonl
try --show=both run.jsonl
try --format=xml run.jsonl
try --threshold=5 run.jsonl
printf '{"type":"run","schema":1,"run_id":"1"}\n{"type":"record","schema":1,"run_id":"1","seq":0,"key":"radix/cpu/v","bench":"radix","backend":"cpu","variant":"v","params":{},"status":"ok","verify":{"result":"pass"},"time":{"median":5,"samples":[5]}}\n' >one.jsonl
try one.jsonl
line() { # ID CPU VARIANT STATUS [VERIFICATION]
	printf '{"type":"run","schema":1,"run_id":"%s","host":{"cpu":"%s","hostname":"%s"}}\n' "$1" "$2" "$2"
	printf '{"type":"record","schema":1,"run_id":"%s","seq":0,"key":"radix/cpu/%s count=1000","bench":"radix","backend":"cpu","variant":"%s","params":{"count":1000},"status":"%s","verify":{"result":"%s"},"time":{"median":5,"samples":[5]}}\n' "$1" "$3" "$3" "$4" "${5:-pass}"
}
{ line 1 X best ok && line 2 Y lsd8 ok; } >apart.jsonl
try apart.jsonl
{ line 1 X best ok && line 2 Y best unverified skipped; } >unverified.jsonl
try -f markdown unverified.jsonl
gpubench versus one.jsonl >/dev/full
