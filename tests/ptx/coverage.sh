#!/usr/bin/env bash
# coverage.sh BUILD -- what `check` alone does not reach in the kernels: options, sizes and devices of
# their own, and the unit tests of the primitives.  Each program leaves what it reached in
# BUILD/reached.<n>, for reached.py.
set -euo pipefail
build=$1
number=0

run() {
	number=$((number + 1))
	echo "== $*"
	GPUBENCH_PTX_REACHED=$build/reached.$number "$@"
}
timed="--samples=2 --warmup=1 --cold --quiet" # the first launch is never held

run "$build/unit-ptx" --filter '@(primitives|bfs_cuda|variants_lbvh|variants_octree)*/*' --jobs 2
# Clusters of larger tiles, then devices that have none.
run "$build/gpubench-ptx" radix cuda/small --type=u32,u64,f32,pairs --count=150k,300k $timed
export GPUBENCH_PTX_CLUSTERS=0
run "$build/gpubench-ptx" radix cuda/small --type=u32,u64,f32,pairs --count=5000,16000 $timed
run "$build/gpubench-ptx" bfs cuda/ccam --vertices=33,2100 --p=0.05 --result=dist,both $timed
unset GPUBENCH_PTX_CLUSTERS
# Timed: the hold and the clock; how many lanes of a warp work.
run "$build/gpubench-ptx" bfs --backend=cuda --vertices=300 --warps=yes $timed
run "$build/gpubench-ptx-wide" radix cuda/onesweep cuda/cub --type=u32,u64,f32,pairs --count=33,20000 $timed
run "$build/gpubench-ptx-wide" lbvh cuda/apetrei cuda/karras64 --scene=soup --primitives=5001 $timed
