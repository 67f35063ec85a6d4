printf "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 -1\r\n" >one.obj
gpubench lbvh --file=one.obj --samples=1 -o records.jsonl cpu/apetrei >/dev/null 2>&1 || exit
grep -o '"status":"ok"\|"triangles":[0-9]*' records.jsonl
