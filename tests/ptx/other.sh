#!/usr/bin/env bash
# other.sh GPUBENCH-PTX NVTX.so -- runs parts of kernels that `check` alone does not reach: other
# options, sizes and devices; and counts the NVTX ranges of --profile by a tool.
set -euo pipefail
gpubench=$1 nvtx=$2

run() {
	echo "== $*"
	"$gpubench" "$@"
}
timed="--samples=2 --warmup=1 --quiet" # the first launch is never held

# `small` has more shapes than `check` has sizes.
run radix cuda/small --count=1500,20k,40k,70k --type=u32,u64,f32,pairs \
	--warmup=0 --samples=1 --quiet
# Clusters with larger tiles, then devices without clusters.
run radix cuda/small --type=u32,u64,f32,pairs --count=150k,300k $timed
export GPUBENCH_PTX_CLUSTERS=0
run radix cuda/small --type=u32,u64,f32,pairs --count=5000,16000 $timed
run bfs cuda/ccam --vertices=33,2100 --p=0.05 --result=dist,both $timed
unset GPUBENCH_PTX_CLUSTERS
# Timed runs reach the hold and the clock.
run bfs --backend=cuda --vertices=300 $timed

# One range for each variant and point after the warm-up, and one for each phase within.
ranges=$(NVTX_INJECTION64_PATH=$nvtx "$gpubench" radix cuda/lsd4 cuda/cub --count=3k --profile \
	2>&1 >/dev/null | sed 's/^nvtx: *//' | uniq -c | tr -s ' \n' ' ')
phases='histogram 1 end 1 scan 1 end 1 scatter 1 end 1 '
wanted=" 1 radix/cuda/lsd4 count=3000 1 $(printf "$phases%.0s" 1 2 3 4 5 6 7 8)"
wanted="${wanted% 1 end 1 } 2 end 1 radix/cuda/cub count=3000 1 end "
[[ $ranges == "$wanted" ]] || { printf 'ranges: %s\nwanted: %s\n' "$ranges" "$wanted"; exit 1; }
