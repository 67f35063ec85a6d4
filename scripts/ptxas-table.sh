#!/usr/bin/env bash
# ptxas-table.sh -- registers, shared memory and spills of every kernel on every architecture.
#
# Compiles each .cu file below cuda/ for all of them with warnings as errors and prints one line per kernel
# and architecture, sorted.
#
#	scripts/ptxas-table.sh >results/ptxas.txt    keep the numbers, after a wanted change
#	scripts/ptxas-table.sh --check               fail if they differ from the kept ones
#	ARCHS="75 90" scripts/ptxas-table.sh --check the same for some architectures, sooner
#
# The library peers are compiled too but not listed: their kernels are not ours to watch.  Numbers
# depend on nvcc: its version is the first line, and another nvcc's are compiled but not compared.
set -euo pipefail
cd "$(dirname "$0")/.."
archs=${ARCHS:-75 80 86 89 90 100 120}
known=$(nvcc --list-gpu-code)
flags=(-std=c++20 -O3 -lineinfo -I. -D_GNU_SOURCE -DGB_HAVE_CUDA=1 -DGB_HAVE_CUB=1
	-Xcompiler -Wall,-Wextra,-Wshadow,-Wno-unused-parameter,-Wno-missing-field-initializers -Werror all-warnings -Xptxas -v)
for arch in $archs; do
	grep -qx "sm_$arch" <<<"$known" && flags+=(-gencode "arch=compute_$arch,code=sm_$arch")
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# One file: "file arch kernel registers stack spill_stores spill_loads shared".
compile() {
	local file=$1 name=${1#cuda/}
	local stem=$scratch/${name//\//-}
	local log=$stem.log
	if ! nvcc "${flags[@]}" -c "$file" -o "$stem.o" >"$log" 2>&1; then
		grep -v 'ptxas info' "$log" >&2
		return 1
	fi
	case $file in
	*/cub.cu) return ;;
	esac
	c++filt -p <"$log" | awk -v file="$name" '
		/Compiling entry function/ { split($0, q, "\047"); kernel = q[2]; arch = q[4] }
		/stack frame/ { stack = $1; stores = $5; loads = $9 }
		/Used [0-9]+ registers/ {
			shared = 0
			for (i = 1; i < NF; i++) {
				if ($(i + 1) == "registers,") registers = $i
				if ($(i + 1) == "bytes" && $(i + 2) ~ /^smem/) shared = $i
			}
			gsub(/ /, "", kernel)
			printf "%-24s %-7s %-56s %4d %6d %6d %6d %6d\n", file, arch, kernel, registers,
				stack, stores, loads, shared
		}' >"$stem.rows"
}

status=0
running=0
for file in $(find cuda -name '*.cu' | sort); do
	compile "$file" &
	running=$((running + 1))
	if [ "$running" -ge "$(nproc)" ]; then
		wait -n || status=1
		running=$((running - 1))
	fi
done
while [ "$running" -gt 0 ]; do
	wait -n || status=1
	running=$((running - 1))
done
[ "$status" = 0 ] || exit 1

table=$scratch/table
{
	echo "nvcc $(nvcc --version | sed -n 's/.*release.*, V//p')"
	printf '%-24s %-7s %-56s %4s %6s %6s %6s %6s\n' \
		file arch kernel regs stack spill_st spill_ld shared
	sort "$scratch"/*.rows
} >"$table"

if [ "${1:-}" != --check ]; then
	cat "$table"
elif [ "$(head -n 1 "$table")" != "$(head -n 1 results/ptxas.txt)" ]; then
	echo "all kernels compile; registers not compared: kept for $(head -n 1 results/ptxas.txt)," \
		"here is $(head -n 1 "$table")"
else
	known_archs=$(printf 'sm_%s ' $archs)
	awk -v archs=" $known_archs" 'NR <= 2 || index(archs, " " $2 " ")' results/ptxas.txt >"$scratch/kept"
	diff -u "$scratch/kept" "$table"
	echo "$(($(wc -l <"$table") - 2)) kernels compiled, registers and spills as kept"
fi
