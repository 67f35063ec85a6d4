# The help omits options that only `check` and the tests need.
# The benchmarks accept these options, and `list` prints them as JSON.
gpubench bfs --help | grep -c -e --orphans -e --multi
gpubench octree --help | grep -c -e --pool
gpubench list bfs octree --format=json | grep -E '"name":.*"(orphans|multi|pool)"'
gpubench bfs cpu/csr --graph=kronecker --scale=4 --multi=yes --orphans=0 --dry-run=keys | grep -o 'multi=yes'
