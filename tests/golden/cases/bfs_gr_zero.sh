printf 'c one\np sp 3 2\na 1 2 5\na 0 1 5\n' >graph.gr
gpubench bfs --file=graph.gr cpu/csr
