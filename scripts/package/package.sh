#!/usr/bin/env bash
# package.sh dist | portable | deb | wheel | tag -- makes a package of the commit in build/dist.
#
#	dist      gpubench-VERSION.tar.gz: the sources, the same bytes each time, and their SHA-256
#	portable  gpubench-VERSION-MACHINE.tar.gz: program, manual pages, completion and the
#	          libraries that the program needs besides C's and C++'s; it runs in any folder
#	deb       gpubench_VERSION_ARCHITECTURE.deb, which depends on libraries of this Debian
#	wheel     gpubench-VERSION-py3-none-PLATFORM.whl: what is in portable, gpubench-plot,
#	          and the module gpubench, which reads records
#	tag       no package, but the tag vVERSION, once the change log dates that version
#
# deb, portable and wheel compile the sources of the commit, for all common GPU architectures, and
# without the libraries of peers other than Highway: their packages differ between versions of
# Debian.
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
elif [[ $1 == @(dist|tag) ]]; then
	fail "make $1 needs a checkout of the repository"
fi
[[ $commit == +([0-9a-f]) && $epoch == +([0-9]) ]] || fail "scripts/package/commit names no commit"
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
reproducible_tar() { # FOLDER: its archive
	tar -C "${1%/*}" -c --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" \
		"${1##*/}" | gzip -9n
}

libraries=(have_boost=0 have_gnu=0 have_ips4o=0 have_pcl=0 have_tbb=0 SMS="${SMS:-\$(all_sms)}")

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

portable() {
	build "$work/portable" '-Wl,--disable-new-dtags,-rpath,'\''$$ORIGIN/../lib/gpubench'\'
	tree=$work/gpubench-$version-$machine
	rm -rf "$tree"
	mv "$work/portable/usr" "$tree"
	mkdir -p "$tree/lib/gpubench" "$tree/share/doc/gpubench"
	cp "$source/LICENSE" "$source/CHANGELOG.md" "$tree/share/doc/gpubench"
	bundle "$tree/bin/gpubench" "$tree/lib/gpubench" \
		$(grep -ao 'libhwy_contrib\.so\.[0-9]*' "$tree/bin/gpubench" | sort -u)
}

# The packages of the libraries that the program loads, beside Highway.
owners() {
	local library
	for library in $(grep -aoE 'lib(embree[34]|graphblas)\.so\.[0-9]+' \
		"$tree/usr/bin/gpubench" | sort -u); do
		dpkg-query -S "*/$library" 2>/dev/null | head -n 1 |
			sed 's/:.*//; s/^/, /' | tr -d '\n'
	done
}
control() { # of the Debian package
	local depends
	mkdir -p "$work/debian"
	printf 'Source: gpubench\n\nPackage: gpubench\nArchitecture: any\n' >"$work/debian/control"
	depends=$(cd "$work" && DEB_HOST_ARCH=$architecture \
		dpkg-shlibdeps -O -e"$tree/usr/bin/gpubench" | sed 's/^shlibs:Depends=//')
	cat <<-END
		Package: gpubench
		Version: $version
		Architecture: $architecture
		Maintainer: $maintainer
		Installed-Size: $(du -sk --apparent-size "$tree/usr" | cut -f1)
		Depends: $depends
		Recommends: libhwy1 | libhwy1t64
		Suggests: python3-matplotlib$(owners)
		Section: science
		Priority: optional
		Description: benchmark of irregular GPU algorithms, with every result verified
		 Measures radix sort, breadth-first search, a concurrent binary tree, octrees
		 and bounding volume hierarchies, as CUDA kernels beside OpenMP versions and
		 the libraries of the field.  Without a GPU, only its variants are skipped.
	END
}

deb() {
	local doc page
	command -v dpkg-shlibdeps >/dev/null || fail "no dpkg-shlibdeps, of dpkg-dev"
	tree=$work/deb
	build "$tree"
	architecture=$(dpkg-architecture -t"$(${CC:-cc} -dumpmachine)" -qDEB_HOST_ARCH)
	maintainer="${DEBFULLNAME:-gpubench authors} <${DEBEMAIL:-gpubench@gpubench.invalid}>"
	doc=$tree/usr/share/doc/gpubench
	mkdir -p "$doc" "$tree/DEBIAN"
	mkdir -p "$tree/usr/share/zsh/vendor-completions"
	mv "$tree/usr/share/zsh/site-functions/_gpubench" "$tree/usr/share/zsh/vendor-completions"
	rmdir "$tree/usr/share/zsh/site-functions"
	{
		printf 'Format: %s\n\nFiles: *\nCopyright: %s\nLicense: Expat\n' \
			https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/ \
			"$(sed -n 's/^Copyright (c) //p' "$source/LICENSE")"
		sed '1,/^Copyright/d' "$source/LICENSE" | sed '1d; s/^$/./; s/^/ /'
	} >"$doc/copyright"
	printf 'gpubench (%s) unstable; urgency=medium\n\n  * See NEWS.gz.\n\n -- %s  %s\n' \
		"$version" "$maintainer" "$(LC_ALL=C date -ud "@$epoch" +'%a, %d %b %Y %T +0000')" |
		gzip -9n >"$doc/changelog.gz"
	gzip -9nc "$source/CHANGELOG.md" >"$doc/NEWS.gz"
	for page in "$tree"/usr/share/man/man1/*.1; do
		gzip -9n "$page"
	done
	control >"$tree/DEBIAN/control"
	(cd "$tree" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
	chmod -R u=rwX,go=rX "$tree"
	SOURCE_DATE_EPOCH=$epoch dpkg-deb --root-owner-group -Zxz -b "$tree" \
		"$dist/gpubench_${version}_$architecture.deb"
}

case $1 in
dist)
	version=$(git show "$commit:CHANGELOG.md" | version_of)
	name=gpubench-$version.tar.gz
	git archive --prefix="gpubench-$version/" "$commit" | gzip -9n >"$dist/$name"
	;;
portable)
	portable
	name=${tree##*/}.tar.gz
	reproducible_tar "$tree" >"$dist/$name"
	;;
deb)
	deb
	name=gpubench_${version}_$architecture.deb
	;;
wheel)
	portable
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
