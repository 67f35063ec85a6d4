printf '0 1\n1 2\n' >graph.el
gpubench bfs --file=graph.el --write=graph.sg cpu/csr --samples=1 --warmup=0 >table 2>&1 || exit
head -c 70 graph.sg >short.sg
gpubench bfs --file=short.sg cpu/csr
