# A graph keeps its edges in .mtx, .sg and .el files. gpubench reads the .sg file that it wrote.
printf '%%%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 2\n2 3\n3 1\n1 4\n' >a.mtx
gpubench bfs --file=a.mtx --write=b.sg cpu/csr --samples=1 >a || exit
gpubench bfs --file=b.sg --write=c.el cpu/csr --samples=1 >b || exit
cat c.el
