#!/bin/bash
# install.sh GPUBENCH -- `make install` and `make uninstall` with a space in the target folder; what
# was installed as a wheel; the source archive; the tag of a version.
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
version=$("$gpubench" --version | cut -d' ' -f2)
if command -v help2man >/dev/null; then
	for page in gpubench gpubench-run gpubench-radix; do
		grep -q "^.TH $page 1" "$there/usr/share/man/man1/$page.1" || fail "no page $page.1"
	done
	if command -v man >/dev/null; then # lintian asks for the same warnings
		said=$(cd "$there/usr/share/man/man1" &&
			LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -lTutf8 -Z ./*.1 2>&1 >/dev/null)
		[ -z "$said" ] || fail "manual pages: $said"
	fi
else
	echo "install: no manual pages: no help2man (scripts/install-deps.sh all)"
fi

# The wheel has the program, runs no code of this folder, and is the same bytes each time.
mkdir -p "$there/usr/lib/gpubench" "$scratch/again"
strip -g "$there/usr/bin/gpubench"
wheel=$(scripts/package/wheel.py . "$there/usr" "$version" "$scratch")
scripts/package/wheel.py . "$there/usr" "$version" "$scratch/again" >/dev/null
cmp -s "$scratch/$wheel" "$scratch/again/$wheel" || fail "wheels differ"
tests/wheel.py "$scratch/$wheel" || fail "the wheel is wrong"
rmdir "$there/usr/lib/gpubench"
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
	: >"$scratch/archive/scripts/package/commit"
	! "$scratch/archive/scripts/package/package.sh" wheel >"$scratch/out" 2>&1 &&
		grep -q 'names no commit' "$scratch/out" || fail "a package of no commit"

	# A commit is tagged once its change log dates the version, and not twice.
	released=$scratch/released
	mkdir -p "$released/scripts"
	cp -r scripts/package "$released/scripts"
	git_() {
		git -C "$released" "$@"
	}
	git_ init -q
	git_ config user.name a
	git_ config user.email a@b
	tag() { # HEADING WANTED: package.sh tag says this, or the commit is tagged
		printf '# Changelog\n\n%s\n\n## 1.1.0\n' "$1" >"$released/CHANGELOG.md"
		git_ add .
		git_ commit -q -m "$1"
		said=$("$released/scripts/package/package.sh" tag 2>&1) && said=tagged
		[[ $said == *"$2"* ]] || fail "a tag for '$1': $said"
	}
	tag '## 1.2.0, unreleased' 'does not date its newest version: ## 1.2.0, unreleased'
	tag '## 1.2.0, 2027-02-30 or later' 'does not date'
	[ -z "$(git_ tag)" ] || fail "a tag of a version without a date"
	tag '## 1.2.0, 2027-02-28' tagged
	tag '## 1.2.0, 2027-03-01' 'already exists'
	[ "$(git_ rev-parse 'v1.2.0^{}')" = "$(git_ rev-parse HEAD^)" ] ||
		fail "another commit is tagged"
fi
echo "install: installed and uninstalled, wheel, source archive, tag"
