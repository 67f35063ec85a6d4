#!/bin/bash
# roots.sh [SUITE:STEP...] -- as root: installs gpubench in bare Debians that debootstrap makes, by
# the commands of docs/install.md and scripts/package/Containerfile.  Each step has its own Debian.
#
#	sources    what is under "As root"
#	rootless   what is under "Without root", as a user without sudo: with the system's
#	           compilers, then in a Debian that has neither compilers nor make
#	container  the RUN lines of the Containerfile
#	packages   what is under "Packages"; lintian; manual pages; completion in bash, fish and zsh
#	foreign    the packages that bookworm:packages made
#
# The default is all steps on bookworm, then all on trixie.
set -euo pipefail
cd "$(dirname "$0")/.."
((EUID == 0)) || { echo "roots: run it as root" >&2; exit 2; }
(($#)) || set -- {bookworm,trixie}:{sources,rootless,container,packages} trixie:foreign
mirror=${MIRROR:-http://deb.debian.org/debian}
home=$PWD/build/roots
mkdir -p "$home"
rm -rf build/dist
make -s dist
archive=$(ls build/dist/*.tar.gz)
fail() {
	echo "roots: $suite:$step: $*" >&2
	exit 1
}

# fresh: a new $root of $suite, with the source archive unpacked in /src
fresh() {
	if [[ ! -e $home/$suite.tar ]]; then
		rm -rf "$home/bare"
		debootstrap --variant=minbase "$suite" "$home/bare" "$mirror" >"$home/$suite.log"
		tar -C "$home/bare" -cf "$home/$suite.tar" .
	fi
	rm -rf "$root"
	mkdir -p "$root"
	tar -C "$root" -xf "$home/$suite.tar"
	cp /etc/resolv.conf "$root/etc/"
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/roots"
	[[ -z ${PIP_CERT:-} ]] || cp "$PIP_CERT" "$root/pip.crt"
	mkdir "$root/src"
	tar -C "$root/src" --strip-components=1 -xf "$archive"
	enter root 'apt-get -qq update && useradd -m plain && chown -R plain /src'
}
# enter USER COMMANDS: run them in $root, in /src
enter() {
	unshare --mount --pid --fork --kill-child bash -ec '
		mount -t proc proc "$1/proc"
		mount -t devpts devpts "$1/dev/pts" -o newinstance,ptmxmode=0666
		mount --bind "$1/dev/pts/ptmx" "$1/dev/ptmx"
		mount -t tmpfs tmpfs "$1/dev/shm"
		exec chroot "$1" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin \
			LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive GPUBENCH_COPY=16Mi \
			${PIP_CERT:+PIP_CERT=/pip.crt} \
			runuser -u "$2" -- bash -c "export HOME=~$2; cd /src; $3"' \
		- "$root" "$1" "set -ex; $2"
}
# blocks HEADING: the commands below a heading of the page
blocks() {
	awk -v heading="## $1" '/^## / { inside = $0 == heading }
		inside && /^    / { print substr($0, 5) }' docs/install.md
}

step_sources() {
	fresh
	enter root "apt-get -qq install -y make; $(blocks 'As root'); gpubench check radix"
	[[ -e $root/usr/local/share/man/man1/gpubench.1 ]] || fail "no manual page"
}
step_rootless() {
	local all=$(blocks "Without root")
	fresh
	enter root 'apt-get -qq install -y --no-install-recommends make gcc g++'
	! enter plain 'make bench' >"$home/said" 2>&1 || fail "nothing was missing"
	[[ $(sed -n 's/^    //p' "$home/said") == "${all%%$'\n'scripts*}" ]] ||
		fail "\`make bench\` does not say how to go on: $(tail -n 5 "$home/said")"
	enter plain "${all%%$'\n'scripts*}; rm -rf build results/latest.*"
	fresh
	enter plain "scripts${all#*$'\n'scripts}
		./gpubench check cpu/vqsort cpu/embree"
}
step_container() {
	fresh
	enter root "chown -R root /src; $(sed -n 's/^RUN //p' scripts/package/Containerfile)"
	enter root 'git --version && make --version && gcc --version && g++ --version'
}
step_packages() {
	fresh
	enter root "apt-get -qq install -y make; make deps; $(blocks Packages)"
	enter root 'make dist' 2>"$home/said" && fail "an archive makes an archive"
	grep -q 'needs a checkout' "$home/said" || fail "$(cat "$home/said")"
	enter root 'apt-get -qq install -y lintian man-db bash-completion fish zsh >/dev/null
		lintian --allow-root --fail-on error,warning build/dist/*.deb
		man gpubench-radix | grep -e --distribution=
		[[ $(fish -c '\''complete -C "gpubench radix --type=u32,u"'\'') == --type=u32,u64 ]]
		timeout 60 zsh -f tests/completion.zsh
		tests/wheel.py build/dist/gpubench-*.whl
		$HOME/env/bin/python tests/wheel.py build/dist/gpubench-*.whl --installed'
	rm -rf "$home/$suite"
	cp -r "$root/src/build/dist" "$home/$suite"
}
step_foreign() {
	fresh
	mkdir -p "$root/src/build/dist"
	cp "$home"/bookworm/* "$root/src/build/dist"
	enter root "apt-get -qq install -y python3-venv
		$(blocks Packages | grep -vE '^make|help2man')
		gpubench check radix cpu/vqsort"
}

for word; do
	suite=${word%:*} step=${word#*:} root=$home/root-${word/:/-}
	case $suite:$step in
	[a-z]*:sources | [a-z]*:rootless | [a-z]*:container | [a-z]*:packages | [a-z]*:foreign) ;;
	*) echo "roots: no step '$word'" >&2; exit 2 ;;
	esac
	start=$SECONDS
	log=$home/${word/:/-}.log
	# `||` would switch off `set -e` in the step.
	set +e
	(set -e && "step_$step") >"$log" 2>&1
	status=$?
	set -e
	((status == 0)) || { tail -n 30 "$log"; fail failed; }
	rm -rf "$root"
	echo "roots: $word passed in $((SECONDS - start)) s"
done
