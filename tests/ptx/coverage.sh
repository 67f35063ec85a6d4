#!/usr/bin/env bash
# coverage.sh BUILD -- runs parts of kernels that `check` alone does not reach: other options, sizes
# and devices, and the unit tests of the primitives.  Each program writes the kernels and opcodes
# that it reached to BUILD/reached.<n>, for reached.py.
set -euo pipefail
build=$1
number=0

run() {
	number=$((number + 1))
	echo "== $*"
	GPUBENCH_PTX_REACHED=$build/reached.$number "$@"
}
timed="--samples=2 --warmup=1 --cold --quiet" # the first launch is never held

suites='primitives|bfs_cuda|variants_lbvh|variants_octree|variants_radix'
run "$build/unit-ptx" --filter "@($suites)*/*" --jobs 2
# Clusters with larger tiles, then devices without clusters.
run "$build/gpubench-ptx" radix cuda/small --type=u32,u64,f32,pairs --count=150k,300k $timed
export GPUBENCH_PTX_CLUSTERS=0
run "$build/gpubench-ptx" radix cuda/small --type=u32,u64,f32,pairs --count=5000,16000 $timed
run "$build/gpubench-ptx" bfs cuda/ccam --vertices=33,2100 --p=0.05 --result=dist,both $timed
unset GPUBENCH_PTX_CLUSTERS
# Timed runs reach the hold and the clock; --warps counts active lanes.
run "$build/gpubench-ptx" bfs --backend=cuda --vertices=300 --warps=yes $timed
