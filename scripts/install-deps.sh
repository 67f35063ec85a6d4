#!/usr/bin/env bash
# Install the packages that gpubench is built and tested with, by apt-get on Debian and Ubuntu.
#
#	scripts/install-deps.sh [--check] [build | test | vulkan-test | lint | all]
#
#	build   a C and C++ compiler, make, cJSON, Random123            (the default)
#	test    build, and Criterion, Python's jsonschema, matplotlib, pandas, yaml and scipy, and
#	        google/benchmark's compare.py
#	vulkan-test  build, and what tests the vulkan variants without a GPU: Mesa's lavapipe 25 or
#	        later, a Vulkan that runs on the CPU, in build/lavapipe, so that the system's Mesa
#	        stays as it is; the validation layer; glslangValidator
#	lint    build, and clang with its OpenMP and sanitizers, clang-tidy, clang-format
#	all     everything
#	--check  only report what is missing; the exit status is 1 if something is
#
# The script looks for commands and headers, not for packages, so a library installed by hand
# counts, and the network is not used if nothing is missing.  Optional packages are installed with
# the missing ones if they are available; only `all` installs them on their own:
#	libhwy-dev       Highway: without it the variant cpu/vqsort is left out
#	libembree-dev    Embree 4 or 3: without it the variants cpu/embree* are left out
#	libboost-dev, libips4o-dev, libtbb-dev    Boost.Sort, ips4o, oneTBB: sorts of radix
#	libgraphblas-dev SuiteSparse:GraphBLAS: without it the variant cpu/graphblas is left out
#	libpng-dev       without it pictures are .ppm only
#	libvulkan-dev    without it the vulkan variants are left out
#	help2man         without it no manual pages are installed
#	chromium         opens pages in the tests
#
# The CUDA Toolkit is not installed: without nvcc 12.0 or later the cuda variants are left out.
# Debian 13 has 12.4 (nvidia-cuda-toolkit in section non-free), with the compiler that it needs.
#
# Approximate names on other systems (Random123 is headers only; where it is not packaged, take it
# from https://github.com/DEShawResearch/random123):
#	Fedora  gcc gcc-c++ make cjson-devel criterion-devel python3-jsonschema
#	        python3-matplotlib python3-pandas python3-pyyaml python3-scipy google-benchmark
#	        clang clang-tools-extra highway-devel libpng-devel
#	Arch    base-devel cjson criterion python-jsonschema python-matplotlib python-yaml
#	        python-scipy benchmark clang highway libpng
set -euo pipefail

fail() {
	printf 'install-deps: %s\n' "$*" >&2
	exit "${status:-1}"
}

has_command() {
	command -v "$1" >/dev/null 2>&1
}

# True if a compiler finds the header; without a compiler, every header counts as missing.
has_header() {
	printf '#include <%s>\n' "$1" | "${CXX:-c++}" -E -x c++ - >/dev/null 2>&1
}

has_compilers() {
	has_command "${CC:-cc}" && has_command "${CXX:-c++}" && has_command make
}

# Use Debian's own Python, the one that its packages serve, whatever comes first in PATH.
has_module() {
	"${PYTHON:-/usr/bin/python3}" -c "import $1" >/dev/null 2>&1
}

# True if clang can build with -f$1.
clang_has() {
	printf 'int main(void){return 0;}' |
		clang -x c - "-f$1" -o /dev/null >/dev/null 2>&1
}

# need SETS PACKAGE TEST...: note PACKAGE as missing if SETS has the set asked for and TEST fails.
missing=()
need() {
	local sets=$1 package=$2
	shift 2
	case " $sets all " in
	*" $wanted "*) "$@" || missing+=("$package") ;;
	esac
}

has_validation() {
	compgen -G '/usr/share/vulkan/explicit_layer.d/*[vV]alidation*' >/dev/null
}

# The driver file of lavapipe is written last.
lavapipe=$(dirname "$0")/../build/lavapipe
wants_lavapipe() {
	[[ $wanted == vulkan-test || $wanted == all ]] && [[ ! -e $lavapipe/lvp_icd.json ]]
}

check=no wanted=build
for argument; do
	case $argument in
	--check) check=yes ;;
	build | test | vulkan-test | lint | all) wanted=$argument ;;
	-h | --help)
		sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
		exit 0
		;;
	*) status=2 fail "unknown argument '$argument'; see --help" ;;
	esac
done

need "build test vulkan-test lint" build-essential has_compilers
need "build test vulkan-test lint" libcjson-dev has_header cjson/cJSON.h
need "build test vulkan-test lint" librandom123-dev has_header Random123/philox.h
need "test" libcriterion-dev has_header criterion/criterion.h
need "test" python3-jsonschema has_module jsonschema
need "test" python3-matplotlib has_module matplotlib
need "test" python3-pandas has_module pandas
need "test" python3-yaml has_module yaml
need "test" python3-scipy has_module scipy
need "test" libbenchmark-tools test -e /usr/share/benchmark/compare.py
need "vulkan-test" libvulkan-dev has_header vulkan/vulkan.h
need "vulkan-test" glslang-tools has_command glslangValidator
need "vulkan-test" vulkan-validationlayers has_validation
need "lint" clang has_command clang
need "lint" libomp-dev clang_has openmp
need "lint" libclang-rt-dev clang_has sanitize=thread
need "lint" clang-tidy has_command clang-tidy
need "lint" clang-format has_command clang-format

optional=()
has_header hwy/contrib/sort/vqsort.h || optional+=(libhwy-dev)
has_header embree4/rtcore.h || has_header embree3/rtcore.h || optional+=(libembree-dev)
has_header boost/sort/sort.hpp || optional+=(libboost-dev)
has_header GraphBLAS.h || optional+=(libgraphblas-dev)
has_header ips4o.hpp || optional+=(libips4o-dev)
has_header tbb/parallel_sort.h || optional+=(libtbb-dev)
has_header png.h || optional+=(libpng-dev)
has_header vulkan/vulkan.h || optional+=(libvulkan-dev)
has_command help2man || optional+=(help2man)
[[ $wanted != test && $wanted != all ]] || has_command chromium || has_command chromium-browser ||
	has_command google-chrome || optional+=(chromium)

if ! wants_lavapipe && ((${#missing[@]} == 0)) &&
	{ [[ $wanted != all ]] || ((${#optional[@]} == 0)); }; then
	exit 0
fi
if [[ $check == yes ]]; then
	((${#missing[@]} == 0)) || printf 'missing: %s\n' "${missing[@]}"
	((${#optional[@]} == 0)) || printf 'missing, optional: %s\n' "${optional[@]}"
	! wants_lavapipe || printf 'missing, optional: lavapipe\n'
	exit $((${#missing[@]} > 0))
fi

if ! has_command apt-get; then
	((${#missing[@]})) || exit 0
	fail "no apt-get here; install by hand what Debian calls: ${missing[*]} (see --help)"
fi
as_root=()
if ((EUID != 0)); then
	has_command sudo ||
		fail "run as root: apt-get install --no-install-recommends" \
			"${missing[*]} ${optional[*]}"
	as_root=(sudo)
fi
# apt_get WORD...: run apt-get, again and again while another package manager holds a lock.
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
apt_get() {
	local waited=0 failed=0
	while
		failed=0
		"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
			apt-get "$@" 2>"$errors" || failed=1
		((failed && waited < 600)) &&
			grep -qE 'Could not get lock|Unable to (acquire|lock)' "$errors"
	do
		((waited)) || printf 'install-deps: %s\n' \
			'waiting for another package manager, at most 10 minutes' >&2
		sleep 5
		((waited += 5))
	done
	cat "$errors" >&2
	return $failed
}
install() {
	apt_get install -y --no-install-recommends "$@"
}

# Old package lists name versions that are gone.  Without a network, a local cache may still do.
apt_get update || printf 'install-deps: cannot update the package lists\n' >&2
if ((${#missing[@]})); then
	install "${missing[@]}" || fail "apt-get could not install: ${missing[*]}"
fi
if ((${#optional[@]})); then
	install "${optional[@]}" || for package in "${optional[@]}"; do
		install "$package" ||
			printf 'install-deps: going on without the optional %s\n' "$package" >&2
	done
fi

# Unpack mesa-vulkan-drivers of the distribution, or of its backports if that is too old for ray
# tracing, and install its dependencies.  Newer versions of installed packages are not fetched: only
# real GPUs need them.  Package lists and cache are separate, so apt's own stay as they are.
bring_lavapipe() {
	local scratch status=0
	scratch=$(mktemp -d)
	unpack_lavapipe "$scratch" || status=1
	rm -rf "$scratch"
	return $status
}
unpack_lavapipe() { # FOLDER: for downloads
	local scratch=$1 codename site package needed=() library
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	site=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
		sed -n "s/^$codename //p" | head -n 1)
	[[ -n $codename && -n $site ]] || return 1
	printf 'deb %s %s main\n' "$site" "$codename" "$site" "$codename-backports" >"$scratch/list"
	mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial"
	apt_there() {
		"$1" -o Dir::Etc::sourcelist="$scratch/list" -o Dir::Etc::sourceparts=- \
			-o Dir::State::lists="$scratch/lists" -o Dir::Cache="$scratch/cache" \
			-o APT::Sandbox::User=root "${@:2}"
	}
	apt_there apt-get -qq update || return 1
	local from=()
	apt_there apt-cache policy mesa-vulkan-drivers |
		grep -qE 'Candidate: (2[5-9]|[3-9][0-9])' || from=(-t "$codename-backports")
	(cd "$scratch" && apt_there apt-get -qq "${from[@]}" download mesa-vulkan-drivers) ||
		return 1
	for package in $(dpkg-deb -f "$scratch"/mesa-vulkan-drivers_*.deb Depends |
		sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g'); do
		dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null |
			grep -qx installed || needed+=("$package")
	done
	((${#needed[@]} == 0)) || install "${needed[@]}" || return 1
	rm -rf "$lavapipe" && mkdir -p "$lavapipe" || return 1
	dpkg-deb -x "$scratch"/mesa-vulkan-drivers_*.deb "$lavapipe" || return 1
	library=$(cd "$lavapipe" && find . -name libvulkan_lvp.so)
	[[ -n $library ]] || return 1
	printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", %s}}\n' \
		"$library" '"api_version": "1.3.0"' >"$lavapipe/lvp_icd.json"
}
! wants_lavapipe || bring_lavapipe ||
	printf 'install-deps: going on without lavapipe\n' >&2
