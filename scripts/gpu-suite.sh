#!/bin/bash
# gpu-suite.sh [FOLDER [STAGE...]] -- everything that a machine with a GPU is wanted for, in one command
# and about 25 minutes: verify, then measure.  Each step has a time limit, a log in FOLDER (default:
# results/measured/<gpu>-<date>), and a line in FOLDER/summary; a step that fails does not end the rest.
#
#	scripts/gpu-suite.sh out verify                            one stage: each takes less than 10 minutes
#	GPUBENCH=./gpubench-simt scripts/gpu-suite.sh /tmp/try     the same steps in the emulator, as a rehearsal
#
# verify	build and unit tests; every cuda variant at the points of `check`; its hashes against the
#		emulator's
# sanitize	every cuda variant under compute-sanitizer's four tools; look-back and insertion a thousand
#		times
# measure	the copy bandwidth, radix against CUB over 2^12..2^30, all benchmarks at preset paper
# papers	all tables of all papers, and the page
#
# Where libraries cannot be installed, unpack the packages of cJSON, Criterion (with what it needs) and
# Random123 into a folder (`apt-get download PACKAGE`, `dpkg -x FILE.deb FOLDER`) and name it:
#
#	DEPS=FOLDER scripts/gpu-suite.sh
set -u
cd "$(dirname "$0")/.."

if [ -n "${DEPS:-}" ]; then
	DEPS=$(realpath "$DEPS")
	libraries=$(find "$DEPS" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
	export CPATH=$DEPS/usr/include${CPATH:+:$CPATH}
	export LIBRARY_PATH=$libraries${LIBRARY_PATH:+:$LIBRARY_PATH}
	export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi

gpubench=${GPUBENCH:-./gpubench}
rehearsal=$([[ $(basename "$gpubench") == *simt* ]] && echo 1 || echo 0)
failures=0

# step SECONDS NAME COMMAND...: its output to FOLDER/NAME.log
step() {
	local limit=$1 name=$2 start=$SECONDS status=0
	shift 2
	if [ "$(type -t "$1")" = function ]; then
		"$@" >"$folder/$name.log" 2>&1 || status=$?
	else
		timeout --kill-after=10 "$limit" "$@" >"$folder/$name.log" 2>&1 || status=$?
	fi
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
[ $# = 0 ] || shift
stages=" ${*:-verify sanitize measure papers} "
for stage in $stages; do
	case $stage in
	verify | sanitize | measure | papers) ;;
	*) echo "gpu-suite.sh: $stage is no stage: verify, sanitize, measure or papers" >&2; exit 2 ;;
	esac
done
mkdir -p "$folder"
folder=$(realpath "$folder")
stage() { [[ $stages == *" $1 "* ]]; }
echo "$gpu, commit $(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown), $(date -u +%Y-%m-%dT%H:%M:%SZ)" | tee -a "$folder/summary"

# Lines "key metric hash" of a file of records.
hashes_of() {
	sed -n 's/.*"key": *"\([^"]*\)".*"\([a-z]*_hash\)": *"\([^"]*\)".*/\1 \2 \3/p' "$1" | sort
}

# What the GPU makes must be what the emulator makes.
same_hashes() {
	local points=(--samples=1 --warmup=0 --backend=cuda)
	make -j"$(nproc)" simt || return
	for program in ./gpubench-simt "$gpubench"; do
		"$program" octree --count=5000 --dist=plummer,cube,pairs "${points[@]}" -o "$folder/octree.jsonl" || return
		"$program" lbvh --scene=terrain,city,soup --primitives=5000 "${points[@]}" -o "$folder/lbvh.jsonl" || return
		cat "$folder"/{octree,lbvh}.jsonl >"$folder/points.jsonl"
		hashes_of "$folder/points.jsonl" >"$folder/hashes-$(basename "$program")"
		rm "$folder"/{octree,lbvh,points}.jsonl
	done
	[ -s "$folder/hashes-gpubench-simt" ] || { echo "no hashes"; return 1; }
	diff "$folder/hashes-gpubench-simt" "$folder/hashes-$(basename "$gpubench")" &&
		echo "$(wc -l <"$folder/hashes-gpubench-simt") hashes are the emulator's"
}

# Every stage may be the first one.
if [ "$rehearsal" = 1 ]; then
	step 300 build make -j"$(nproc)" simt
else
	step 300 build make -j"$(nproc)" all
fi

if stage verify; then
	step 60 env "$gpubench" env
	[ "$rehearsal" = 1 ] || step 240 unit-tests make -j"$(nproc)" test-unit
	step 300 check "$gpubench" check --backend=cuda --require-gpu
	step 200 hashes same_hashes
fi

# Look-back and insertion rest on the order of blocks and threads: each run is verified at its end, and a
# hang is a time-out.
if stage sanitize; then
	sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
	for tool in memcheck racecheck initcheck synccheck; do
		[ "$rehearsal" = 1 ] || [ -z "$sanitizer" ] || step 100 "$tool" "$sanitizer" --tool "$tool" \
			--error-exitcode 9 "$gpubench" run --preset=quick --backend=cuda --samples=1 --warmup=0 \
			-o "$folder/$tool.csv"
	done
	repeats=1000 small=1M
	[ "$rehearsal" = 0 ] || { repeats=20 small=20k; }
	step 90 look-back "$gpubench" radix cuda/onesweep cuda/split-fused --count=$small --samples=$repeats --hot \
		-o "$folder/look-back.jsonl"
	step 90 insertion "$gpubench" octree 'cuda/l*' --count=$small --samples=$repeats --hot \
		-o "$folder/insertion.jsonl"
fi

if stage measure; then
	if [ "$rehearsal" = 1 ]; then
		step 300 run "$gpubench" run --preset=quick --backend=cuda --samples=1 --warmup=0 \
			-o "$folder/run.jsonl"
	else
		step 40 stream "$gpubench" stream --require-gpu -o "$folder/stream.jsonl"
		step 150 radix-cub "$gpubench" radix cuda/onesweep cuda/small cuda/cub --count=2^12:2^30:x4 \
			--type=u32,pairs --min-time=0.1 -o "$folder/radix-cub.jsonl"
		step 360 run "$gpubench" run --preset=paper --backend=cuda --min-time=0.1 --timeout=20 \
			-o "$folder/run.jsonl"
	fi
fi

if stage papers; then
	if [ "$rehearsal" = 1 ]; then
		step 300 repro "$gpubench" repro all --preset=quick --backend=cuda --samples=1 \
			-o "$folder/repro.jsonl"
	else
		step 520 repro "$gpubench" repro all --min-time=0.1 --timeout=20 -o "$folder/repro.jsonl"
	fi
	mapfile -t files < <(ls "$folder"/{stream,radix-cub,run}.jsonl 2>/dev/null)
	[ ${#files[@]} = 0 ] || step 30 page "$gpubench" report "${files[@]}" -o "$folder/page.html"
fi
echo "$failures steps did not go well; everything is in $folder" | tee -a "$folder/summary"
[ $failures = 0 ]
