#!/usr/bin/env bash
# Install what gpubench is built and tested with, by apt-get on Debian and Ubuntu.
#
#	scripts/install-deps.sh [--check] [build | test | lint | all]
#
#	build   a C and C++ compiler, make, cJSON, Random123            (the default)
#	test    build, and Criterion, Python's jsonschema, matplotlib, yaml and scipy, and
#	        google/benchmark's compare.py
#	lint    build, and clang with its OpenMP and sanitizers, clang-tidy, clang-format
#	all     everything
#	--check  only tell what is missing; exit status 1 if something is
#
# What is there is found by its command or header, not by its package, so that a library installed
# by hand counts, and nothing is asked of the network when all is there.  Optional are Highway
# (libhwy-dev) and Embree 4 or 3 (libembree-dev), without which the build leaves the variants cpu/vqsort
# and cpu/embree* out, libpng (libpng-dev), without which pictures are .ppm only, and SQLite
# (libsqlite3-dev), without which `history` keeps no index; for the tests also Chromium, in which pages
# are opened.  They are installed along with the rest if they can be had, and on their own only by `all`.
#
# The CUDA Toolkit is not installed here: without nvcc 12.0 or later the cuda variants are left out.
# Debian 13 has 12.4 (nvidia-cuda-toolkit in section non-free), with the compiler that it takes.
#
# The same things elsewhere are called about so; Random123 is headers only, from
# https://github.com/DEShawResearch/random123 where it is not packaged:
#	Fedora  gcc gcc-c++ make cjson-devel criterion-devel python3-jsonschema
#	        python3-matplotlib python3-pandas python3-pyyaml python3-scipy google-benchmark clang
#	        clang-tools-extra highway-devel libpng-devel sqlite-devel
#	Arch    base-devel cjson criterion python-jsonschema python-matplotlib python-yaml
#	        python-scipy benchmark clang highway libpng sqlite
set -euo pipefail

fail() {
	printf 'install-deps: %s\n' "$*" >&2
	exit "${status:-1}"
}

has_command() {
	command -v "$1" >/dev/null 2>&1
}

# A header is there if a compiler finds it; without one nothing can be told, and it is missing.
has_header() {
	printf '#include <%s>\n' "$1" | "${CXX:-c++}" -E -x c++ - >/dev/null 2>&1
}

has_compilers() {
	has_command "${CC:-cc}" && has_command "${CXX:-c++}" && has_command make
}

# Debian's own Python: the one that its packages serve, whatever comes first in PATH.
has_module() {
	"${PYTHON:-/usr/bin/python3}" -c "import $1" >/dev/null 2>&1
}

# Whether clang can build with -f$1.
clang_has() {
	printf 'int main(void){return 0;}' |
		clang -x c - "-f$1" -o /dev/null >/dev/null 2>&1
}

# need SETS PACKAGE TEST...: note PACKAGE as missing if it is in the set asked for and TEST fails.
missing=()
need() {
	local sets=$1 package=$2
	shift 2
	case " $sets all " in
	*" $wanted "*) "$@" || missing+=("$package") ;;
	esac
}

check=no wanted=build
for argument; do
	case $argument in
	--check) check=yes ;;
	build | test | lint | all) wanted=$argument ;;
	-h | --help)
		sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
		exit 0
		;;
	*) status=2 fail "unknown argument '$argument'; see --help" ;;
	esac
done

need "build test lint" build-essential has_compilers
need "build test lint" libcjson-dev has_header cjson/cJSON.h
need "build test lint" librandom123-dev has_header Random123/philox.h
need "test" libcriterion-dev has_header criterion/criterion.h
need "test" python3-jsonschema has_module jsonschema
need "test" python3-matplotlib has_module matplotlib
need "test" python3-pandas has_module pandas
need "test" python3-yaml has_module yaml
need "test" python3-scipy has_module scipy
need "test" libbenchmark-tools test -e /usr/share/benchmark/compare.py
need "lint" clang has_command clang
need "lint" libomp-dev clang_has openmp
need "lint" libclang-rt-dev clang_has sanitize=thread
need "lint" clang-tidy has_command clang-tidy
need "lint" clang-format has_command clang-format

optional=()
has_header hwy/contrib/sort/vqsort.h || optional+=(libhwy-dev)
has_header embree4/rtcore.h || has_header embree3/rtcore.h || optional+=(libembree-dev)
has_header png.h || optional+=(libpng-dev)
has_header sqlite3.h || optional+=(libsqlite3-dev)
[[ $wanted != test && $wanted != all ]] || has_command chromium || has_command chromium-browser ||
	has_command google-chrome || optional+=(chromium)

if ((${#missing[@]} == 0)) && { [[ $wanted != all ]] || ((${#optional[@]} == 0)); }; then
	exit 0
fi
if [[ $check == yes ]]; then
	((${#missing[@]} == 0)) || printf 'missing: %s\n' "${missing[@]}"
	((${#optional[@]} == 0)) || printf 'missing, optional: %s\n' "${optional[@]}"
	exit $((${#missing[@]} > 0))
fi

if ! has_command apt-get; then
	((${#missing[@]})) || exit 0
	fail "no apt-get here; install by hand what Debian calls: ${missing[*]} (see --help)"
fi
as_root=()
if ((EUID != 0)); then
	has_command sudo ||
		fail "run as root: apt-get install --no-install-recommends ${missing[*]} ${optional[*]}"
	as_root=(sudo)
fi
install() {
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends "$@"
}

# Old package lists name versions that are gone.  Without a network a local cache may still do.
"${as_root[@]}" apt-get update || printf 'install-deps: cannot update the package lists\n' >&2
if ((${#missing[@]})); then
	install "${missing[@]}" || fail "apt-get could not install: ${missing[*]}"
fi
if ((${#optional[@]})); then
	install "${optional[@]}" || for package in "${optional[@]}"; do
		install "$package" ||
			printf 'install-deps: going on without the optional %s\n' "$package" >&2
	done
fi
