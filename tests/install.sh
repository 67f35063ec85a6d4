#!/bin/bash
# install.sh GPUBENCH -- `make install` and `make uninstall` with a space in the target folder; the
# source archive.
set -eu
gpubench=$(realpath "$1")
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
	echo "install: $*"
	exit 1
}

there="$scratch/a b"
make_() {
	"${MAKE:-make}" --no-print-directory -o all -o "${gpubench#"$PWD/"}" \
		BUILD="$(dirname "${gpubench#"$PWD/"}")" DESTDIR="$there" PREFIX=/usr "$@" \
		>"$scratch/out" 2>&1 || fail "$* failed: $(cat "$scratch/out")"
}
make_ install
[ "$("$there/usr/bin/gpubench" --version)" = "$("$gpubench" --version)" ] ||
	fail "another program is installed"
cmp -s scripts/completion.bash "$there/usr/share/bash-completion/completions/gpubench" ||
	fail "no completion"
make_ uninstall
left=$(find "$there" -type f -o -type l)
[ -z "$left" ] || fail "uninstall leaves $left"

# The source archive names its commit, also where another repository surrounds it.
if [[ -e .git ]] && commit=$(git rev-parse --verify -q HEAD); then
	git archive --prefix=archive/ HEAD Makefile CHANGELOG.md scripts \
		tests/tests.mk tests/ptx/ptx.mk \
		cli/records | tar -x -C "$scratch"
	mkdir "$scratch/archive/"{common,cpu,cuda,vulkan,datasets}
	git -C "$scratch" init -q
	made=build/release/generated/build_info.h
	${MAKE:-make} -s -C "$scratch/archive" MODE=release PTX= CUDA=0 $made
	date=$(TZ=UTC git log -1 --date=format-local:%FT%TZ --format=%cd)
	for line in "COMMIT \"${commit:0:12}\"" "DIRTY 0" "COMMIT_DATE \"$date\""; do
		grep -qx "#define GB_$line" "$scratch/archive/$made" ||
			fail "the archive does not have $line"
	done
fi
echo "install: installed and uninstalled, source archive"
