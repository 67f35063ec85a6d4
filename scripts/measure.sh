#!/bin/bash
# measure.sh [FOLDER [CASE...]] -- measure the records that README.md and docs/ show, by fixed
# commands: one file FOLDER/CASE.jsonl of five repetitions for each case (default:
# results/measured/cpu-<date>; all cases).
#
#	make all && scripts/measure.sh
#	scripts/measure.sh FOLDER bfs-dense-hot   measure one case again
#
# The machine should do nothing else meanwhile.  The program must be built from a clean commit,
# because the records name it.  A case that fails is reported, the others are measured, and the exit
# status is 1.  GPUBENCH is the program (default: ./gpubench).
set -u -o pipefail
cd "$(dirname "$0")/.." || exit

gpubench=${GPUBENCH:-./gpubench}
folder=${1:-results/measured/cpu-$(date +%F)}
if "$gpubench" env | grep -q '"dirty":.*true'; then
	echo "measure.sh: $gpubench was built from changed files; commit them and build again" >&2
	exit 1
fi
wanted=" ${*:2} " failures=0
mkdir -p "$folder" || exit

# measure CASE BENCHMARK ARGUMENT...: measure a case if it is wanted.
measure() {
	local name=$1 start=$SECONDS said=ok
	[[ $wanted == "  " || $wanted == *" $name "* ]] || return
	"$gpubench" "${@:2}" --quiet --overwrite --output="$folder/$name.jsonl" || {
		said="FAILED, status $?"
		failures=$((failures + 1))
	}
	printf '%-16s %4d s  %s\n' "$name" $((SECONDS - start)) "$said"
}

# Repetitions vary more than the samples of one, so each repetition takes few.
few=(--repetitions=5 --samples=5 --warmup=1)
long=(--repetitions=5 --samples=3 --warmup=1)
large=(--repetitions=5 --samples=2 --warmup=1)
hot=(--repetitions=5 --samples=20 --warmup=2 --hot)

measure stream stream cpu/copy --count=4Mi,64Mi,1Gi --threads=1,2 "${few[@]}"

measure example radix cpu/qsort cpu/vqsort cpu/best --count=10M --threads=1,2 "${long[@]}"

measure bfs-dense-hot bfs cpu/basic-queue cpu/ccam-paper cpu/csr-do cpu/ccam --vertices=16Ki \
	--p=0.05 --result=dist,parent --threads=1 --hot --repetitions=5 --warmup=2 \
	--sources=8 --samples=8
measure bfs-sparse bfs cpu/csr cpu/csr-do --graph=kronecker,uniform,grid --scale=20 --vertices=1Mi \
	--result=parent --threads=1 --hot --repetitions=5 --warmup=2 --sources=8 --samples=8
measure bfs-formats bfs cpu/ccam --vertices=16384 --p=0.02,0.05,0.06,0.07,0.15,0.32 \
	--threads=1 --sources=1 "${long[@]}"

measure cbt-cycle cbt cpu/serial cpu/descent cpu/ocbt --depth=17 --fill=0.25 --threads=1 \
	--op=reduce,decode,cycle,update "${hot[@]}"

measure octree-1m octree cpu/seq cpu/lock cpu/lf cpu/morton --count=1M \
	--distribution=plummer,cube --order=random,spatial --threads=1,2 "${few[@]}"
measure octree-16m octree cpu/lock cpu/lf cpu/morton --count=16M --distribution=plummer,cube \
	--threads=2 "${long[@]}"

measure lbvh-build lbvh cpu/karras-bitonic cpu/karras-radix cpu/apetrei cpu/ploc \
	cpu/wide cpu/embree --scene=terrain --count=300k \
	--threads=1,2 "${few[@]}"
# No city here: the reference takes minutes for one.
rays=(--op=trace --rays=1Ki --scene=teapot,knot,terrain --count=300k --threads=1 "${few[@]}")
measure lbvh-rays lbvh cpu/wide cpu/embree cpu/embree16 --rays-per-call=all,1,16 --tree=paper \
	"${rays[@]}"
measure lbvh-rays-best lbvh cpu/wide cpu/embree-medium --rays-per-call=all,1 --tree=best \
	"${rays[@]}"

# The CPU columns of the papers' tables; docs/papers.md says what they fill.
measure papers repro all --preset=quick --backend=cpu --samples=6 --timeout=20

echo "records are in $folder; these commands put them into the pages:"
echo "    sed -i 's|results/measured/cpu-[0-9-]*|$folder|' README.md docs/*.md; scripts/figures.py"
[ $failures = 0 ]
