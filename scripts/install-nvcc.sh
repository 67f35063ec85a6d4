#!/usr/bin/env bash
# install-nvcc.sh [--check] -- put NVIDIA's compiler into build/nvcc, from wheels of the Python
# package index, for a machine without an nvcc 12.0 or later.
#
#	--check  download nothing; the exit status is 1 if build/nvcc is missing or out of date
#
# build/nvcc then serves as CUDA_HOME: nvcc and ptxas 13.0, CUB, libcu++ and the static runtime.
# pip fetches the files as it is configured (index, proxy, certificates) and checks their SHA-256.
#
# On a failure, one line says why, the exit status is 1, and build/ keeps only the output of pip, in
# install-nvcc.log.  An installed driver older than 580, or GPUs that are all older than compute
# capability 7.5, cannot run code of CUDA 13.0: nothing is installed then.
set -euo pipefail

# Each has the hash of its file for x86_64 and of that for aarch64.
pins='nvidia-cuda-nvcc==13.0.88
	--hash=sha256:56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03
	--hash=sha256:c7ff28f86a24effdc6c034fa15230c549a273e4771b10a7fec14996f8cf3307f
nvidia-nvvm==13.0.88
	--hash=sha256:c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0
	--hash=sha256:c4376a291d72d22a315d9d2f69bdae8f8cd83a627f75bad395cee49a0fe65dc1
nvidia-cuda-crt==13.0.88
	--hash=sha256:2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4
	--hash=sha256:ee2ea2a97073e02ee62bb27841f437332be2c248e3eac013df07997ada39c003
nvidia-cuda-runtime==13.0.96
	--hash=sha256:7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548
	--hash=sha256:ef9bcbe90493a2b9d810e43d249adb3d02e98dd30200d86607d8d02687c43f55
nvidia-cuda-cccl==13.0.85
	--hash=sha256:e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649
	--hash=sha256:6f0203e29fed809ee2b7fe9b1344df66ecab990c37d6a2e0e189b26d6c97ed7c
nvidia-nvtx==13.0.85
	--hash=sha256:4936d1d6780fbe68db454f5e72a42ff64d1fd6397df9f363ae786930fd5c1cd4
	--hash=sha256:cb7780edb6b14107373c835bf8b72e7a178bac7367e23da7acb108f973f157a6
nvidia-cuda-profiler-api==13.0.85
	--hash=sha256:73d2671deac833db6686d6fbde4753fa3a3a497d87540fc246f081f375243f66
	--hash=sha256:b307d61f574ab60666d0b2cb204738338dbd0e05a9fa609eaab198222f0a13c2'
download=105 needed=400 # MB; `needed` includes the download and what it unpacks to
driver_min=580 capability_min=7.5

fail() {
	printf 'install-nvcc: the CUDA variants are left out: %s\n' "$*" >&2
	exit 1
}
instead="use CUDA=0, or an nvcc 12.0 or later on PATH"

# build/nvcc appears as a whole, with the pins that it was made from.
is_installed() {
	[[ -x build/nvcc/bin/nvcc && $(cat build/nvcc/pins 2>/dev/null) == "$pins" ]]
}

cd "$(dirname "$0")/.."
case ${1:-} in
'') ! is_installed || exit 0 ;;
--check)
	is_installed
	exit
	;;
*)
	sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
	exit 2
	;;
esac

# ---- what this machine has -----------------------------------------------------------------------

case $(uname -m) in
x86_64 | aarch64) ;;
*) fail "NVIDIA has no compiler for $(uname -m); $instead" ;;
esac

# gpu_value NAME: the largest of all GPUs; empty without a working driver.
gpu_value() {
	nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null |
		grep -xE '[0-9]+\.[0-9.]+' | sort -V | tail -n 1
}
at_least() { # VERSION LEAST
	[[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]
}
driver=$(gpu_value driver_version) ||
	driver=$(grep -m 1 -oE ' [0-9]{3,}\.[0-9.]+' /proc/driver/nvidia/version 2>/dev/null) || :
driver=${driver# }
[[ -z $driver ]] || at_least "$driver" $driver_min ||
	fail "code of CUDA 13.0 needs an NVIDIA driver $driver_min or later, and this is $driver;" \
		"use a CUDA 12 toolkit or CUDA=0"
capability=$(gpu_value compute_cap) || :
[[ -z $capability ]] || at_least "$capability" $capability_min ||
	fail "CUDA 13.0 needs a GPU of compute capability $capability_min or later," \
		"and this has $capability; use a CUDA 12 toolkit or CUDA=0"

for python in "${PYTHON:-/usr/bin/python3}" python3 ''; do
	[[ -n $python ]] || fail "fetching nvcc needs python3 with pip:" \
		"install python3-pip, or $instead"
	! "$python" -c 'import pip' >/dev/null 2>&1 || break
done

# ---- download ------------------------------------------------------------------------------------

# The log is the lock, too.  pip inherits it: if only this script is killed, the next one waits.
log=build/install-nvcc.log
{ mkdir -p build && exec 9>>"$log"; } 2>/dev/null || fail "cannot write into $PWD/build"
if ! flock -n 9; then
	echo "install-nvcc: waiting for another install-nvcc.sh"
	flock 9 || : # a file system without locks
fi
! is_installed || exit 0
trap 'rm -rf build/nvcc.??????' EXIT
trap 'exit 130' INT TERM HUP
rm -rf build/nvcc.?????? # of one that was killed

free=$(($(df -k --output=avail build | tail -n 1) / 1024))
((free >= needed)) ||
	fail "nvcc needs $needed MB in $PWD/build, which has $free MB free; $instead"
echo "install-nvcc: downloading NVIDIA's compiler (CUDA 13.0, $download MB) from the Python" \
	"package index, under NVIDIA's license; to avoid this, $instead"

new=$(mktemp -d build/nvcc.XXXXXX)
printf '%s\n' "${pins//$'\n\t'/ }" >"$new/requirements"

# why: the reason that pip's output gives
why() {
	case $(<"$log") in
	*'DO NOT MATCH THE HASHES'*)
		echo "a file is truncated or not the original (wrong SHA-256)"
		;;
	*'No space left'* | *'quota exceeded'*) echo "the disk is full" ;;
	*'onnection broken'* | *'onnection aborted'* | *incomplete-download* | *'timed out'*)
		echo "no lasting connection to the package index"
		;;
	*'No matching distribution'*)
		echo "the package index, or a proxy, answers without the files"
		;;
	*) sed -n 's/^ERROR: //p' "$log" | tail -n 1 | grep . || echo "pip failed" ;;
	esac
}
PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_RETRIES=${PIP_RETRIES:-1} TMPDIR=$PWD/$new \
	"$python" -m pip install --disable-pip-version-check --no-input --progress-bar=off \
	--no-cache-dir --no-compile --no-deps --only-binary=:all: --require-hashes \
	--target="$new/wheels" -r "$new/requirements" >"$log" 2>&1 ||
	fail "cannot download nvcc: $(why); see $log; $instead"

# The libraries are in lib, but nvcc and make look in lib64.
toolkit=$new/wheels/nvidia/cu13
{
	chmod +x "$toolkit"/bin/* "$toolkit"/nvvm/bin/* &&
		ln -s lib "$toolkit/lib64" &&
		cp "$new"/wheels/nvidia_cuda_nvcc-*/licenses/License.txt "$toolkit" &&
		printf '%s\n' "$pins" >"$toolkit/pins" &&
		"$toolkit/bin/nvcc" --version &&
		rm -rf build/nvcc && mv "$toolkit" build/nvcc
} >>"$log" 2>&1 || fail "nvcc was downloaded but does not run; see $log; $instead"
