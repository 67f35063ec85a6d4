#!/bin/bash
# deps.sh -- scripts/install-deps.sh: without root, into a folder, and without apt-get.
# apt-get is a fake.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
	echo "deps: $*"
	exit 1
}

mkdir "$scratch/bin"
printf '#!/bin/sh\n' >"$scratch/bin/apt-get"
chmod +x "$scratch/bin/apt-get"

# tools FOLDER WORD...: a folder with nothing but these commands
tools() {
	local folder=$1 name
	mkdir -p "$folder"
	for name in "${@:2}" bash sed awk dirname realpath; do
		ln -s "$(command -v "$name")" "$folder/$name"
	done
}

# For a build without root, two lines are printed to type.
top=$scratch/top
mkdir "$top"
cp -r scripts "$top"
tools "$scratch/rootless"
chmod -R a+rX "$scratch"
ln -s "$scratch/bin/apt-get" "$scratch/rootless/apt-get"
as_nobody=()
((EUID)) || as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
! "${as_nobody[@]}" env PATH="$scratch/rootless" CALLS=/dev/null CXX=false \
	"$top/scripts/install-deps.sh" build >"$scratch/build" 2>&1 ||
	fail "nothing is missing without root"
[ "$(tail -n 2 "$scratch/build")" = '    make deps PREFIX=$HOME/gpubench-deps
    make bench' ] || fail "without root: $(cat "$scratch/build")"

# Without apt-get, what is missing is listed.
tools "$scratch/foreign"
! PATH=$scratch/foreign CXX=false PYTHON=false scripts/install-deps.sh >"$scratch/out" 2>&1 ||
	fail "nothing is missing on another system"
grep -q 'by hand what Debian calls: build-essential libcjson-dev' "$scratch/out" ||
	fail "another system: $(cat "$scratch/out")"

# --prefix unpacks packages, and the compilers that it writes find them.  One of the optional
# packages cannot be had.
mkdir -p "$scratch/package/DEBIAN" "$scratch/package/usr/include/only-here"
echo 'int only_here;' >"$scratch/package/usr/include/only-here/header.h"
triple=$(gcc -print-multiarch)
mkdir -p "$scratch/package/usr/lib/$triple"
echo 'int only_there(void) { return 0; }' | gcc -shared -fPIC -x c - \
	-o "$scratch/package/usr/lib/$triple/libonlythere.so"
printf '%s: x\n' Package Version Maintainer Description | sed 's/Version: x/Version: 1/' \
	>"$scratch/package/DEBIAN/control"
echo 'Architecture: all' >>"$scratch/package/DEBIAN/control"
dpkg-deb -b "$scratch/package" "$scratch/x.deb" >/dev/null
cat >"$scratch/bin/apt-get" <<'APT'
#!/bin/sh
case " $* " in
*" -s install "*libhwy-dev*) exit 100 ;;
*" -s install "*) printf 'Inst %s (1 Debian:12/stable [amd64])\n' libcjson-dev libc6 'tar [1]' ;;
*" download "*libc6* | *" download "*" tar"*) exit 100 ;;
*" download "*) cp "$PACKAGE" . ;;
esac
APT
unpack() {
	PATH=$scratch/bin:$PATH PACKAGE=$scratch/x.deb CPATH= "$top/scripts/install-deps.sh" "$@" \
		>"$scratch/out" 2>&1
}
# Headers that no system has are what is missing.
sed -i 's|cjson/cJSON.h|only-here/header.h|; s|Random123/philox.h|stdio.h|
	s|hwy/contrib/sort/vqsort.h|nowhere.h|' "$top/scripts/install-deps.sh"
unpack --prefix="$scratch/deps" || fail "--prefix: $(cat "$scratch/out")"
printf 'export %s\n' "CC := $scratch/deps/compilers/gcc" "CXX := $scratch/deps/compilers/g++" |
	cmp -s - "$top/build/deps.mk" || fail "deps.mk: $(cat "$top/build/deps.mk")"
for language in c:gcc c++:g++; do
	echo 'int main() { return 0 && only_here; }' | "$scratch/deps/compilers/${language#*:}" \
		-x "${language%:*}" -include only-here/header.h - -o "$scratch/main" \
		2>"$scratch/out" || fail "the header is not found: $(cat "$scratch/out")"
done
echo 'int only_there(void); int main(void) { return only_there(); }' |
	"$scratch/deps/compilers/gcc" -x c - -x none -lonlythere -o "$scratch/main" &&
	"$scratch/main" || fail "the library is not found"
CXX=$scratch/deps/compilers/g++ unpack --check &&
	grep -qx 'missing, optional: libhwy-dev' "$scratch/out" ||
	fail "--check: $(cat "$scratch/out")"

# Bad arguments have one line and status 2.
for wrong in "--prefix=a b" --prefix= "--prefix=$scratch/bin" nonsense; do
	status=0
	unpack "$wrong" || status=$?
	[ "$status $(wc -l <"$scratch/out")" = "2 1" ] ||
		fail "$wrong: $status $(cat "$scratch/out")"
done
echo "deps: without root, another system, a folder"
