# A file of 11 bytes needs 610 MiB. gpubench prints the need before it reads the file.
printf '0 20000000\n' >graph.el
gpubench bfs cpu/csr --file=graph.el --sources=1 --threads=1 --samples=1 --warmup=0 --hot -o graph.jsonl >table || exit
grep -c '"status":"ok"' graph.jsonl
