#!/usr/bin/env bash
# weak.sh GPUBENCH-PTX -- the cuda variants with weak memory, where a missing order shows as a wrong
# result.  A few inputs of several blocks, each twice; `check` looks for races at all of its points.
set -euo pipefail
export GPUBENCH_PTX_CHECK=0 GPUBENCH_PTX_WEAK=1 GPUBENCH_PTX_SEED=${GPUBENCH_PTX_SEED:-1}
gpubench=$1

run() {
	echo "== $*"
	"$gpubench" "$@" --backend=cuda --samples=2 --warmup=0 --hot --quiet
}

run radix '!cub' --count=10007 --values=none,u32
run bfs --vertices=1025 --p=0.02,0.3 --result=dist,both
run bfs ccam-batch --vertices=1025 --p=0.02 --sources=64 --batch=64
run cbt --op=reduce,cycle,update --depth=12 --frames=2
run octree --count=1500 --distribution=plummer,pairs --bucket=1,16
run lbvh --op=build,trace --scene=soup,copies --count=1500 --rays=33
