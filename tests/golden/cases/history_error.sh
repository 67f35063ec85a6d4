# All series share the error rate. A slower level that is likely alone is not among thirty series.
series() { # KEY LEVEL: eight launches on a level, then eight that are LEVEL percent of it
	for i in $(seq 10 25); do
		ns=$((i < 18 ? 1000000 + i * 7919 % 997 : 10000 * $2 + i * 7919 % 997))
		printf '{"type":"run","schema":1,"run_id":"%s%s","started":"2026-01-%sT00:00:00Z"}\n' "$1" $i $i
		printf '{"type":"record","schema":1,"run_id":"%s%s","seq":0,"key":"radix/cpu/%s","bench":"radix","backend":"cpu","variant":"v","params":{},"status":"ok","verify":{"result":"pass"},"time":{"median":%s,"samples":[%s]}}\n' "$1" $i "$1" $ns $ns
	done >one/"$1".jsonl
}
mkdir one
series slower 110
gpubench history one | tail -n 1
gpubench history one >/dev/null
echo "status $?"
for i in $(seq 10 90); do series same$i 100; done
gpubench history one | tail -n 2
gpubench history one >/dev/null
echo "status $?"
gpubench history one --error=50% >/dev/null
echo "status $?"
