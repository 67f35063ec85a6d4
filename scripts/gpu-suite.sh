#!/bin/bash
# gpu-suite.sh [FOLDER [STAGE...]] -- verify and measure everything that needs a GPU, in one
# command.  Each of the five stages takes less than 10 minutes.  Each step has a time limit, a log
# in FOLDER (default: results/measured/<gpu>-<date>) and a line in FOLDER/summary; a step that fails
# does not stop the rest.
#
#	scripts/gpu-suite.sh out verify                           run one stage
#	GPUBENCH=./gpubench-simt scripts/gpu-suite.sh /tmp/try    rehearse the steps in the emulator
#	DRY=1 scripts/gpu-suite.sh /tmp/try                       print commands and limits; no GPU
#
# verify	build and unit tests; every cuda variant at the points of `check`; its hashes
#		against the emulator's
# sanitize	every cuda variant under compute-sanitizer's four tools; look-back and insertion a
#		thousand times.  Neither verify nor sanitize times anything, so their steps run in
#		parallel
# counters	Nsight Compute's counts of every kernel, to compare with the exact counts
#		(scripts/counters.py)
# measure	the copy bandwidth, radix against CUB over 2^12..2^30 keys, all benchmarks at
#		preset paper
# papers	the tables of all papers, and the page: the GPU's columns first, then the CPU's; of
#		radix and cbt, whose large rows take minutes on a CPU, the small rows; last the
#		table that one thread of the GPU fills.  A dry run prints the minute at which each
#		step starts at the latest.  `gpubench repro all --missing --from FOLDER/*.jsonl`
#		lists what is left
#
# Before the first stage, a few seconds of microbenchmarks measure the constants of the model
# (scripts/predict.py).
#
# Programs called: bash, coreutils, findutils, grep, sed, git (for the commit only), make, gcc, g++,
# nvcc, nvidia-smi, and compute-sanitizer, ncu and python3 if they are found.
#
# If libraries cannot be installed, unpack their packages into a folder (`apt-get download PACKAGE`,
# `dpkg -x FILE.deb FOLDER`) and name it.  Debian 12 calls them libcjson-dev libcjson1
# librandom123-dev; for the unit tests libcriterion-dev libcriterion3 libnanomsg5 libffi8
# libgit2-1.5 libhttp-parser2.9 libmbedtls14 libmbedx509-1 libmbedcrypto7 libssh2-1 libgssapi-krb5-2
# libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libcom-err2.
#
#	DEPS=FOLDER scripts/gpu-suite.sh
#
# Without Criterion only the unit tests fail.
#
# PREBUILT=FOLDER: build nothing; FOLDER has gpubench, gpubench-simt and unit, with nvml.so beside
# it.
set -u
if [[ ${1:-} == -* ]]; then
	sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
	exit 2
fi
cd "$(dirname "$0")/.."

if [ -n "${DEPS:-}" ]; then
	DEPS=$(realpath "$DEPS")
	libraries=$(find "$DEPS" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
	# Not CPATH: the compiler would print warnings of these headers.
	export C_INCLUDE_PATH=$DEPS/usr/include${C_INCLUDE_PATH:+:$C_INCLUDE_PATH}
	export CPLUS_INCLUDE_PATH=$DEPS/usr/include${CPLUS_INCLUDE_PATH:+:$CPLUS_INCLUDE_PATH}
	export LIBRARY_PATH=$libraries${LIBRARY_PATH:+:$LIBRARY_PATH}
	export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi

prebuilt=${PREBUILT:-}
gpubench=${GPUBENCH:-${prebuilt:-.}/gpubench}
simt=${prebuilt:-.}/gpubench-simt
rehearsal=$([[ $(basename "$gpubench") == *simt* ]] && echo 1 || echo 0)
dry=${DRY:-0}
dry_failures=0
stage_s=590 # limit of a stage; a step gets at most what is left of it
ends=$((SECONDS + stage_s))

# dry_step SECONDS NAME COMMAND...: print it, and the memory that gpubench would need.
dry_step() {
	local limit=$1 name=$2 said
	shift 2
	printf '%-14s %4d s at most: %s\n' "$name" "$limit" "$*"
	case "$1 ${2:-}" in
	"$gpubench run" | "$gpubench stream" | "$gpubench radix" | "$gpubench octree" | \
		"$gpubench repro")
		if said=$("$@" --dry-run=keys); then
			grep '^total' <<<"$said"
		else
			dry_failures=$((dry_failures + 1))
		fi
		;;
	esac
}

# step SECONDS NAME COMMAND...: run it, with its output in FOLDER/NAME.log.
step() {
	local limit=$1 name=$2 start=$SECONDS status=0
	shift 2
	if [ "$dry" = 1 ]; then
		dry_step "$limit" "$name" "$@"
		return
	fi
	[ "$limit" -le $((ends - SECONDS)) ] || limit=$((ends - SECONDS))
	if [ "$limit" -gt 0 ]; then
		timeout --kill-after=10 "$limit" "$@" >"$folder/$name.log" 2>&1 || status=$?
	else
		status=124
	fi
	case $status in
	0) verdict=ok ;;
	124 | 137)
		verdict="stopped after $limit s"
		[ "$limit" -gt 0 ] || verdict="left out: the stage's time is over"
		;;
	*) verdict="FAILED, status $status" ;;
	esac
	printf '%-14s %4d s  %s\n' "$name" $((SECONDS - start)) "$verdict" |
		tee -a "$folder/summary"
}

# Run a step beside others on a GPU; in the emulator, which takes all cores, one after the other.
beside() {
	if [ "$dry$rehearsal" = 00 ]; then
		step "$@" &
	else
		step "$@"
	fi
}

if [ "$rehearsal" = 1 ]; then
	gpu=emulator
elif [ "$dry" = 1 ]; then
	gpu="any GPU"
else
	gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)
	[ -n "$gpu" ] || { echo "gpu-suite.sh: no GPU (nvidia-smi finds none)" >&2; exit 3; }
fi
name=$(echo "$gpu" | tr '[:upper:]' '[:lower:]' |
	sed 's/nvidia//; s/[^a-z0-9][^a-z0-9]*/-/g; s/^-//; s/-$//')
folder=${1:-results/measured/$name-$(date +%Y-%m-%d)}
[ $# = 0 ] || shift
stages=" ${*:-verify sanitize counters measure papers} "
for stage in $stages; do
	case $stage in
	verify | sanitize | counters | measure | papers) ;;
	*)
		echo "gpu-suite.sh: no stage $stage; use verify, sanitize, counters, measure or" \
			"papers" >&2
		exit 2
		;;
	esac
done
if [ "$dry" = 0 ]; then
	mkdir -p "$folder"
	folder=$(realpath "$folder")
	commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
	echo "$gpu, commit $commit, $(date -u +%Y-%m-%dT%H:%M:%SZ)" | tee -a "$folder/summary"
	begin=$(($(wc -l <"$folder/summary") + 1)) # first line of this run's steps in the summary
fi

# True if the stage is wanted.  Starts its time; the time of the first one started with the build.
begun=0
stage() {
	[[ $stages == *" $1 "* ]] || return
	[ $begun = 0 ] || ends=$((SECONDS + stage_s))
	begun=1
}

# hashes_of FILE: print its records as lines "key metric hash".
hashes_of() {
	sed -n 's/.*"key": *"\([^"]*\)".*"\([a-z]*_hash\)": *"\([^"]*\)".*/\1 \2 \3/p' "$1" | sort
}

# The GPU's results must equal the emulator's.  ploc is left out: it numbers its nodes as they come.
same_hashes() {
	local points=(--samples=1 --warmup=0 --backend=cuda)
	[ -n "$prebuilt" ] || make -j"$(nproc)" simt || return
	for program in "$simt" "$gpubench"; do
		"$program" octree --count=5000 --dist=plummer,cube,pairs "${points[@]}" \
			--overwrite -o "$folder/octree.jsonl" || return
		"$program" lbvh 'cuda/k*' apetrei wide --scene=terrain,city,soup --primitives=5000 \
			"${points[@]}" --overwrite -o "$folder/lbvh.jsonl" || return
		cat "$folder"/{octree,lbvh}.jsonl >"$folder/points.jsonl"
		hashes_of "$folder/points.jsonl" >"$folder/hashes-$(basename "$program")"
		rm "$folder"/{octree,lbvh,points}.jsonl
	done
	[ -s "$folder/hashes-gpubench-simt" ] || { echo "no hashes"; return 1; }
	diff "$folder/hashes-gpubench-simt" "$folder/hashes-$(basename "$gpubench")" &&
		echo "$(wc -l <"$folder/hashes-gpubench-simt") hashes are the emulator's"
}

# Make the page of the records that stage `measure` has left.
page() {
	local files=()
	mapfile -t files < <(ls "$folder"/{stream,radix-cub,run}.jsonl 2>/dev/null)
	"$gpubench" report --format=html "${files[@]}" >"$folder/page.html"
}
counters() { python3 scripts/counters.py "$gpubench" >"$folder/counters.jsonl"; }
export -f hashes_of same_hashes page counters
export gpubench simt prebuilt folder

# Sizes and samples.  The rehearsal's are small enough for two cores of a CPU.
if [ "$rehearsal" = 1 ]; then
	target=simt repeats=20 small=20k large=2^12:2^18:x4
	how=(--samples=1 --warmup=0 --timeout=100) preset=quick
else
	target=all repeats=1000 small=1M large=2^12:2^30:x4
	how=(--max-time=1 --timeout=20) preset=paper
fi

# The build comes before whichever stage is the first.
[ -n "$prebuilt" ] || step 300 build make -j"$(nproc)" "$target"

# The constants of the model (scripts/predict.py), before anything else runs.
step 20 constants "$gpubench" stream cuda/copy --op=launch,latency,barrier,issue --count=2Ki \
	--require-gpu "${how[@]}" --overwrite -o "$folder/constants.jsonl"

benchmarks=$(sed -n 's/^WORKLOAD(\(.*\))$/\1/p' cli/workloads/workloads.def)

if stage verify; then
	step 60 env "$gpubench" env
	if [ "$rehearsal" = 0 ]; then
		unit=(make -j"$(nproc)" test-unit)
		[ -z "$prebuilt" ] || unit=("$prebuilt/unit")
		beside 300 unit-tests "${unit[@]}"
	fi
	for benchmark in $benchmarks; do
		beside 300 "check-$benchmark" \
			"$gpubench" check "$benchmark" --backend=cuda --require-gpu
	done
	if [ "$rehearsal" = 0 ] && "$gpubench" env | grep -q '; Vulkan '; then
		beside 300 check-vulkan "$gpubench" check stream lbvh --backend=vulkan --require-gpu
	fi
	wait
	step 200 hashes bash -c same_hashes
fi

# Look-back and insertion depend on the order of blocks and threads: each run is verified, and a
# hang is a time-out.  racecheck knows barriers only.  It would report octree's lf-shared and lbvh's
# fused hierarchy, which hand over shared memory by atomic operations; the executors' race checkers
# cover these two.
if stage sanitize; then
	sanitizer=$(command -v compute-sanitizer ||
		ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
	for tool in memcheck initcheck synccheck racecheck; do
		for benchmark in $benchmarks; do
			[[ $tool-$benchmark != racecheck-@(octree|lbvh) ]] || continue
			[ "$rehearsal" = 1 ] || [ -z "$sanitizer" ] ||
				beside 400 "$tool-$benchmark" \
					"$sanitizer" --tool "$tool" --error-exitcode 9 \
					"$gpubench" check "$benchmark" --backend=cuda
		done
	done
	wait
	again=(--count=$small --samples=$repeats --hot --verify=all --overwrite)
	step 90 look-back "$gpubench" radix cuda/onesweep cuda/split-fused "${again[@]}" \
		-o "$folder/look-back.jsonl"
	step 90 insertion "$gpubench" octree 'cuda/l*' "${again[@]}" -o "$folder/insertion.jsonl"
fi

if stage counters; then
	[ "$rehearsal" = 1 ] || ! command -v ncu >/dev/null || step 590 counters bash -c counters
fi

if stage measure; then
	step 40 stream "$gpubench" stream --require-gpu "${how[@]}" --overwrite \
		-o "$folder/stream.jsonl"
	step 150 radix-cub "$gpubench" radix cuda/onesweep cuda/small cuda/cub --count=$large \
		--type=u32,u64,pairs "${how[@]}" --overwrite -o "$folder/radix-cub.jsonl"
	if [ "$rehearsal" = 0 ] && "$gpubench" env | grep -q '; Vulkan '; then
		step 60 vulkan "$gpubench" lbvh 'vulkan/*' cuda/wide cuda/apetrei --op=build,trace \
			--compact=no,yes --scene=teapot,terrain,city,knot "${how[@]}" \
			--overwrite -o "$folder/vulkan.jsonl"
	fi
	step 450 run "$gpubench" run --preset=$preset --backend=cuda,vulkan "${how[@]}" \
		--overwrite -o "$folder/run.jsonl"
fi

# tables SECONDS NAME TABLE... OPTION...: reproduce tables of papers.
begins=0 # second of the stage at which the next step starts at the latest
tables() {
	local limit=$1 name=$2
	shift 2
	[ "$dry" = 0 ] || printf 'minute %d:%02d  ' $((begins / 60)) $((begins % 60))
	begins=$((begins + limit))
	step "$limit" "$name" "$gpubench" repro "$@" "${how[@]}" --overwrite \
		-o "$folder/$name.jsonl"
}

if stage papers; then
	if [ "$rehearsal" = 1 ]; then
		tables 120 radix radix --preset=ci --backend=cuda
		tables 60 cbt cbt --preset=quick --backend=cuda
		tables 120 bfs bfs:figure3 --preset=quick --backend=cuda
		tables 120 octree octree --preset=quick --backend=cuda
		tables 120 lbvh lbvh:table5 --preset=quick --backend=cuda
	else
		# The paper of octree prints means of 30 runs.
		tables 30 radix-gpu radix --backend=cuda
		tables 60 bfs-gpu bfs --backend=cuda
		tables 40 octree-gpu octree --backend=cuda --samples=30
		tables 30 lbvh-gpu lbvh --backend=cuda,vulkan
		tables 80 cbt-gpu cbt:{s13,fig11,s14,fig12} --backend=cuda
		tables 20 radix-cpu radix --preset=quick --backend=cpu
		tables 30 cbt-cpu cbt --preset=ci --backend=cpu
		tables 80 bfs-cpu bfs --backend=cpu
		tables 60 octree-cpu octree --backend=cpu
		tables 70 lbvh-cpu lbvh --backend=cpu
		# Depth 24 takes a second, and each further one twice as long.
		how=(--samples=1 --timeout=100)
		tables 90 cbt-fig6-gpu cbt:fig6 --backend=cuda
		[ $begins -le $stage_s ] || dry_failures=$((dry_failures + 1))
	fi
fi

if [ "$dry" = 1 ]; then
	[ $dry_failures = 0 ]
	exit
fi
ends=$((SECONDS + 30))
[ ! -e "$folder/run.jsonl" ] || step 30 page bash -c page
failures=$(sed -n "$begin,\$p" "$folder/summary" | grep -vc ' ok$')
echo "$failures steps failed; logs and records are in $folder" | tee -a "$folder/summary"
[ "$failures" = 0 ]
