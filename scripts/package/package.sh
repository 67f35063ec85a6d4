#!/usr/bin/env bash
# package.sh dist | wheel | tag -- makes a package of the commit in build/dist.
#
#	dist      gpubench-VERSION.tar.gz: the sources, the same bytes each time, and their SHA-256
#	wheel     gpubench-VERSION-py3-none-PLATFORM.whl: program, manual pages, the libraries
#	          that the program needs besides C's and C++'s, gpubench-plot, and the module
#	          gpubench, which reads records
#	tag       no package, but the tag vVERSION, once the change log dates that version
#
# wheel compiles the sources of the commit, for all common GPU architectures, and without the
# libraries of peers other than Highway: their packages differ between versions of Debian.
set -euo pipefail
shopt -s extglob
cd "$(dirname "$0")/../.."
(($# == 1)) || { sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0" >&2; exit 2; }

fail() {
	printf 'package.sh: %s\n' "$*" >&2
	exit 1
}

# A checkout takes what is committed.  In a source archive, the file names the commit.
read -r commit epoch <scripts/package/commit || :
archived=yes
if [[ $commit == *Format* ]]; then
	read -r commit epoch < <(git log -1 --format='%H %ct') || fail "no checkout, no archive"
	archived=no
fi
[[ $commit == +([0-9a-f]) && $epoch == +([0-9]) ]] || fail "scripts/package/commit names no commit"
[[ $archived == no || $1 != @(dist|tag) ]] || fail "make $1 needs a checkout of the repository"
machine=$(${CC:-cc} -dumpmachine)
machine=${machine%%-*}
dist=$PWD/build/dist work=$PWD/build/package
source=$work/source
mkdir -p "$dist" "$work"
exec {lock}>"$work/lock"
flock "$lock" # $source is built by one package at a time

# unpack_sources: bring $source to the commit.  Objects of another commit are not kept, since they
# may be newer than the commit, whose time the files have.
unpack_sources() {
	[[ ! -e $source/scripts/package/commit ||
		$(<"$source/scripts/package/commit") != "$commit "* ]] || return 0
	rm -rf "$source"
	mkdir "$source"
	if [[ $archived == yes ]]; then
		tar -c --exclude=./build . | tar -x -C "$source"
	else
		git archive "$commit" | tar -x -C "$source"
	fi
}
version_of() { # of the change log in standard input
	sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' | sed -n 1p | grep . ||
		fail "CHANGELOG.md names no version"
}

libraries=(have_boost=0 SMS="${SMS:-\$(all_sms)}")

# build TREE LINKER-FLAG...: build and install in TREE/usr
build() {
	local tree=$1
	shift
	command -v help2man >/dev/null || fail "no help2man, which writes the manual pages"
	unpack_sources
	make -C "$source" -j"$(nproc)" "${libraries[@]}" "LDFLAGS=$*" all
	rm -rf "$tree"
	make -C "$source" -s "${libraries[@]}" "LDFLAGS=$*" "DESTDIR=$tree" PREFIX=/usr install
	"$(command -v "$machine-linux-gnu-strip" strip | head -n 1)" "$tree/usr/bin/gpubench"
	version=$(version_of <"$source/CHANGELOG.md")
}

# bundle FILE FOLDER [LIBRARY...]: copy the libraries that FILE needs, and theirs, except those that
# every system has: glibc, and libstdc++, whose newer versions need a newer glibc
bundle() {
	local library path owner
	for library in "${@:3}" $(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }'); do
		case $library in
		lib@(c|m|mvec|dl|rt|pthread|gcc_s|stdc++).so.* | ld-linux*) continue ;;
		esac
		[[ ! -e $2/$library ]] || continue
		path=$(${CC:-cc} -print-file-name="$library")
		[[ $path == /* ]] || fail "no $library"
		cp -L "$path" "$2/$library"
		owner=$(dpkg-query -S "*/${path##*/}" 2>/dev/null | head -n 1 | cut -d: -f1) || :
		[[ -z $owner ]] || cp "/usr/share/doc/$owner/copyright" \
			"$2/../../share/doc/gpubench/copyright.$library"
		bundle "$2/$library" "$2"
	done
}

# Build $tree, which runs in any folder.
bundled() {
	build "$work/bundled" '-Wl,--disable-new-dtags,-rpath,'\''$$ORIGIN/../lib/gpubench'\'
	tree=$work/bundled/usr
	mkdir -p "$tree/lib/gpubench" "$tree/share/doc/gpubench"
	cp "$source/LICENSE" "$source/CHANGELOG.md" "$tree/share/doc/gpubench"
	bundle "$tree/bin/gpubench" "$tree/lib/gpubench" \
		$(grep -ao 'libhwy_contrib\.so\.[0-9]*' "$tree/bin/gpubench" | sort -u)
}

case $1 in
dist)
	version=$(git show "$commit:CHANGELOG.md" | version_of)
	name=gpubench-$version.tar.gz
	git archive --prefix="gpubench-$version/" "$commit" | gzip -9n >"$dist/$name"
	;;
wheel)
	bundled
	name=$("${PYTHON:-/usr/bin/python3}" scripts/package/wheel.py \
		"$source" "$tree" "$version" "$dist")
	;;
tag)
	heading=$(git show "$commit:CHANGELOG.md" | grep -m 1 '^## ')
	dated='^## ([0-9.]+), 20[0-9]{2}-[0-9]{2}-[0-9]{2}$'
	[[ $heading =~ $dated ]] ||
		fail "CHANGELOG.md does not date its newest version: $heading"
	git tag -a -m "gpubench ${BASH_REMATCH[1]}" "v${BASH_REMATCH[1]}" "$commit"
	exit
	;;
*) fail "unknown package '$1'" ;;
esac
(cd "$dist" && sha256sum "$name" | tee "$name.sha256")
