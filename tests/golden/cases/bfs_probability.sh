gpubench bfs --p=1.5 cpu/csr
