#!/bin/bash
# measure.sh [FOLDER [CASE...]] -- measure the records that the pages in docs/ show, by fixed
# commands: one file FOLDER/CASE.jsonl for each table (default: results/measured/cpu-<date>; all
# cases).
#
#	make all && scripts/measure.sh && scripts/figures.sh results/measured/cpu-$(date +%F)
#	scripts/measure.sh FOLDER bfs-dense-hot   measure one case again
#	scripts/measure.sh FOLDER peers           the cases peers-*, measured only if asked for
#	scripts/measure.sh FOLDER scaling         the same for the cases scaling-*
#	DRY=1 scripts/measure.sh                  print the commands and their time and memory
#	SAMPLES=1 scripts/measure.sh /tmp/try     rehearse; do not keep these records
#
# `make measure` runs the first command.  The machine should do nothing else meanwhile.  The program
# must be built from a clean commit, because the records name it (a rehearsal may use any).  A case
# that fails is reported, the others are measured, and the exit status is 1.  GPUBENCH is the
# program (default: ./gpubench).  gpu-suite.sh does the same for a machine with a GPU.
set -u
cd "$(dirname "$0")/.." || exit

gpubench=${GPUBENCH:-./gpubench}
dry=${DRY:-0}
samples=${SAMPLES:-}
folder=${1:-results/measured/cpu-$(date +%F)}
if [ "$dry$samples" = 0 ] && "$gpubench" env | grep -q '^gpubench .* with changes'; then
	echo "measure.sh: $gpubench was built from changed files; commit them and build again" >&2
	exit 1
fi
[ $# = 0 ] || shift
wanted=" $* "
known=" "
failures=0

# rehearse ARGUMENT...: set the array `rehearsed` to the arguments with few samples.
rehearse() {
	local argument
	rehearsed=()
	for argument; do
		case $argument in
		--samples=* | --warmup=* | --max-time=* | --runs=*) ;;
		*) rehearsed+=("$argument") ;;
		esac
	done
	rehearsed+=(--samples="$samples" --warmup=1)
}

is_wanted() {
	case $1 in
	peers-* | scaling-*) [[ $wanted == *" ${1%%-*} "* || $wanted == *" $1 "* ]] ;;
	*) [ "$wanted" = "  " ] || [[ $wanted == *" $1 "* ]] ;;
	esac
}

# measure CASE BENCHMARK ARGUMENT...: measure a case if it is wanted; if DRY, print its command.
measure() {
	local name=$1 start=$SECONDS status=0
	shift
	known+="$name "
	is_wanted "$name" || return
	[ -z "$samples" ] || rehearse "$@"
	[ -z "$samples" ] || set -- "${rehearsed[@]}"
	if [ "$dry" = 1 ]; then
		printf '%s: gpubench %s\n' "$name" "$*"
		"$gpubench" "$@" --dry-run | grep '^total' || failures=$((failures + 1))
		return
	fi
	"$gpubench" "$@" --quiet --overwrite --output="$folder/$name.jsonl" || status=$?
	printf '%-16s %4d s  %s\n' "$name" $((SECONDS - start)) \
		"$([ $status = 0 ] && echo ok || echo "FAILED, status $status")"
	[ $status = 0 ] || failures=$((failures + 1))
}

[ "$dry" = 1 ] || mkdir -p "$folder" || exit

# Long runs take a fixed number of samples; short ones as many as the stopping rule asks for.
few=(--samples=7 --warmup=1)
short=(--max-time=2)

measure stream stream cpu/copy --count=4Mi,64Mi,1Gi --threads=1,2 "${short[@]}"

measure example radix cpu/qsort cpu/vqsort cpu/best --count=10M --threads=1,2 "${few[@]}"
measure radix-sizes radix 'cpu/*' --count=10k,1M --threads=1,2 "${short[@]}"
measure radix-types radix cpu/vqsort cpu/best --count=10M,100M --type=u32,u64,pairs --threads=1,2 \
	"${few[@]}"
measure radix-inputs radix cpu/lsd8 cpu/vqsort cpu/best --count=10M --threads=1 "${few[@]}" \
	--distribution=uniform,sorted,few,zipf,entropy4

measure bfs-dense-hot bfs cpu/basic-queue cpu/ccam-paper cpu/csr-do cpu/ccam-pull cpu/ccam \
	--vertices=16Ki --p=0.05 --result=dist,parent --threads=1 --hot --warmup=4 --sources=32 \
	--samples=32
measure bfs-dense-cold bfs cpu/csr-do cpu/ccam-pull cpu/ccam \
	--vertices=16Ki --p=0.05 --result=dist,parent --threads=1 --cold --warmup=64 --samples=64
measure bfs-sparse bfs cpu/csr cpu/csr-do --graph=kronecker,uniform,grid --scale=20 --vertices=1Mi \
	--result=parent --threads=1,2 --hot --sources=16 --samples=16
measure bfs-formats bfs cpu/ccam --vertices=16384 --p=0.02,0.05,0.06,0.07,0.15,0.32 --warps=yes \
	--threads=1 --sources=1 "${few[@]}"

measure cbt-cycle cbt 'cpu/*' --op=reduce,decode,cycle --depth=17 --fill=0.25 --threads=1 --hot \
	"${short[@]}"
measure cbt-update cbt 'cpu/*' --op=update --depth=17 --fill=0.25 --shape=random,terrain \
	--frames=16 --threads=1 --hot "${short[@]}"
measure cbt-reduce cbt cpu/stream cpu/ocbt --op=reduce --depth=20,24,28 --shape=full \
	--threads=1,2 "${short[@]}"
measure cbt-decode cbt cpu/stream --op=decode --depth=20,28 --shape=full --ids=store,sum \
	--threads=1,2 "${few[@]}"

measure octree-sizes octree cpu/seq cpu/lock cpu/lf cpu/morton \
	--count=300,1k,2k,3k,10k,30k,100k,300k,1M --dist=plummer,cube --threads=1 "${short[@]}"
measure octree-1m octree 'cpu/*' --count=1M --dist=plummer,cube --order=random,spatial \
	--threads=1,2 "${few[@]}"
measure octree-16m octree cpu/lock cpu/lf cpu/lf-amac cpu/morton --count=16M --dist=plummer,cube \
	--threads=2 "${few[@]}"

measure lbvh-build lbvh cpu/karras-bitonic cpu/karras-radix cpu/karras64 cpu/apetrei cpu/ploc \
	cpu/sah cpu/wide cpu/embree cpu/embree-morton --scene=terrain --primitives=300k \
	--threads=1,2 "${short[@]}"
measure lbvh-scenes lbvh cpu/apetrei cpu/wide cpu/embree --scene=teapot,knot,flake,soup,city \
	--primitives=300k --threads=1,2 "${short[@]}"
measure lbvh-quality lbvh cpu/apetrei cpu/karras64 cpu/ploc cpu/sah --primitives=300k --threads=2 \
	"${few[@]}" --scene=terrain,knot,flake,soup,city,teapot
measure lbvh-large lbvh cpu/apetrei cpu/wide cpu/embree --scene=terrain --primitives=1600k \
	--threads=1,2 "${few[@]}"
# No city here: the reference takes minutes for one.
scenes=(--scene=teapot,knot,terrain --primitives=300k --threads=1,2)
measure lbvh-rays lbvh cpu/wide cpu/embree cpu/packet cpu/embree16 --op=trace --tree=paper \
	"${scenes[@]}" "${few[@]}"
measure lbvh-rays-best lbvh cpu/wide cpu/embree-medium cpu/packet cpu/embree16-medium --op=trace \
	--tree=best "${scenes[@]}" "${few[@]}"

# Comparisons with the field's libraries, like with like, in five launches: `gpubench versus
# --by=peer` prints where one is faster.  Trees come in three kinds: two children per node, ready
# for traversal, and best quality.
often=(--runs=5 --max-time=0.5 --min-samples=5 --timeout=20)
measure peers-radix-sizes radix cpu/best cpu/lsd8 cpu/vqsort cpu/qsort \
	--count=1k,3k,10k,30k,100k,300k,1M,3M,10M --type=u32,u64,pairs --threads=1,2 "${often[@]}"
measure peers-radix-inputs radix cpu/best cpu/lsd8 cpu/vqsort --count=1M --type=u32,u64 \
	--threads=1,2 "${often[@]}" \
	--distribution=uniform,entropy3,entropy5,zipf,few,constant,sorted,reverse
scenes=(--scene=teapot,terrain,city,soup,knot --primitives=100k)
measure peers-build-binary lbvh cpu/karras64 cpu/apetrei cpu/embree-morton "${scenes[@]}" \
	--threads=1,2 "${often[@]}"
measure peers-build-wide lbvh cpu/wide cpu/embree "${scenes[@]}" --threads=1,2 "${often[@]}"
measure peers-build-quality lbvh cpu/ploc cpu/sah cpu/embree-medium "${scenes[@]}" --threads=1,2 \
	"${often[@]}"
tracers=(cpu/wide cpu/packet cpu/embree cpu/embree-medium cpu/embree8 cpu/embree16
	cpu/embree16-medium)
rays=(--op=trace --rays=256 "${scenes[@]}" --threads=1)
measure peers-trace-coherent lbvh "${tracers[@]}" "${rays[@]}" --rays-kind=primary,shadow \
	"${often[@]}"
measure peers-trace-incoherent lbvh "${tracers[@]}" "${rays[@]}" \
	--rays-kind=ambient,random,bounce "${often[@]}"
known+="peers "

# Each multi-threaded variant on one and on two threads: `gpubench versus --by=threads`.
measure scaling-stream stream cpu/copy --count=64Mi,1Gi --threads=1,2 "${few[@]}"
measure scaling-radix radix cpu/split-omp cpu/lsd8 cpu/best --count=1M,10M --type=u32,u64,pairs \
	--threads=1,2 "${few[@]}"
measure scaling-bfs bfs cpu/csr cpu/csr-do --graph=uniform,kronecker,grid --scale=18 \
	--vertices=256Ki --threads=1,2 "${few[@]}"
measure scaling-cbt cbt cpu/descent cpu/stream cpu/ocbt --op=reduce,decode --depth=20,26 \
	--shape=full --ids=sum --threads=1,2 "${few[@]}"
measure scaling-octree octree cpu/lock cpu/lf cpu/lf-amac cpu/morton --count=1M \
	--dist=plummer,cube --threads=1,2 "${few[@]}"
measure scaling-build lbvh cpu/karras-radix cpu/karras64 cpu/apetrei cpu/ploc cpu/sah cpu/wide \
	--scene=terrain,soup --primitives=300k --threads=1,2 "${few[@]}"
measure scaling-trace lbvh cpu/stack cpu/wide cpu/packet --op=trace --rays=512 \
	--scene=terrain,knot --primitives=100k --threads=1,2 "${few[@]}"
known+="scaling "

for name in $wanted; do
	[[ $known == *" $name "* ]] ||
		{ echo "measure.sh: there is no case $name; cases:$known" >&2; exit 2; }
done
[ "$dry$samples" != 0 ] ||
	echo "records are in $folder; scripts/figures.sh $folder puts them into the pages"
[ $failures = 0 ]
