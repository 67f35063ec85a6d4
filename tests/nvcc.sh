#!/bin/bash
# nvcc.sh -- which nvcc the Makefile selects, and what it recompiles if a compiler or its flags
# change, with fake compilers of various versions.  An unsuitable nvcc is left out with the reason,
# or refused before any compilation if it was requested.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL CUDA CUDA_HOME PTX NVCC NVCCFLAGS CFLAGS CXXFLAGS LDFLAGS \
	WERROR nvcc_asked nvcc_found
passed=0 failed=0

mkdir -p "$scratch/cuda/bin"
cat >"$scratch/nvcc" <<'NVCC'
#!/bin/sh
takes() {
	[ "$1" = yes ] && echo "#define __VERSION__ \"${HOST:-12.2.0}\""
}
case " $* " in
*" --version "*) echo "Cuda compilation tools, release ${VERSION%.*}, V$VERSION" ;;
*" --list-gpu-code "*) echo sm_80; echo sm_90 ;;
*" -ccbin "*" -E "*) takes "$([ "$TAKES" = all ] && echo yes)" ;;
*" -E "*) takes "$([ "$TAKES" != none ] && echo yes)" ;;
*" -c "*" -o "*) while [ "$1" != -o ]; do shift; done; : >"$2" ;;
*) echo "nvcc was called: $*" >&2; exit 1 ;;
esac
NVCC
chmod +x "$scratch/nvcc"
cp "$scratch/nvcc" "$scratch/cuda/bin/nvcc"

check() { # NAME WANTED GOT
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "nvcc: $1: wanted '$2', got '$3'"
	fi
}

# expect STATUS TEXT VERSION TAKES WORD...: check make's status, and for TEXT in its output and data
# base
expect() {
	local status=$1 text=$2 got=0
	export VERSION=$3 TAKES=$4
	shift 4
	make -pn "NVCC=$scratch/nvcc" CXX=g++ "$@" all >"$scratch/out" 2>&1 || got=$?
	if [ "$got" = "$status" ] && grep -qE -- "$text" "$scratch/out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "nvcc: version $VERSION, takes $TAKES, $*: status $got, no '$text':"
		grep -E '^Makefile:|^(CUDA|nvcc_[a-z_]*|cuda_absent) :?= ' "$scratch/out" || :
	fi
}

old='/nvcc is version 11.8.89, and 12.0 is the least that will do'
host='/nvcc 12.4.131 does not take g\+\+ [0-9.]+ as its host compiler'
expect 0 '^CUDA := 1$' 12.0.76 all
expect 0 '^nvcc_host := -ccbin g\+\+$' 12.4.131 all
expect 0 '^nvcc_host := *$' 12.4.131 own
expect 0 '^CUDA := 1$' 12.4.131 own
expect 0 "^Makefile:[0-9]+: the cuda variants are left out: .*$old" 11.8.89 all
expect 0 "^cuda_absent := .*$old" 11.8.89 all
expect 2 "CUDA=1: .*$old" 11.8.89 all CUDA=1
expect 2 "PTX=1: .*$old" 11.8.89 all PTX=1
expect 0 "^Makefile:[0-9]+: the cuda variants are left out: .*$host" 12.4.131 none
expect 2 "CUDA=1: .*$host" 12.4.131 none CUDA=1
expect 2 'CUDA=1: no nvcc was found' 0 none CUDA=1 NVCC=no-such-nvcc
expect 0 '^cuda_absent := no nvcc was found' 0 none NVCC=no-such-nvcc
expect 0 '^cuda_absent := run make without CUDA=0' 11.8.89 all CUDA=0
# A compiler for another machine needs CUDA's libraries for that.
case $(uname -m) in
aarch64) machine=x86_64 target=x86_64-linux ;;
*) machine=aarch64 target=sbsa-linux ;;
esac
libraries=$scratch/cuda/targets/$target/lib
printf '#!/bin/sh\n[ "$1" = -dumpmachine ] && echo %s-linux-gnu || exec g++ "$@"\n' \
	$machine >"$scratch/cross"
chmod +x "$scratch/cross"
cross=(CXX="$scratch/cross" CUDA_HOME="$scratch/cuda")
expect 0 "^cuda_absent := no libcudart_static.a in $libraries\$" 12.4.131 all "${cross[@]}"
mkdir -p "$libraries"
touch "$libraries/libcudart_static.a"
expect 0 "^cudart := -L$libraries " 12.4.131 all "${cross[@]}"
expect 0 "^nvcc_host := -ccbin .*/cross -target-dir $target\$" 12.4.131 all "${cross[@]}"
expect 0 '^cuda_absent := .* does not take .*/cross' 12.4.131 own "${cross[@]}"
# An nvcc that is not on PATH but in CUDA_HOME.
if ! (PATH=/usr/bin:/bin command -v nvcc >/dev/null); then
	PATH=/usr/bin:/bin VERSION=12.4.131 TAKES=all make -pn CXX=g++ \
		CUDA_HOME="$scratch/cuda" help >"$scratch/out" 2>&1
	check "nvcc not on PATH" "nvcc := $scratch/cuda/bin/nvcc" \
		"$(grep '^nvcc := ' "$scratch/out")"
	check "its scripts' PATH" "PATH := /usr/bin:/bin:$scratch/cuda/bin/" \
		"$(grep '^PATH := ' "$scratch/out")"
fi

# Candidates: an old or a broken nvcc on PATH gives way to one that was fetched, but not if NVCC
# names it.  The reason is that of the first one.
mkdir -p "$scratch/fetched/build/nvcc/bin" "$scratch/old" "$scratch/broken"
printf '#!/bin/sh\nVERSION=13.0.88 TAKES=all exec "%s" "$@"\n' "$scratch/nvcc" \
	>"$scratch/fetched/build/nvcc/bin/nvcc"
printf '#!/bin/sh\nVERSION=11.8.89 exec "%s" "$@"\n' "$scratch/nvcc" >"$scratch/old/nvcc"
printf 'garbage' >"$scratch/broken/nvcc"
chmod +x "$scratch/fetched/build/nvcc/bin/nvcc" "$scratch/old/nvcc" "$scratch/broken/nvcc"
find_nvcc() { # FOLDER PATH WORD...: the path and the reason
	(cd "$1" && PATH=$2:/usr/bin:/bin CUDA_HOME=/nowhere "$top/scripts/find-nvcc.sh" "${@:3}" |
		awk '{ print $1, $7 }')
}
for first in old broken; do
	check "a fetched nvcc, $first" "build/nvcc/bin/nvcc -" \
		"$(find_nvcc "$scratch/fetched" "$scratch/$first")"
	check "NVCC, $first" "- $scratch/$first/nvcc" "$(find_nvcc "$scratch/fetched" \
		"$scratch/$first" "$scratch/$first/nvcc" | sed 's/\^is.*//')"
done

# ---- recompilation -------------------------------------------------------------------------

# A C and C++ compiler that only creates its output, except that it preprocesses.
cat >"$scratch/cc" <<'CC'
#!/bin/sh
case " $* " in
*" --version "*) echo "stand-in ${CCVERSION:-1}" ;;
*" -dumpmachine "*) uname -m ;;
*" -E "*) exec g++ "$@" ;;
*) while [ "$1" != -o ]; do shift; done; : >"$2" ;;
esac
CC
chmod +x "$scratch/cc"
cp "$scratch/cc" "$scratch/c++"

# The steps that make runs for one object of each kind, and for a program of one object.
made() { # WORD...
	VERSION=${VERSION:-12.4.131} TAKES=all make NVCC="$scratch/nvcc" CC="$scratch/cc" \
		CXX="$scratch/c++" BUILD="$scratch/build" SHARED="$scratch/shared" \
		objects="$scratch/shared/common/text.o" "$@" \
		"$scratch/build/cuda/stream/copy.cu.o" "$scratch/shared/cpu/radix/vqsort.o" \
		"$scratch/build/gpubench" 2>&1 |
		grep -oE '^  [A-Z]+' | sort | tr -d '\n'
}
all="  CC  CXX  HASH  LD  NVCC"
export VERSION=12.4.131 TAKES=all
check "at first" "$all" "$(made)"
check "again" "" "$(made)"
check "NVCCFLAGS" "  NVCC" "$(made NVCCFLAGS=-G)"
made >/dev/null
VERSION=12.5.40
check "another nvcc" "  NVCC" "$(made)"
check "its host compiler" "  NVCC" "$(HOST=13.1 made)"
made >/dev/null
check "CFLAGS" "$all" "$(made CFLAGS=-g)"
made >/dev/null
check "LDFLAGS" "  HASH  LD" "$(made LDFLAGS=-g)"
check "another C compiler" "$all" "$(CCVERSION=2 made)"
made >/dev/null
check "WERROR" "$all" "$(made WERROR=1)"
echo "nvcc: $passed passed, $failed failed"
[ $failed = 0 ]
