#!/bin/bash
# devices.sh GPUBENCH-PTX NVTX.so NVML.so OLDEST -- --device=all on three devices of the PTX executor: one
# process per device, all at once, and the records of all in one file; a GPU that the build has no
# code for, and one of sm_90 that runs the build's oldest PTX, as 75; the ranges of --profile.
set -eu
gpubench=$(realpath "$1")
nvtx=$(realpath "$2") nvml=$(realpath "$3") oldest=$4
scratch=$(realpath "$(mktemp -d)")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export GPUBENCH_PTX_DEVICES=3

fail() {
	echo "devices: $*"
	exit 1
}

# One range for each variant and point after the warm-up, and one for each phase within.
ranges=$(NVTX_INJECTION64_PATH=$nvtx "$gpubench" radix cuda/lsd4 cuda/cub --count=3k --profile \
	2>&1 >/dev/null | sed 's/^nvtx: *//' | uniq -c | tr -s ' \n' ' ')
phases='histogram 1 end 1 scan 1 end 1 scatter 1 end 1 '
wanted=" 1 radix/cuda/lsd4 count=3000 1 $(printf "$phases%.0s" 1 2 3 4 5 6 7 8)"
wanted="${wanted% 1 end 1 } 2 end 1 radix/cuda/cub count=3000 1 end "
[[ $ranges == "$wanted" ]] || fail "ranges: $ranges, wanted: $wanted"

# expect STATUS ARGUMENT...: check the exit status; the output is in `said`.
expect() {
	local wanted=$1 status=0
	shift
	"$gpubench" radix cuda/split cuda/onesweep cpu/lsd8 --samples=1 --min-samples=1 "$@" \
		>said 2>&1 || status=$?
	[ $status = "$wanted" ] ||
		fail "$*: exit status $status instead of $wanted: $(tail -n 3 said)"
}

# holds FILE RECORDS: check for complete lines and this many records per device.
holds() {
	python3 - "$@" <<'END' || fail "$(cat said)"
import collections, json, sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
device = {line["run_id"]: line["settings"]["device"] for line in lines if line["type"] == "run"}
count = collections.Counter(device[line["run_id"]] for line in lines if line["type"] == "record")
backends = {line["backend"] for line in lines if line["type"] == "record"}
wanted = {0: int(sys.argv[2]), 1: int(sys.argv[2]), 2: int(sys.argv[2])}
if count != wanted or backends != {"cuda"}:
    sys.exit("devices: %s: %s instead of %s, of %s" % (sys.argv[1], dict(count), wanted, backends))
END
}

expect 0 --count=100,200 --device=all -o all.jsonl
holds all.jsonl 4
grep -q onesweep said || fail "no table: $(cat said)"

# Existing records are not measured again on any device; a truncated one is, on its own device.
expect 0 --count=100,200 --device=all -o all.jsonl --resume
holds all.jsonl 4
expect 0 --count=100,200,300 --device=all -o all.jsonl --resume
holds all.jsonl 6
size=$(stat -c %s all.jsonl)
truncate -s $((size - 20)) all.jsonl
expect 0 --count=100,200,300 --device=all -o all.jsonl --resume
holds all.jsonl 6

expect 2 --count=100 --device=all -o all.jsonl
expect 0 --count=100 --device=all -o all.jsonl --overwrite --repetitions=2
holds all.jsonl 4
expect 0 --count=100 --device=all
expect 0 --count=100 --device=2 --backend=cuda -o one.jsonl
[ "$(grep -c '"device":2' one.jsonl)" = 1 ] || fail "--device=2: $(cat said)"

expect 0 --count=100 --device=0,2 -o two.jsonl
[ "$(grep -o '"device":[0-9]' two.jsonl | sort | tr '\n' ' ')" = '"device":0 "device":2 ' ] ||
	fail "--device=0,2: $(cat two.jsonl)"
# CUDA resolves UUIDs; the executor ignores them.
expect 0 --count=100 --device=MIG-5c89852c --backend=cuda -o mig.jsonl
grep -q '"CUDA_VISIBLE_DEVICES":"MIG-5c89852c"' mig.jsonl || fail "--device=MIG-: $(cat mig.jsonl)"

# Invalid arguments, and a device that does not exist.
expect 2 --count=100 --device=all --backend=cpu
expect 2 --count=100 --device=some
expect 2 --count=100 --device=0,
expect 2 --count=100 --device=0,1,99
expect 3 --count=100 --device=0,5
expect 3 --count=100 --device=3 --backend=cuda

# A GPU that the build has no code for is named once, with the command that makes a build for it.
for command in list "check stream --backend=cuda --device=0"; do
	GPUBENCH_PTX_CAPABILITY=103 "$gpubench" $command >/dev/null 2>said ||
		fail "$command: $(cat said)"
	advice='^gpubench: GPU 0 .* is sm_103, .*: rebuild with `make SMS=103`$'
	[ "$(grep -c "$advice" said)" = 1 ] || fail "$command: $(cat said)"
	"$gpubench" $command >/dev/null 2>said
	! grep rebuild said || fail "$command: a GPU of the build's architecture"
done

# A GPU that has clusters runs code that has none.  The record says which code that was.
export GPUBENCH_PTX_ARCH=$oldest GPUBENCH_PTX_CAPABILITY=90
for points in "radix cuda/small --count=5000,16k" "bfs cuda/ccam --vertices=100,1100 --p=0.03"; do
	"$gpubench" $points --samples=1 --min-samples=1 -o old.jsonl --overwrite >said 2>&1 ||
		fail "sm_$oldest on sm_90: $(cat said)"
	[ "$(grep -c '"status":"ok"' old.jsonl)" = 2 ] || fail "sm_$oldest on sm_90: $(cat said)"
	grep -q "\"cc\":\"9.0\",\"code\":\"PTX sm_$oldest, interpreted\"" old.jsonl ||
		fail "$(grep -m 1 '"gpus"' old.jsonl)"
done

# Devices with 64 and 100 KB of shared memory: smaller subtrees, and other tiles of the sort.
for capability in "$oldest" 86; do
	for points in "octree cuda/lf-shared --count=5000 --bucket=1,8" \
		"radix cuda/onesweep --count=100k --values=none,u32"; do
		GPUBENCH_PTX_CAPABILITY=$capability "$gpubench" $points --samples=1 \
			--min-samples=1 -o old.jsonl --overwrite >said 2>&1 ||
			fail "sm_$capability: $(cat said)"
		[ "$(grep -c '"status":"ok"' old.jsonl)" = 2 ] ||
			fail "sm_$capability: $(cat said)"
	done
done
unset GPUBENCH_PTX_ARCH GPUBENCH_PTX_CAPABILITY

# Clocks are locked and released; a clock that the GPU does not have leaves no file.
ln -s "$nvml" libnvidia-ml.so.1
locked() {
	local wanted=$1
	shift
	LD_LIBRARY_PATH=$scratch NVML_LOG=$scratch/log GPUBENCH_PTX_DEVICES=1 \
		GPUBENCH_PTX_PCI=0000:01:00.0 expect "$wanted" --count=100 -o locked.jsonl "$@"
}
locked 2 --lock-clocks=3000
grep -qx 'gpubench: --lock-clocks=3000: the GPU has 345 to 1980 MHz' said || fail "$(cat said)"
[ ! -e locked.jsonl ] && [ ! -e log ] || fail "--lock-clocks=3000: $(cat locked.jsonl log)"
for clock in "" =max =1500; do
	locked 0 --overwrite --lock-clocks$clock
	clock=${clock#=}
	grep -q "\"locked_clock\":\"${clock:-base}\"" locked.jsonl || fail "$(head -n 1 locked.jsonl)"
done
[ "$(tr '\n' , <log)" = "lock ffffff01 ffffff01,reset,lock 1980 1980,reset,lock 1500 1500,reset," ] ||
	fail "--lock-clocks: $(cat log)"
NVML_REFUSES=1 locked 0 --overwrite --lock-clocks=1500
! grep locked_clock locked.jsonl || fail "a clock that was not locked"

# An interrupt reaches all processes.
"$gpubench" radix cuda/onesweep --count=1M --samples=50 --device=all -o killed.jsonl >said 2>&1 &
until [ -s killed.jsonl ] || ! kill -0 $!; do sleep 0.1; done
kill -INT $!
status=0
wait $! || status=$?
[ $status = 130 ] || fail "interrupted: exit status $status: $(cat said)"
for process in /proc/[0-9]*; do
	[ "$(readlink "$process/exe")" != "$gpubench" ] ||
		[ "$(readlink "$process/cwd")" != "$scratch" ] ||
		fail "a process outlives the interrupt: ${process#/proc/}"
done
echo "devices: three at once, resumed, launched twice, interrupted; a GPU without code, with old code"
