# versus refuses a file without records, and an unknown option value, with one line and status 2.
# A full output device gives status 5.
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
gpubench versus one.jsonl >/dev/full
