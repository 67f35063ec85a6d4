#!/usr/bin/env bash
# other.sh GPUBENCH-PTX -- runs parts of kernels that `check` alone does not reach: other options,
# sizes and devices.
set -euo pipefail
gpubench=$1

run() {
	echo "== $*"
	"$gpubench" "$@"
}
timed="--samples=2 --warmup=1 --quiet" # the first launch is never held

# `small` has more shapes than `check` has sizes.
for keys in --type=u32,u64,f32 --values=u32,u64; do
	run radix cuda/small --count=1000,1500,10k,20k,40k,70k $keys --warmup=0 --samples=1 --quiet
done
# Clusters with larger tiles, then devices without clusters.
run radix cuda/small --type=u32,u64 --count=150k,300k $timed
export GPUBENCH_PTX_CLUSTERS=0
run radix cuda/small --type=u32,u64 --count=5000,16000 $timed
run radix cuda/small --values=u32,u64 --count=3000 $timed
run bfs cuda/ccam --vertices=33,2100 --p=0.05 --result=dist,both $timed
unset GPUBENCH_PTX_CLUSTERS
# Timed runs reach the hold and the clock.
run bfs --backend=cuda --vertices=300 $timed
