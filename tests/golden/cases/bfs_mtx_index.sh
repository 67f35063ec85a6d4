printf '%%%%MatrixMarket matrix coordinate pattern general\n%% two of three\n3 3 3\n1 2\n\n3 4\n' >graph.mtx
gpubench bfs --file=graph.mtx cpu/csr
