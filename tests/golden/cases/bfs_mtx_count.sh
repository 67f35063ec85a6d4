printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 2\n' >graph.mtx
gpubench bfs --file=graph.mtx cpu/csr
