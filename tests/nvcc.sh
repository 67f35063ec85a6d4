#!/bin/bash
# nvcc.sh -- which nvcc the Makefile takes, by a stand-in that is of some version and takes some compilers:
# one that will not do is left out with the reason, or refused before anything is compiled if it was asked for.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL CUDA PTX SIMT NVCC nvcc_asked nvcc_version nvcc_fault nvcc_host
passed=0 failed=0

cat >"$scratch/nvcc" <<'NVCC'
#!/bin/sh
case " $* " in
*" --version "*) echo "Cuda compilation tools, release ${VERSION%.*}, V$VERSION" ;;
*" --list-gpu-code "*) echo sm_80; echo sm_90 ;;
*" -ccbin "*" -E "*) [ "$TAKES" = all ] ;;
*" -E "*) [ "$TAKES" != none ] ;;
*) echo "nvcc was called: $*" >&2; exit 1 ;;
esac
NVCC
chmod +x "$scratch/nvcc"

# expect STATUS TEXT VERSION TAKES WORD...: what make says, and the variables CUDA and nvcc_host in its data base
expect() {
	local status=$1 text=$2 got=0
	export VERSION=$3 TAKES=$4
	shift 4
	make -pn "NVCC=$scratch/nvcc" CXX=g++ "$@" help >"$scratch/out" 2>&1 || got=$?
	if [ "$got" = "$status" ] && grep -qE -- "$text" "$scratch/out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "nvcc: version $VERSION, takes $TAKES, $*: status $got, no '$text':"
		grep -E '^Makefile:|^(CUDA|nvcc_[a-z]*|cuda_absent) :?= ' "$scratch/out" || :
	fi
}

old='/nvcc is version 11.8.89, and 12.0 is the least that will do'
host='/nvcc 12.4.131 does not take g\+\+ [0-9.]+ as its host compiler'
expect 0 '^CUDA := 1$' 12.0.76 all
expect 0 '^nvcc_host := -ccbin g\+\+$' 12.4.131 all
expect 0 '^nvcc_host := *$' 12.4.131 own
expect 0 '^CUDA := 1$' 12.4.131 own
expect 0 "^Makefile:[0-9]+: the cuda variants are left out: .*$old" 11.8.89 all
expect 0 '^CUDA := 0$' 11.8.89 all
expect 0 "^cuda_absent := .*$old" 11.8.89 all
expect 2 "CUDA=1: .*$old" 11.8.89 all CUDA=1
expect 2 "PTX=90: .*$old" 11.8.89 all PTX=90
expect 0 "^Makefile:[0-9]+: the cuda variants are left out: .*$host" 12.4.131 none
expect 0 '^CUDA := 0$' 12.4.131 none
expect 2 "CUDA=1: .*$host" 12.4.131 none CUDA=1
expect 2 'CUDA=1: no nvcc was found' 0 none CUDA=1 NVCC=no-such-nvcc
expect 0 '^cuda_absent := no nvcc was found' 0 none NVCC=no-such-nvcc
expect 0 '^cuda_absent := CUDA=0 was given' 11.8.89 all CUDA=0
echo "nvcc: $passed passed, $failed failed"
[ $failed = 0 ]
