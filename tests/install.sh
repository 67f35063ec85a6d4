#!/bin/bash
# install.sh GPUBENCH -- `make install` and `make uninstall` with a space in the target folder;
# scripts/install-deps.sh while another package manager holds apt's locks, with a fake apt-get.
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
make_ -o executors EMULATOR="$gpubench" PTX_EXECUTOR="$gpubench" install install-executors
[ "$("$there/usr/bin/gpubench" --version)" = "$("$gpubench" --version)" ] ||
	fail "another program is installed"
cmp -s scripts/completion.bash "$there/usr/share/bash-completion/completions/gpubench" ||
	fail "no completion"
printf '#include <gpubench/plugin.h>\nint abi = GB_PLUGIN_ABI;\n' >"$scratch/plugin.c"
gcc -c -I "$there/usr/include" -o "$scratch/plugin.o" "$scratch/plugin.c" ||
	fail "the installed header cannot be used"
grep -qx 'prefix=/usr' "$there/usr/share/pkgconfig/gpubench.pc" || fail "no gpubench.pc"
if command -v help2man >/dev/null; then
	for page in gpubench gpubench-run gpubench-radix; do
		grep -q "^.TH $page 1" "$there/usr/share/man/man1/$page.1" || fail "no page $page.1"
	done
else
	echo "install: no manual pages: no help2man (scripts/install-deps.sh all)"
fi
[ "$("$there/usr/bin/gpubench-compile" 2>&1 | head -c 6)" = usage: ] || fail "no gpubench-compile"
cmp -s "$there/usr/bin/gpubench-simt" "$gpubench" || fail "no gpubench-simt"
make_ uninstall
left=$(find "$there" -type f -o -type l)
[ -z "$left" ] || fail "uninstall leaves $left"

# A failing compiler makes dependencies appear missing.  The fake apt-get finds each lock taken
# once.
mkdir "$scratch/bin"
cat >"$scratch/bin/apt-get" <<'APT'
#!/bin/sh
echo "$1" >>"$CALLS"
[ "$(grep -c "^$1$" "$CALLS")" -gt 1 ] && exit
echo "E: Could not get lock /var/lib/$1/lock. It is held by process 1 (apt-get)" >&2
exit 100
APT
printf '#!/bin/sh\nexec "$@"\n' >"$scratch/bin/sudo"
printf '#!/bin/sh\n' >"$scratch/bin/sleep"
chmod +x "$scratch"/bin/*
install_deps() {
	PATH=$scratch/bin:$PATH CALLS=$scratch/calls CXX=false scripts/install-deps.sh build \
		>"$scratch/out" 2>&1
}
install_deps || fail "install-deps.sh: $(cat "$scratch/out")"
[ "$(head -n 2 "$scratch/calls" | tr '\n' ' ')" = "update update " ] ||
	fail "no second update: $(cat "$scratch/calls")"
[ "$(grep -c '^install$' "$scratch/calls")" -ge 2 ] ||
	fail "no second install: $(cat "$scratch/calls")"
[ "$(grep -c 'waiting for another package manager' "$scratch/out")" = 2 ] ||
	fail "the wait is not reported: $(cat "$scratch/out")"

# Other failures are not retried.
cat >"$scratch/bin/apt-get" <<'APT'
#!/bin/sh
echo "$1" >>"$CALLS"
echo "E: no network" >&2
exit 100
APT
: >"$scratch/calls"
! install_deps || fail "install-deps.sh does not fail"
[ "$(grep -c '^update$' "$scratch/calls")" = 1 ] || fail "another update: $(cat "$scratch/calls")"
echo "install: installed and uninstalled, apt-get's locks waited for"
