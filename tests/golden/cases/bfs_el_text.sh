printf '# a comment\n0 1\n1 two\n' >graph.el
gpubench bfs --file=graph.el cpu/csr
