gpubench bfs --vertices=10 --write=graph.mtx cpu/csr
