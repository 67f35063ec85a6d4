#!/usr/bin/env bash
# Install the packages that gpubench is built and tested with, by apt-get on Debian and Ubuntu.
# Without apt-get it lists what is missing.
#
#	scripts/install-deps.sh [--check] [build | test | vulkan-test | lint | arm | all]
#	scripts/install-deps.sh --prefix=FOLDER [build]
#
#	build   a C and C++ compiler, make, cJSON, zlib, Random123      (the default)
#	test    build, and Criterion, curl, Python's jsonschema, matplotlib, pandas and pip
#	vulkan-test  build, and what tests the vulkan variants without a GPU: Mesa's lavapipe 25 or
#	        later, a Vulkan that runs on the CPU, in build/lavapipe, so that the system's Mesa
#	        stays as it is; the validation layer; glslangValidator
#	lint    build, and clang with its OpenMP and sanitizers, clang-tidy, clang-format
#	arm     build, and a cross compiler for aarch64, for `make test-long`
#	all     everything but arm
#	--check  only report what is missing; the exit status is 1 if that is not optional
#	--prefix=FOLDER  unpack packages of Debian or Ubuntu into FOLDER, without root; the build
#	        then uses FOLDER/compilers, by build/deps.mk
#
# The script looks for commands and headers, not for packages, so a library installed by hand
# counts, and the network is not used if nothing is missing.  Optional packages are installed with
# the missing ones if they are available; only `all` installs them on their own:
#	libhwy-dev       Highway 1.0: without it the variant cpu/vqsort is left out
#	libembree-dev    Embree 4 or 3: without it the variants cpu/embree* are left out
#	libboost-dev     Boost.Sort: without it the variant cpu/boost-pdq is left out
#	libgraphblas-dev SuiteSparse:GraphBLAS: without it the variant cpu/graphblas is left out
#	libpng-dev       without it pictures are .ppm only
#	libvulkan-dev    without it the vulkan variants are left out
#	python3-pip      without it, and without nvcc, scripts/install-nvcc.sh cannot fetch nvcc
#	chromium         opens pages in the tests
#
# The CUDA Toolkit is not installed: scripts/install-nvcc.sh fetches NVIDIA's compiler into build/.
# Debian 13 has 12.4 (nvidia-cuda-toolkit in section non-free), with the compiler that it needs.
set -euo pipefail

fail() {
	printf 'install-deps: %s\n' "$*" >&2
	exit "${status:-1}"
}

has_command() {
	command -v "$1" >/dev/null 2>&1
}

# CC and CXX may be several words, as in make: "ccache g++".
read -ra cc <<<"${CC:-cc}"
read -ra cxx <<<"${CXX:-g++}"

# True if a compiler finds the header; without a compiler, every header counts as missing.
has_header() {
	printf '#include <%s>\n' "$1" | "${cxx[@]}" -E -x c++ - >/dev/null 2>&1
}

has_compilers() {
	has_command "${cc[0]}" && has_command "${cxx[0]}" && has_command make
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
	[[ $sets == arm ]] || sets+=" all"
	case " $sets " in
	*" $wanted "*) "$@" || missing+=("$package") ;;
	esac
}

has_validation() {
	compgen -G '/usr/share/vulkan/explicit_layer.d/*[vV]alidation*' >/dev/null
}

# The driver file of lavapipe is written last.
top=$(realpath "$(dirname "$0")/..")
lavapipe=$top/build/lavapipe
wants_lavapipe() {
	[[ $wanted == vulkan-test || $wanted == all ]] && [[ ! -e $lavapipe/lvp_icd.json ]]
}

check=no wanted=build folder=
for argument; do
	case $argument in
	--check) check=yes ;;
	--prefix=?*) folder=$(realpath -m -- "${argument#*=}") ;;
	build | test | vulkan-test | lint | arm | all) wanted=$argument ;;
	-h | --help)
		sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
		exit 0
		;;
	*) status=2 fail "unknown argument '$argument'; see --help" ;;
	esac
done
if [[ -n $folder ]]; then
	[[ $wanted == build && $check == no ]] ||
		status=2 fail "--prefix takes neither --check nor the set '$wanted'"
	[[ $folder != *[[:space:]\'\"\$\`\\\#\&,:\;\|\<\>\(\)\*\?]* ]] ||
		status=2 fail "--prefix=$folder: make, sh or ld takes no path with a space or" \
			"one of '\"\$\`\\#&,:;|<>()*?"
	[[ -e $folder/compilers || -z $(ls -A "$folder" 2>/dev/null) ]] ||
		status=2 fail "--prefix=$folder: the folder has other files"
	# Packages that were unpacked there before count.
	if [[ -x $folder/compilers/g++ ]]; then
		cc=("$folder/compilers/gcc") cxx=("$folder/compilers/g++")
	fi
fi

need "build test vulkan-test lint arm" build-essential has_compilers
need "build test vulkan-test lint arm" libcjson-dev has_header cjson/cJSON.h
need "build test vulkan-test lint arm" zlib1g-dev has_header zlib.h
need "build test vulkan-test lint arm" librandom123-dev has_header Random123/philox.h
need "test" libcriterion-dev has_header criterion/criterion.h
need "test" curl has_command curl
need "test" python3-jsonschema has_module jsonschema
need "test" python3-matplotlib has_module matplotlib
need "test" python3-pandas has_module pandas
need "test" python3-pip has_module pip
need "vulkan-test" libvulkan-dev has_header vulkan/vulkan.h
need "vulkan-test" glslang-tools has_command glslangValidator
need "vulkan-test" vulkan-validationlayers has_validation
need "lint" clang has_command clang
need "lint" libomp-dev clang_has openmp
need "lint" libclang-rt-dev clang_has sanitize=thread
need "lint" clang-tidy has_command clang-tidy
need "lint" clang-format has_command clang-format
need "arm" gcc-aarch64-linux-gnu has_command aarch64-linux-gnu-gcc
need "arm" g++-aarch64-linux-gnu has_command aarch64-linux-gnu-g++

optional=()
has_header hwy/contrib/sort/vqsort.h || optional+=(libhwy-dev)
has_header embree4/rtcore.h || has_header embree3/rtcore.h || optional+=(libembree-dev)
has_header boost/sort/sort.hpp || optional+=(libboost-dev)
has_header GraphBLAS.h || optional+=(libgraphblas-dev)
has_header png.h || optional+=(libpng-dev)
has_header vulkan/vulkan.h || optional+=(libvulkan-dev)
has_command nvcc || has_module pip || optional+=(python3-pip)
[[ $wanted != test && $wanted != all ]] || has_command chromium || has_command chromium-browser ||
	has_command google-chrome || optional+=(chromium)

# The build uses the compilers in the folder.
use_folder() {
	mkdir -p "$top/build"
	printf 'export %s\n' "CC := $folder/compilers/gcc" "CXX := $folder/compilers/g++" \
		>"$top/build/deps.mk"
	printf 'install-deps: the build uses %s\n' "$folder/compilers"
}
if ((${#missing[@]} == 0)) && [[ -n $folder && ${cxx[0]} == "$folder"/* ]]; then
	use_folder
	exit 0
fi

if [[ $check == yes ]]; then
	((${#missing[@]} == 0)) || printf 'missing: %s\n' "${missing[@]}"
	((${#optional[@]} == 0)) || printf 'missing, optional: %s\n' "${optional[@]}"
	! wants_lavapipe || printf 'missing, optional: lavapipe\n'
	((${#missing[@]} == 0))
	exit
fi
if ! wants_lavapipe && ((${#missing[@]} == 0)) &&
	{ [[ $wanted != all ]] || ((${#optional[@]} == 0)); }; then
	exit 0
fi

if ! has_command apt-get; then
	((${#missing[@]})) || exit 0
	fail "no apt-get here; install by hand what Debian calls: ${missing[*]} (see --help)"
fi

# ---- without root --------------------------------------------------------------------------------

# apt-get with lists, cache and state of its own.
apt_apart() {
	apt-get -qq -o Dir::State="$scratch" -o Dir::State::status="$scratch/status" \
		-o Dir::Cache="$scratch" -o Debug::NoLocking=1 \
		-o APT::Sandbox::User="$(id -un)" --no-install-recommends "$@"
}
# Compilers of the system use what it has installed, so only the rest is unpacked.  Without
# compilers, all is unpacked that new ones need, except the C library, since a process has one.
unpack_packages() {
	local package packages=() others=() file
	mkdir -p "$scratch/lists/partial" "$scratch/archives/partial" "$folder/compilers" ||
		return 1
	: >"$scratch/status"
	! has_compilers || cp /var/lib/dpkg/status "$scratch/status"
	apt_apart update || return 1
	read -ra packages <<<"${missing[*]/#build-essential/g++ make libc6-dev}"
	for package in "${optional[@]}"; do # pip would need a python of its own
		[[ $package == python3-pip ]] || others+=("$package")
	done
	if ! apt_apart -s install "${packages[@]}" "${others[@]}" >"$scratch/plan" 2>/dev/null; then
		for package in "${others[@]}"; do
			! apt_apart -s install "$package" >/dev/null 2>&1 || packages+=("$package")
		done
		apt_apart -s install "${packages[@]}" >"$scratch/plan" || return 1
	fi
	mapfile -t packages < <(sed -n 's/^Inst \([^ ]*\) (.*/\1/p' "$scratch/plan" |
		grep -vx libc6)
	(cd "$scratch" && apt_apart download "${packages[@]}") || return 1
	for file in bin lib lib64 sbin; do
		mkdir -p "$folder/usr/$file"
		ln -sfn "usr/$file" "$folder/$file"
	done
	for file in "$scratch"/*.deb; do
		dpkg-deb -x "$file" "$folder" || return 1
	done
	for file in $(dpkg-query -L "libc6:$(dpkg --print-architecture)" | grep -E '\.so(\.|$)'); do
		[[ -f $file ]] || continue
		mkdir -p "$folder${file%/*}"
		ln -sfn "$file" "$folder$file"
	done
}
# The system's compilers are given the folder's headers and libraries.  Compilers in the folder need
# their own libraries, and find headers and libraries below --sysroot.
write_compilers() {
	local libraries name found
	libraries=$(printf '%s\n' "$folder"/usr/lib/*-linux-*/ | head -n 1)
	libraries=${libraries%/}
	for name in gcc g++; do
		if [[ -x $folder/usr/bin/g++ ]]; then
			found="env PATH=$folder/usr/bin:\$PATH LD_LIBRARY_PATH=$libraries"
			found+=" $folder/usr/bin/$name --sysroot=$folder"
		else
			found="$(command -v $name) -isystem $folder/usr/include"
			found+=" -isystem $folder/usr/include/${libraries##*/} -L$libraries"
		fi
		printf '#!/bin/sh\nexec %s -Wl,--disable-new-dtags,-rpath,%s "$@"\n' \
			"$found" "$libraries" >"$folder/compilers/$name"
		chmod +x "$folder/compilers/$name"
	done
}
if [[ -n $folder ]]; then
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	unpack_packages || fail "cannot unpack into $folder: ${missing[*]}"
	write_compilers
	use_folder
	exit 0
fi

# without_root WHY: say how to go on without root, which only a build can.
without_root() {
	printf 'install-deps: %s\n' "$1" >&2
	[[ $wanted != build ]] || printf '%s\n' 'install-deps: without root, type:' \
		'    make deps PREFIX=$HOME/gpubench-deps' '    make bench' >&2
	exit 1
}
as_root=()
if ((EUID != 0)); then
	has_command sudo ||
		without_root "ask root to install: ${missing[*]:-${optional[*]}}"
	as_root=(sudo)
fi
# apt_get WORD...: run apt-get, once no other package manager runs.
apt_get() {
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
		apt-get -o DPkg::Lock::Timeout=600 "$@"
}
install() {
	apt_get install -y --no-install-recommends "$@"
}

# Old package lists name versions that are gone.  Without a network, a local cache may still do.
apt_get update || printf 'install-deps: cannot update the package lists\n' >&2
# Ubuntu 22.04 has no such package: what clang depends on has the sanitizers.
if [[ " ${missing[*]} " == *" libclang-rt-dev "* ]] &&
	! apt-cache show libclang-rt-dev >/dev/null 2>&1
then
	mapfile -t missing < <(printf '%s\n' "${missing[@]}" | grep -vx libclang-rt-dev)
fi
if ((${#missing[@]})); then
	install "${missing[@]}" || {
		((EUID)) || fail "apt-get could not install: ${missing[*]}"
		without_root "apt-get could not install: ${missing[*]}"
	}
fi
if ((${#optional[@]})); then
	install "${optional[@]}" || for package in "${optional[@]}"; do
		install "$package" ||
			printf 'install-deps: going on without the optional %s\n' "$package" >&2
	done
fi

# lavapipe_apt COMMAND WORD...: apt with the package sources of this distribution alone, in a folder
# of its own, so that apt's own lists and cache stay as they are.
codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}") || :
lavapipe_apt() {
	"$1" -o Dir::Etc::sourcelist="$scratch/list" -o Dir::Etc::sourceparts=- \
		-o Dir::State::lists="$scratch/lists" -o Dir::Cache="$scratch/cache" \
		-o APT::Sandbox::User=root "${@:2}"
}

# Unpack mesa-vulkan-drivers of the distribution, or of its backports if that is too old for ray
# tracing, and install its dependencies.  Newer versions of installed packages are not fetched: only
# real GPUs need them.
unpack_lavapipe() {
	local site package needed=() library
	site=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
		sed -n "s/^$codename //p" | head -n 1)
	[[ -n $codename && -n $site ]] || return 1
	printf 'deb %s %s main\n' "$site" "$codename" "$site" "$codename-backports" >"$scratch/list"
	mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial"
	lavapipe_apt apt-get -qq update || return 1
	local from=()
	lavapipe_apt apt-cache policy mesa-vulkan-drivers |
		grep -qE 'Candidate: (2[5-9]|[3-9][0-9])' || from=(-t "$codename-backports")
	(cd "$scratch" && lavapipe_apt apt-get -qq "${from[@]}" \
		download mesa-vulkan-drivers) || return 1
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

if wants_lavapipe; then
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	unpack_lavapipe || printf 'install-deps: going on without lavapipe\n' >&2
fi
