#!/bin/bash
# gpu-suite.sh [FOLDER] -- everything that a machine with a GPU is wanted for, in one command and about
# 25 minutes: verify, then measure.  Each step has a time limit, a log in FOLDER (default:
# results/measured/<gpu>-<date>), and a line in FOLDER/summary; a step that fails does not end the rest.
#
#	GPUBENCH=./gpubench-simt scripts/gpu-suite.sh /tmp/try     the same steps in the emulator, as a rehearsal
#
# Steps: build and unit tests; every cuda variant at the points of `check`; the same under
# compute-sanitizer's four tools; look-back and insertion a thousand times; the copy bandwidth and radix
# against CUB over 2^12..2^30; all benchmarks at preset paper; all tables of all papers; the page.
set -u
cd "$(dirname "$0")/.."

gpubench=${GPUBENCH:-./gpubench}
rehearsal=$([[ $(basename "$gpubench") == *simt* ]] && echo 1 || echo 0)
failures=0

# step SECONDS NAME COMMAND...: its output to FOLDER/NAME.log
step() {
	local limit=$1 name=$2 start=$SECONDS status=0
	shift 2
	timeout --kill-after=10 "$limit" "$@" >"$folder/$name.log" 2>&1 || status=$?
	case $status in
	0) verdict=ok ;;
	124 | 137) verdict="stopped after $limit s" ;;
	*) verdict="FAILED, status $status" ;;
	esac
	[ "$status" = 0 ] || failures=$((failures + 1))
	printf '%-14s %4d s  %s\n' "$name" $((SECONDS - start)) "$verdict" | tee -a "$folder/summary"
}

if [ "$rehearsal" = 0 ]; then
	gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)
	[ -n "$gpu" ] || { echo "gpu-suite.sh: no GPU (nvidia-smi finds none)" >&2; exit 3; }
else
	gpu=emulator
fi
name=$(echo "$gpu" | tr '[:upper:]' '[:lower:]' | sed 's/nvidia//; s/[^a-z0-9][^a-z0-9]*/-/g; s/^-//; s/-$//')
folder=${1:-results/measured/$name-$(date +%Y-%m-%d)}
mkdir -p "$folder"
folder=$(realpath "$folder")
: >"$folder/summary"
echo "$gpu, commit $(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown), $(date -u +%Y-%m-%dT%H:%M:%SZ)" | tee -a "$folder/summary"

if [ "$rehearsal" = 0 ]; then
	step 300 build make -j"$(nproc)" all
	step 240 unit-tests make -j"$(nproc)" test-unit
else
	step 300 build make -j"$(nproc)" simt
fi
step 60 env "$gpubench" env
step 200 check "$gpubench" check --backend=cuda --require-gpu
if [ "$rehearsal" = 0 ]; then
	sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
	for tool in memcheck racecheck initcheck synccheck; do
		[ -n "$sanitizer" ] && step 100 "$tool" "$sanitizer" --tool "$tool" --error-exitcode 9 \
			"$gpubench" run --preset=quick --backend=cuda --samples=1 --warmup=0 -o "$folder/$tool.csv"
	done
fi

# What rests on the order of blocks and threads, again and again: each run is verified at its end, and
# a hang is a time-out.
repeats=1000
[ "$rehearsal" = 1 ] && repeats=20
small=20k
[ "$rehearsal" = 0 ] && small=1M
step 120 look-back "$gpubench" radix cuda/onesweep cuda/split-fused --count=$small --samples=$repeats --hot \
	-o "$folder/look-back.jsonl"
if "$gpubench" list octree >/dev/null 2>&1; then
	step 120 insertion "$gpubench" octree 'cuda/l*' --count=$small --samples=$repeats --hot -o "$folder/insertion.jsonl"
fi

if [ "$rehearsal" = 1 ]; then
	step 300 run "$gpubench" run --preset=quick --backend=cuda --samples=1 --warmup=0 -o "$folder/run.jsonl"
	step 300 repro "$gpubench" repro all --preset=quick --backend=cuda --samples=1 -o "$folder/repro.jsonl"
else
	step 60 stream "$gpubench" stream --require-gpu -o "$folder/stream.jsonl"
	step 240 radix-cub "$gpubench" radix cuda/onesweep cuda/small cuda/cub --count=2^12:2^30:x4 --type=u32,pairs \
		--min-time=0.2 -o "$folder/radix-cub.jsonl"
	step 420 run "$gpubench" run --preset=paper --backend=cuda --min-time=0.2 -o "$folder/run.jsonl"
	step 420 repro "$gpubench" repro all --min-time=0.1 --timeout=20 -o "$folder/repro.jsonl"
fi
files=$(ls "$folder"/{stream,radix-cub,run}.jsonl 2>/dev/null)
[ -n "$files" ] && step 30 page sh -c '"$1" report --format=html '"$files"' >"$2"' sh "$gpubench" "$folder/page.html"
echo "$failures steps did not go well; everything is in $folder" | tee -a "$folder/summary"
[ $failures = 0 ]
