printf '0 1\n' >graph.csv
gpubench bfs --file=graph.csv cpu/csr
