#!/bin/bash
# gpu-suite.sh [FOLDER [STAGE...]] -- measure and verify what needs a GPU, the most valuable first:
# a plan for a machine that is lent for half an hour.
#
#	DRY=1 scripts/gpu-suite.sh                              print the minutes and commands
#	scripts/gpu-prebuilt.sh build/gpu.tar.gz                pack programs and libraries
#	PREBUILT=build/gpu.tar.gz scripts/gpu-suite.sh build/gpu model users
#	GPUBENCH=./gpubench-simt scripts/gpu-suite.sh /tmp/try  rehearse in the emulator
#
# model	constants of the model (scripts/predict.py), copy bandwidth, points of the exact counts
# users	large inputs: preset large, traces of 2048 x 2048 rays, sizes that the pages show
# vulkan	which devices, ray queries and pipelines there are; check; times
# check	`check`, hashes against the emulator's, and compute-sanitizer on variants that changed since
#		the GPU was last measured (scripts/counts.py --changed).  Nothing is timed, so its
#		steps run in parallel
# counters	Nsight Compute's counters at points without any (scripts/counters.py --lacking)
# ab	the changed variants against the program OLD of the commit that was measured
# papers	the GPU's empty cells of the papers' tables (`gpubench repro --missing`), then those
#		of variants that changed
# cpu	their CPU columns; not among the default stages
#
# The default stages take 27 minutes at most and each one less than nine; they run in any order.  A
# step has a time limit, and may also use what earlier steps of its stage left; one that takes
# longer leaves less to the last ones, and one that fails does not stop the rest.  Records, logs and
# a summary are in FOLDER/STAGE (default: build/gpu/STAGE).  FOLDER/STAGE.tar has them too, the
# smallest files first and 15 MiB at most; it is renewed after each step and every 15 seconds.
# scripts/gpu-results.py reads it.  A stage that was cut off goes on if it is run again, also on
# another machine from its tar alone.
#
# PREBUILT is a folder or archive by scripts/gpu-prebuilt.sh; without it, the suite builds.  DEPS is
# a folder of unpacked packages (`apt-get download PACKAGE`, `dpkg -x FILE.deb FOLDER`) whose
# libraries are used: libvulkan1 libegl1 libglx0 libglvnd0 for Vulkan, and to build, libcjson-dev
# libcjson1 librandom123-dev.  TARS is the folder of the tars (default: FOLDER), and SCALE=N divides
# all time limits by N.
#
# Programs called: bash, coreutils, findutils, util-linux, grep, sed, awk, tar, python3, nvidia-smi,
# and compute-sanitizer and ncu if they are found; to build, git, make, gcc, g++ and nvcc.
set -u
if [[ ${1:-} == -* ]]; then
	sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
	exit 2
fi
cd "$(dirname "$0")/.." || exit
PATH+=:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer

default_stages=(model users vulkan check counters ab papers)
folder=${1:-build/gpu}
[ $# = 0 ] || shift
stages=("${@:-${default_stages[@]}}")
for stage in "${stages[@]}"; do
	[[ " ${default_stages[*]} cpu " == *" $stage "* ]] || {
		echo "gpu-suite.sh: no stage $stage; use ${default_stages[*]} or cpu" >&2
		exit 2
	}
done

prebuilt=${PREBUILT:-}
if [ -f "$prebuilt" ]; then
	prebuilt=build/prebuilt-$(md5sum <"$PREBUILT" | cut -c1-8)
	if [ ! -e "$prebuilt/gpubench" ]; then
		mkdir -p "$prebuilt" && tar -xzf "$PREBUILT" -C "$prebuilt" || exit
	fi
fi
for root in ${DEPS:+"$DEPS"} ${prebuilt:+"$prebuilt"}; do
	libraries=$(find "$(realpath "$root")" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
	[ -n "$libraries" ] || continue
	export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LIBRARY_PATH=$libraries${LIBRARY_PATH:+:$LIBRARY_PATH}
done
if [ -n "${DEPS:-}" ]; then
	# Not CPATH: the compiler would print warnings of these headers.
	include=$(realpath "$DEPS")/usr/include
	export C_INCLUDE_PATH=$include${C_INCLUDE_PATH:+:$C_INCLUDE_PATH}
	export CPLUS_INCLUDE_PATH=$include${CPLUS_INCLUDE_PATH:+:$CPLUS_INCLUDE_PATH}
fi
# The loader does not look for a driver in this folder.
icd=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
[ ! -e $icd ] || export VK_DRIVER_FILES=${VK_DRIVER_FILES:-$icd}

gpubench=${GPUBENCH:-${prebuilt:-.}/gpubench}
old=${OLD:-${prebuilt:-build}/old/gpubench}
dry=${DRY:-0} scale=${SCALE:-1}
rehearsal=$([[ $(basename "$gpubench") == *simt* ]] && echo 1 || echo 0)
if [ "$rehearsal" = 1 ]; then
	gpu=emulator old=${OLD:-$gpubench}
elif [ "$dry" = 1 ]; then
	gpu="any GPU"
else
	gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)
	[ -n "$gpu" ] || { echo "gpu-suite.sh: no GPU (nvidia-smi finds none)" >&2; exit 3; }
fi
if [ "$dry" = 0 ]; then
	mkdir -p "$folder" "${TARS:-$folder}" || exit
	folder=$(realpath "$folder")
	if [ -z "$prebuilt" ] && [ "$rehearsal" = 0 ]; then
		make -j"$(nproc)" all >"$folder/build.log" 2>&1 ||
			{ tail "$folder/build.log"; exit 1; }
	fi
fi
tars=${TARS:-$folder}

# ---- steps ---------------------------------------------------------------------------------

most_bytes=$((15 << 20)) # of a tar
renewed_s=15

# Write the stage's tar.  Its file left-out names those that do not fit any more.
pack() {
	local bytes name size=10240 files=() dir=$folder/$stage
	{
		flock 9
		rm -f "$dir/left-out"
		while read -r bytes name; do
			size=$((size + 1024 + bytes))
			if [ $size -le $most_bytes ]; then
				files+=("$stage/$name")
			else
				echo "$name" >>"$dir/left-out"
			fi
		done < <(find "$dir" -type f -printf '%s %P\n' | sort -n)
		[ ! -e "$dir/left-out" ] || files+=("$stage/left-out")
		tar -cf "$tars/$stage.part" -C "$folder" "${files[@]}" 2>/dev/null
		[ $? -gt 1 ] || mv "$tars/$stage.part" "$tars/$stage.tar" # 1: a file grew
	} 9<"$dir"
}

is_done() { grep -qsE "^$1 +[0-9]+ s  ok$" "$folder/$stage/summary"; }

# step SECONDS NAME COMMAND...: run it, with its output in NAME.log.  A step of 0 seconds belongs to
# the group before it, whose steps run in parallel (in the emulator, which takes all cores, they do
# not) and share its time.  With mode=plan, only count what is left to do; if DRY, print it.
step() {
	local seconds=$(($1 / scale)) name=$2 limit
	[ "$1" = 0 ] || [ $seconds -gt 0 ] || seconds=1
	shift 2
	if [ "$mode" = plan ]; then
		print_step "$seconds" "$name" "$@"
		is_done "$name" || planned=$((planned + seconds)) steps=$((steps + 1))
		return
	fi
	! is_done "$name" || return 0
	due=$((due + seconds))
	limit=$((due - SECONDS))
	[ $limit -ge $seconds ] || limit=$((seconds < ends - SECONDS ? seconds : ends - SECONDS))
	if [ $seconds = 0 ] && [ "$rehearsal" = 0 ]; then
		run_step "$name" "$@" &
		jobs+=($!)
	else
		run_step "$name" "$@"
	fi
}

run_step() { # NAME COMMAND...; `limit` is its time
	export limit
	local name=$1 start=$SECONDS status=0 verdict
	shift
	if [ $limit -gt 0 ]; then
		{
			timeout --kill-after=10 $limit "$@" >"$folder/$stage/$name.log" 2>&1
		} 2>/dev/null || status=$? # bash reports a kill
	else
		status=124
	fi
	case $status in
	0) verdict=ok ;;
	124 | 130 | 137)
		verdict="stopped after $limit s"
		[ $limit -gt 0 ] || verdict="left out: the stage's time is over"
		;;
	*) verdict="FAILED, status $status" ;;
	esac
	printf '%-16s %4d s  %s\n' "$name" $((SECONDS - start)) "$verdict" |
		tee -a "$folder/$stage/summary"
	pack
}

# group SECONDS: the time of the steps of 0 seconds that follow.
group() {
	local seconds=$(($1 / scale))
	[ "$mode" = plan ] && planned=$((planned + seconds)) || due=$((due + seconds))
}

print_step() { # SECONDS NAME COMMAND...
	local begins=$((begin + planned)) said
	[ "$dry" = 1 ] || return 0
	printf '%-8s %2d:%02d %4d s  %-16s %s\n' "$stage" $((begins / 60)) $((begins % 60)) "$1" \
		"$2" "${*:3}"
	[[ ${*: -1} == --resume=any ]] || return 0
	if said=$("${@:3}" --dry-run=keys 2>&1); then
		grep '^total' <<<"$said"
	else
		echo "$said" | tail -n 1
		dry_failures=$((dry_failures + 1))
	fi
}

# measure SECONDS NAME ARGUMENT...: a step that appends records to NAME.jsonl, or goes on with them.
measure() {
	step "$1" "$2" "$gpubench" "${@:3}" "${how[@]}" -o "$folder/$stage/$2.jsonl" --resume=any
}

# ---- stages --------------------------------------------------------------------------------

# The rehearsal's sizes are small enough for two cores of a CPU.
how=(--max-time=.5 --timeout=20) large=large points='*' sort_keys=2^12:2^28:x4 times=1000
traces=(teapot:25600 knot:144000 city:66000) rays=2048 bodies=64k,1M,4M rows=()
if [ "$rehearsal" = 1 ]; then
	how=(--samples=1 --warmup=0 --timeout=100) large=quick points='cbt serial *'
	sort_keys=2^12:2^14:x4 times=5 traces=(teapot:256) rays=16 bodies=1k rows=(--preset=quick)
fi
benchmarks=$(sed -n 's/^WORKLOAD(\(.*\))$/\1/p' cli/workloads/workloads.def)

stage_model() {
	local suite=$folder/model/points.suite
	step 10 env "$gpubench" env
	measure 20 constants stream cuda/copy --op=launch,latency,barrier,issue,shared,host \
		--count=2Ki --require-gpu
	[ "$rehearsal" = 1 ] || measure 10 stream stream --require-gpu
	[ "$dry" = 0 ] || suite=$(mktemp)
	python3 scripts/counts.py --points --only "$points" | sed 's/$/ --backend=cuda/' >"$suite"
	measure 80 points run --suite="$suite"
	[ "$dry" = 0 ] || rm "$suite"
}

stage_users() {
	local scene name
	for name in radix bfs cbt octree lbvh; do
		measure 4 "quick-$name" run "$name" --preset=quick --backend=cuda
		measure 4 "hot-$name" run "$name" --preset=quick --backend=cuda --hot
	done
	measure 40 radix-cub radix cuda/onesweep cuda/small cuda/cub --count=$sort_keys \
		--type=u32,u64,pairs
	measure 20 papers-octree-lf-shared octree cuda/lf-shared cuda/lf cuda/morton \
		--count=$bodies --dist=plummer,cube
	measure 90 large-bfs run bfs cuda/csr cuda/csr-do --preset=$large
	for scene in "${traces[@]}"; do
		measure 25 "trace-${scene%:*}" lbvh cuda/stack cuda/stack2 cuda/wide --op=trace \
			--scene="${scene%:*}" --primitives="${scene#*:}" --rays=$rays \
			--rays-kind=primary,shadow,ambient,random,bounce
	done
	measure 50 large-radix run radix cuda/onesweep cuda/cub --preset=$large
	measure 35 large-octree run octree cuda/morton cuda/lf-shared --preset=$large
	measure 60 large-lbvh run lbvh cuda/apetrei cuda/ploc cuda/wide --preset=$large
}

# The lines of `check` say why a variant is skipped; of a GPU without RT cores, queries are.
vulkan_found() {
	ldconfig -p | grep libvulkan.so.1 || echo "no loader is installed"
	echo "VK_DRIVER_FILES=${VK_DRIVER_FILES:-}; LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}"
	"$gpubench" env | grep -E '^vulkan|; Vulkan' || echo "Vulkan finds no GPU"
	"$gpubench" lbvh 'vulkan/*' --op=build,trace --primitives=1000 --rays=32 --samples=1 || :
}

stage_vulkan() {
	step 10 found bash -c vulkan_found
	[ "$dry" = 1 ] || "$gpubench" env | grep '; Vulkan ' >/dev/null || return 0
	step 30 check "$gpubench" check stream lbvh --backend=vulkan --require-gpu
	measure 40 vulkan lbvh 'vulkan/*' cuda/wide cuda/apetrei --op=build,trace \
		--compact=no,yes --scene=teapot,terrain,city,knot --require-gpu
}

# Set `changed` to lines "BENCHMARK VARIANT... OPTION..." of the changed variants.
find_changed() {
	[ -z "$changed" ] || return
	if [ "$rehearsal" = 1 ]; then
		changed="radix cuda/small --count=1000"
	elif [ -n "$prebuilt" ]; then
		changed=$(<"$prebuilt/changed")
	else
		changed=$(python3 scripts/counts.py --points --changed)
	fi
}
changed_variants() { # BENCHMARK
	awk -v of="$1" '$1 == of { for (i = 2; i <= NF; i++) if ($i ~ /^cuda/) print $i }' \
		<<<"$changed" | sort -u
}

# The GPU's hashes must equal the emulator's, which the archive has.
same_hashes() {
	local known=${prebuilt:-build}/hashes
	[ -s "$known" ] || {
		make -j"$(nproc)" simt >&2 && scripts/gpu-hashes.sh ./gpubench-simt >"$known"
	}
	scripts/gpu-hashes.sh "$gpubench" >"$folder/check/hashes"
	[ -s "$known" ] && diff "$known" "$folder/check/hashes" &&
		echo "$(wc -l <"$known") hashes are the emulator's"
}

# Look-back and insertion depend on the order of blocks and threads: each run is verified, and a
# hang is a time-out.  racecheck knows barriers only.  It would report octree's lf-shared and lbvh's
# fused hierarchy, which hand over shared memory by atomic operations; the executors' race checkers
# cover these two.
stage_check() {
	local sanitizer benchmark tool variants unit=${prebuilt:-build/release}/unit
	local again=(--samples="$times" --hot --verify=all)
	sanitizer=$(command -v compute-sanitizer)
	find_changed
	group 170
	for benchmark in $benchmarks; do
		step 0 "check-$benchmark" \
			"$gpubench" check "$benchmark" --backend=cuda --require-gpu
		mapfile -t variants < <(changed_variants "$benchmark")
		[ "$dry$rehearsal${sanitizer:+0}" = 000 ] && [ "${#variants[@]}" != 0 ] || continue
		for tool in memcheck initcheck synccheck racecheck; do
			[[ $tool-$benchmark != racecheck-@(octree|lbvh) ]] || continue
			step 0 "$tool-$benchmark" "$sanitizer" --tool $tool --error-exitcode 9 \
				"$gpubench" check "$benchmark" "${variants[@]}"
		done
	done
	measure 0 look-back radix cuda/onesweep cuda/split-fused --count=20k "${again[@]}"
	measure 0 insertion octree 'cuda/l*' --count=20k "${again[@]}"
	[ "$rehearsal" = 1 ] || [[ $dry == 0 && ! -x $unit ]] ||
		step 0 unit-tests \
			"$unit" --filter '@(primitives|backend|bfs_cuda|stream|variants)*/*'
	[ "$rehearsal" = 1 ] || step 0 hashes bash -c same_hashes
	[ "$mode" = plan ] || [ "${#jobs[@]}" = 0 ] || wait "${jobs[@]}"
}

stage_counters() {
	[ "$rehearsal" = 0 ] || return 0
	[ "$dry" = 1 ] || command -v ncu >/dev/null || { echo "counters: there is no ncu"; return; }
	step 330 counters bash -c counters
}
counters() {
	python3 scripts/counters.py "$gpubench" --lacking results/counters.jsonl \
		"$folder/counters/counters.jsonl" >>"$folder/counters/counters.jsonl"
}

# compare NAME ARGUMENT...: `ab`.  The verdict is in NAME.json; a slower key is no failure.  Without
# time for eight launches, `ab` launches one, and leaves its time to the next step.
compare() {
	local status=0 to=$folder/ab/$1 word words=()
	for word in "${@:2}"; do # without variants that are new
		[[ $word != cuda/* ]] || "$old" list | grep " $word " >/dev/null || continue
		words+=("$word")
	done
	[[ ${words[1]} == cuda/* ]] || { echo "all are new"; return; }
	"$gpubench" ab old="$old" new="$gpubench" --budget=$((limit > 2 ? limit - 1 : 1))s \
		--launches=16 --resume -o "$to" --format=json -- "${words[@]}" --backend=cuda \
		--samples=20 --timeout=20 >"$to.part" || status=$?
	mv "$to.part" "$to.json"
	[ $status = 0 ] || [ $status = 1 ] || [ $status = 6 ]
}
stage_ab() {
	local line words n=0 seconds
	find_changed
	seconds=$((312 / $(wc -l <<<"$changed")))
	[ $seconds -le 12 ] || seconds=12
	if [ "$dry$rehearsal" = 00 ] && [ ! -x "$old" ]; then
		echo "ab: left out: there is no $old (scripts/gpu-prebuilt.sh)"
		return
	fi
	while read -r line; do
		n=$((n + 1))
		read -ra words <<<"$line"
		step $seconds "ab-$n" bash -c 'compare "$@"' - "ab-$n" "${words[@]}"
	done <<<"$changed"
}

# fill PAPER: measure the empty cells of its tables, given the records of such GPUs, and then
# without those of the changed variants.
fill() {
	local to=$folder/papers/papers-$1 stored old
	mapfile -t stored < <(ls results/measured/"$model"*/papers-*.jsonl \
		results/measured/h100-*/stream.jsonl 2>/dev/null)
	old=$(changed_variants "$1" | sed 's|^cuda/||' | paste -sd'|')
	grep -hvE "\"bench\":\"$1\",\"backend\":\"cuda\",\"variant\":\"($old)\"" \
		"${stored[@]}" >"$to.unchanged"
	fill_from "$to" "$@" --from "${stored[@]}" && fill_from "$to" "$@" --from "$to.unchanged"
}
fill_from() { # TO WORD...
	local to=$1
	[ ! -e "$to.jsonl" ] || set -- "$@" "$to.jsonl"
	"$gpubench" repro "${@:2}" --missing --dry-run=keys --backend=cuda,vulkan \
		>"$to.cells" || return
	{
		grep '^gpubench ' "$to.cells" | grep -v cuda/serial # which takes minutes
		grep '^gpubench .*cuda/serial' "$to.cells"
	} | sed "s|^gpubench|'$(realpath "$gpubench")'|
		s|-o missing.jsonl --resume|-o '$to.jsonl' --resume=any|" >"$to.sh"
	bash -e "$to.sh"
}
stage_papers() {
	local paper
	find_changed
	for paper in radix octree lbvh bfs cbt; do
		step 30 "papers-$paper" bash -c 'fill "$@"' - $paper "${how[@]}" "${rows[@]}"
	done
}

# Large rows of radix and cbt take minutes on a CPU.
stage_cpu() {
	if [ "$rehearsal" = 1 ]; then
		measure 20 papers-radix-cpu repro radix:table1 --preset=quick --backend=cpu
		return
	fi
	measure 20 papers-radix-cpu repro radix --preset=quick --backend=cpu
	measure 30 papers-cbt-cpu repro cbt --preset=ci --backend=cpu
	measure 80 papers-bfs-cpu repro bfs --backend=cpu
	measure 60 papers-octree-cpu repro octree --backend=cpu
	measure 70 papers-lbvh-cpu repro lbvh --backend=cpu
}

# ---- run -----------------------------------------------------------------------------------

model=$(tr '[:upper:]' '[:lower:]' <<<"$gpu" | sed 's/nvidia //; s/[^a-z0-9].*//')
export -f vulkan_found same_hashes counters compare fill fill_from changed_variants
export changed gpubench old prebuilt folder scale model
dry_failures=0 begin=0 unfinished=0 changed=
for stage in "${stages[@]}"; do
	if [ "$dry" = 0 ] && [ ! -e "$folder/$stage" ]; then
		[ ! -e "$folder/$stage.tar" ] || tar -xf "$folder/$stage.tar" -C "$folder" || exit
		mkdir -p "$folder/$stage"
	fi
	mode=plan planned=0 steps=0
	"stage_$stage"
	begin=$((begin + planned))
	[ "$dry" = 0 ] || continue
	printf 'stage %s: %d steps, %d:%02d at most, %s\n' "$stage" $steps $((planned / 60)) \
		$((planned % 60)) "$tars/$stage.tar"
	echo "# $gpu, $(date -u +%Y-%m-%dT%H:%M:%SZ)" >>"$folder/$stage/summary"
	while sleep $renewed_s && kill -0 $$; do pack; done >/dev/null 2>&1 &
	renewal=$!
	mode=run due=$SECONDS ends=$((SECONDS + planned)) jobs=()
	"stage_$stage"
	{ kill $renewal && wait $renewal; } 2>/dev/null
	pack
	mode=plan steps=0
	"stage_$stage"
	unfinished=$((unfinished + steps))
done
if [ "$dry" = 1 ]; then
	printf 'all: %d:%02d; a tar for each stage: %s\n' $((begin / 60)) $((begin % 60)) \
		"${stages[*]/%/.tar}"
	[ $dry_failures = 0 ]
	exit
fi
echo "$unfinished steps are not done; the same command goes on with them"
[ $unfinished = 0 ]
