# Eleven bytes that ask for half a gigabyte: it is said first.
printf '0 20000000\n' >graph.el
gpubench bfs cpu/csr --file=graph.el --sources=1 --threads=1 --samples=1 --warmup=0 --hot -o graph.jsonl >table || exit
grep -c '"status":"ok"' graph.jsonl
