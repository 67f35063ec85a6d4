#!/usr/bin/env bash
# ptxas-table.sh -- registers, shared memory and spills of every kernel on every architecture.
#
# Prints one line per kernel and architecture, sorted, from what ptxas wrote beside each object of a
# build: BUILD/cuda/X.cu.ptxas.
#
#	make ptxas; scripts/ptxas-table.sh build/ptxas >results/ptxas.txt
#	                                        after an intended change
#	scripts/ptxas-table.sh --check BUILD    fail if they differ from the stored ones; BUILD may
#	                                        have only some of the architectures.  Files without
#	                                        stored numbers are only named
#
# Kernels of library peers are not listed.  The numbers depend on nvcc, whose version is the first
# line; numbers of different versions are not compared.
set -euo pipefail
cd "$(dirname "$0")/.."
check=
[ "${1:-}" != --check ] || { check=yes; shift; }
build=${1:?usage: ptxas-table.sh [--check] BUILD}
[ -d "$build" ] || { echo "ptxas-table.sh: $build is not a folder" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
format='%-24s %-7s %-56s %4s %6s %6s %6s %6s\n'

for file in $(find cuda -name '*.cu' ! -name 'cub*.cu'); do
	c++filt -p <"$build/$file.ptxas" | awk -v file="${file#cuda/}" -v format="$format" '
		/Compiling entry function/ { split($0, q, "\047"); kernel = q[2]; arch = q[4] }
		/stack frame/ { stack = $1; stores = $5; loads = $9 }
		/Used [0-9]+ registers/ {
			shared = 0
			for (i = 1; i < NF; i++) {
				if ($(i + 1) == "registers,") registers = $i
				if ($(i + 1) == "bytes" && $(i + 2) ~ /^smem/) shared = $i
			}
			gsub(/ /, "", kernel)
			printf format, file, arch, kernel, registers, stack, stores, loads, shared
		}'
done | LC_ALL=C sort >"$scratch/rows"
[ -s "$scratch/rows" ] || { echo "ptxas-table.sh: $build has no kernel" >&2; exit 1; }
{
	echo "nvcc $(nvcc --version | sed -n 's/.*release.*, V//p')"
	printf "$format" file arch kernel regs stack spill_st spill_ld shared
	cat "$scratch/rows"
} >"$scratch/table"

if [ -z "$check" ]; then
	cat "$scratch/table"
elif [ "$(head -n 1 "$scratch/table")" != "$(head -n 1 results/ptxas.txt)" ]; then
	echo "all kernels compile; registers not compared: kept for" \
		"$(head -n 1 results/ptxas.txt), here is $(head -n 1 "$scratch/table")"
else
	awk 'NR == FNR { built[$2]; next } FNR <= 2 || $2 in built' \
		"$scratch/rows" results/ptxas.txt >"$scratch/kept"
	awk 'NR == FNR { kept[$1]; next } FNR <= 2 || $1 in kept' \
		results/ptxas.txt "$scratch/table" >"$scratch/known"
	diff -u "$scratch/kept" "$scratch/known"
	awk 'NR == FNR { kept[$1]; next }
		!($1 in kept || $1 in named) {
			named[$1]
			print $1 ": not in results/ptxas.txt"
		}' results/ptxas.txt "$scratch/rows"
	echo "$(wc -l <"$scratch/rows") kernels compiled, registers and spills as kept"
fi
