# What only check and tests need is not in the help; it is taken and listed.
gpubench bfs --help | grep -c -e --orphans -e --multi
gpubench octree --help | grep -c -e --pool
gpubench list bfs octree --format=json | grep -E '"name":.*"(orphans|multi|pool)"'
gpubench bfs cpu/csr --graph=kronecker --scale=4 --multi=yes --orphans=0 --dry-run | grep -o 'multi=yes'
