#!/bin/bash
# contributing.sh BUILD SHARED -- follows CONTRIBUTING.md: adds a variant to a copy of this tree, whose
# file is a copy of the short example.  `check` passes it, and fails it once it does not sort.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
	echo "contributing: $*"
	exit 1
}

# Compiled objects are copied, so that only what the variant touches is compiled.
tar c --exclude=./build --exclude=./.git . | tar x -C "$scratch"
for folder in "$1" "$2"; do
	mkdir -p "$scratch/$folder"
	tar c -C "$folder" --exclude=./tests --exclude='./gpubench*' --exclude='./unit*' . |
		tar x -C "$scratch/$folder"
done
[[ ! -d build/nvcc ]] || ln -s "$PWD/build/nvcc" "$scratch/build/nvcc"
line=$(grep -m 1 -o 'CPU_VARIANT(radix, mine.*)' CONTRIBUTING.md) || fail "no line for variants.def"
cd "$scratch"
sed -i "/^PEER_VARIANT(cpu, radix, qsort/i $line" common/variants.def
sed 's/radix_cpu_lsd8/radix_cpu_mine/' cpu/radix/lsd8.c >cpu/radix/mine.c

check() {
	"${MAKE:-make}" --no-print-directory "BUILD=$1" "SHARED=$2" "$1/gpubench" >out 2>&1 ||
		fail "$(grep -m 3 -i error out)"
	"$1/gpubench" check radix cpu/mine >said 2>&1 || status=$?
}
status=0
check "$@"
[[ $status == 0 ]] && grep -q 'cpu/mine *ok' said || fail "right: $(cat said)"
sed -i 's/if (!skip)/if (!skip \&\& cpu->count < 100)/' cpu/radix/mine.c
check "$@"
[[ $status == 1 ]] && grep -q 'cpu/mine *FAILED' said || fail "wrong: $(cat said)"
echo "contributing: a variant of radix in the tree"
