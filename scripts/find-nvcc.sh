#!/bin/sh
# find-nvcc.sh [NVCC] -- the first nvcc that can compile for the C++ compiler CXX, for the Makefile.
#
# Candidates are NVCC alone, if it is given, else nvcc on PATH, in CUDA_HOME (by default
# /usr/local/cuda), and the one that scripts/install-nvcc.sh unpacks into build/nvcc.  One line with
# seven words is printed, blanks in a word as "^" and an empty word as "-":
#
#	PATH VERSION FOLDER FOLDER-OF-LIBRARIES HOST-OPTIONS VERSION-OF-HOST-COMPILER REASON
#
# REASON says why the first candidate cannot be used; it is empty if one was found.
cxx=${CXX:-g++}
home=${CUDA_HOME:-/usr/local/cuda}
built=build/nvcc/bin/nvcc # relative, because make takes no path with a blank
[ $# -gt 0 ] && [ "$1" != nvcc ] && given=$1 || given=
least=12

# The folder of CUDA's libraries for another machine, if CXX compiles for one.
machine=$($cxx -dumpmachine 2>/dev/null)
machine=${machine%%-*}
case $machine in
'' | "$(uname -m)") target= ;;
aarch64) target=sbsa-linux ;;
*) target=$machine-linux ;;
esac

word() {
	printf '%s ' "$(printf '%s' "${1:--}" | tr ' ' '^')"
}
# host_version OPTION...: the version of the host compiler, or empty if nvcc rejects it.
host_version() {
	"$path" "$@" -std=c++20 -x cu -E -Xcompiler -dM /dev/null 2>/dev/null |
		sed -n 's/^.define __VERSION__ "\(.*\)"/\1/p'
}
# try PATH: set the words for this nvcc, and `reason` if it cannot be used.
try() {
	path=$1 reason= host= compiler=
	version=$("$path" --version 2>/dev/null | sed -n 's/.*release.*, V//p')
	root=$(realpath "$path")
	root=${CUDA_HOME:-${root%/bin/*}}
	[ "$path" != $built ] || root=${built%/bin/*}
	library=$root/lib64
	[ -d "$library" ] || library=$root/lib
	[ -z "$target" ] || library=$root/targets/$target/lib
	if ! [ "${version%%.*}" -ge $least ] 2>/dev/null; then
		reason="$path is version ${version:-unknown}, and $least.0 is the least that will do"
	elif [ -n "$target" ] && [ ! -e "$library/libcudart_static.a" ]; then
		reason="no libcudart_static.a in $library"
	else
		host="-ccbin $cxx${target:+ -target-dir $target}"
		compiler=$(host_version $host)
		if [ -z "$compiler" ] && [ -z "$target" ]; then
			host=
			compiler=$(host_version)
		fi
		[ -n "$compiler" ] || reason="$path $version does not take $cxx $($cxx -dumpversion \
			2>/dev/null) as its host compiler"
	fi
	[ -z "$reason" ]
}

first=
found=no
for candidate in "${given:-nvcc}" ${given:-"$home/bin/nvcc" "$built"}; do
	candidate=$(command -v "$candidate" 2>/dev/null) || continue
	if try "$candidate"; then
		found=yes
		break
	fi
	[ -n "$first" ] || first=$reason
done
[ $found = yes ] || path= version= root= library= host= compiler= reason=${first:-no nvcc was found}
for value in "$path" "$version" "$root" "$library" "$host" "$compiler" "$reason"; do
	word "$value"
done
echo
