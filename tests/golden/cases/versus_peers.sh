# The table lists only the points at which a peer is faster. An empty file adds no point.
# A missing file is an error.
record() { # VARIANT PEER COUNT NS
	printf '{"type":"record","schema":1,"run_id":"a","bench":"radix","backend":"cpu","variant":"%s","peer":%s,' "$1" "$2"
	printf '"key":"radix/cpu/%s count=%s","params":{"count":%s},"status":"ok","reason":null,"verify":{"result":"pass"},' "$1" "$3" "$3"
	printf '"cold":true,"emulated":false,"threads":1,"time":{"median":%s,"ci95":[%s,%s],"samples":[%s]},"work":{"items":1,"unit":"keys"}}\n' "$4" "$4" "$4" "$4"
}
{ record best false 1000 30; record vqsort true 1000 20; record best false 2000 30; record vqsort true 2000 60; } >a.jsonl
gpubench versus --by=peer --format=markdown a.jsonl
: >empty.jsonl
gpubench versus --by=peer --format=markdown empty.jsonl
gpubench versus --by=peer --format=markdown none.jsonl
