#!/bin/bash
# gpu-prebuilt.sh FILE.tar.gz [COMMIT] -- pack what scripts/gpu-suite.sh needs on a machine without
# compilers, libraries or network: gpubench, the unit tests, the libraries of both, loaders of
# Vulkan and OpenGL, the emulator's hashes, the list of changed variants, and old/gpubench, built
# from COMMIT (default: the commit of the records that scripts/model.py compares with).
#
#	SMS=90 scripts/gpu-prebuilt.sh build/gpu.tar.gz    # for an H100 or H200, with nvcc
#
# A program of an old commit is built in build/old-COMMIT, a git worktree that stays.  CUDA=0 packs
# programs without CUDA, to try this script.  Large libraries that no step uses are left out.
set -eu
case ${1:--} in
-*)
	sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
	exit 2
	;;
esac
out=$(realpath -m "$1")
cd "$(dirname "$0")/.."
commit=${2:-$(python3 -c 'import sys; sys.path.insert(0, "scripts"); import model
print(model.measured_commit())')}
git cat-file -e "$commit^{commit}" || exit 2

build() { # FOLDER WORD...
	make -C "$1" -j"$(nproc)" have_embree=0 have_graphblas=0 ${SMS:+SMS="$SMS"} \
		${CUDA:+CUDA="$CUDA"} ${CC:+CC="$CC"} ${CXX:+CXX="$CXX"} "${@:2}"
}
tree=build/old-$commit
[ -e "$tree" ] || git worktree add --detach "$tree" "$commit"
build "$tree" all
build . BUILD=build/prebuilt SHARED=build/prebuilt \
	build/prebuilt/{gpubench,unit,nvml.so}
make -j"$(nproc)" simt

pack=$(mktemp -d)
trap 'rm -rf "$pack"' EXIT
mkdir "$pack/old" "$pack/lib"
install -s build/prebuilt/{gpubench,unit} "$pack"
install -s "$tree/build/release/gpubench" "$pack/old"
cp build/prebuilt/nvml.so "$pack"
# glibc, which must fit the machine's kernel and loader, and the GPU's driver stay the machine's.
ldd "$pack/gpubench" "$pack/unit" "$pack/old/gpubench" | awk '$3 ~ /^\// { print $3 }' | sort -u |
	grep -vE '/(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|cuda|nvidia-ml))\.so' |
	xargs cp -Lt "$pack/lib"
# NVIDIA's driver may need the others too.
for name in libvulkan.so.1 libEGL.so.1 libGLX.so.0 libGLdispatch.so.0; do
	path=$(ldconfig -p | sed -n "s/.*$name .*=> //p" | head -n 1)
	[ -n "$path" ] && cp -L "$path" "$pack/lib/$name" || echo "$name is not installed here" >&2
done
scripts/gpu-hashes.sh ./gpubench-simt >"$pack/hashes"
scripts/counts.py --points --changed "$commit" >"$pack/changed"
tar -czf "$out" -C "$pack" .
ls -l "$out"
