gpubench bfs --vertices=100k cpu/csr
