#!/bin/bash
# roots.sh [SUITE:STEP...] -- as root: installs gpubench in bare Debians that debootstrap makes, by
# the commands of README.md and docs/install.md.  Each step has its own Debian, and the sources are in
# a folder whose name has a space.
#
#	names      the packages that scripts/install-deps.sh asks for; none is installed
#	readme     what is under "Set up" in README.md
#	sources    what is under "As root"
#	rootless   what is under "Without root", as a user without sudo: with the system's
#	           compilers, then in a Debian that has neither compilers nor make
#
# The default is all steps on bookworm, then all on trixie, then two on Ubuntu's jammy and noble.
set -euo pipefail
cd "$(dirname "$0")/.."
((EUID == 0)) || { echo "roots: run it as root" >&2; exit 2; }
(($#)) || set -- {bookworm,trixie}:{names,readme,sources,rootless} \
	{jammy,noble}:{names,sources}
home=$PWD/build/roots
sources="/a b"
mkdir -p "$home"
rm -rf build/dist
make -s dist
archive=$(ls build/dist/*.tar.gz)
cp "$archive" "$home/archive"
make -s dist
cmp "$archive" "$home/archive"
fail() {
	echo "roots: $suite:$step: $*" >&2
	exit 1
}

# fresh: a new $root of $suite, with the source archive unpacked in $sources.  debootstrap's script
# for each Ubuntu is that for gutsy.
fresh() {
	local bare=$home/$suite from=("${MIRROR:-http://deb.debian.org/debian}") parts=main
	[[ $suite != @(jammy|noble) ]] || parts=main,universe \
		from=("${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}" gutsy)
	if [[ ! -e $bare.tar ]]; then
		root=$bare.root
		rm -rf "$root"
		debootstrap --variant=minbase --components=$parts \
			"$suite" "$root" "${from[@]}" >"$bare.log"
		mkdir "$root$sources"
		tar -C "$root" -cf "$bare.tar" .
		rm -rf "$root"
	fi
	root=$home/root-$suite-$step
	rm -rf "$root"
	mkdir -p "$root"
	tar -C "$root" -xf "$bare.tar"
	cp /etc/resolv.conf "$root/etc/"
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/roots"
	[[ -z ${PIP_CERT:-} ]] || cp "$PIP_CERT" "$root/pip.crt"
	tar -C "$root$sources" --strip-components=1 -xf "$archive"
	enter root 'apt-get -qq update; useradd -m plain; chown -R plain .'
}
# enter USER COMMANDS: run them in $root, in $sources
enter() {
	local as=(runuser -u "$1" --)
	unshare --mount --pid --fork --kill-child bash -ec '
		mount -t proc proc "$1/proc"
		mount -t devpts devpts "$1/dev/pts" -o newinstance,ptmxmode=0666
		mount --bind "$1/dev/pts/ptmx" "$1/dev/ptmx"
		mount -t tmpfs tmpfs "$1/dev/shm"
		exec "${@:2}"' \
		- "$root" chroot "$root" env -i \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive GPUBENCH_COPY=16Mi \
		${PIP_CERT:+PIP_CERT=/pip.crt} "${as[@]}" \
		bash -exc "export HOME=~$1; cd '$sources'; $2"
}
# blocks HEADING [PAGE]: the commands below a heading of the page
blocks() {
	awk -v heading="## $1" '/^## / { inside = $0 == heading }
		inside && /^    / { print substr($0, 5) }' "${2:-docs/install.md}"
}

step_names() {
	fresh
	cat >"$root/usr/local/bin/apt-get" <<-'END'
		#!/bin/sh
		[ "$1" != install ] || set -- -s "$@"
		exec /usr/bin/apt-get "$@"
	END
	chmod +x "$root/usr/local/bin/apt-get"
	enter root 'for set in build test vulkan-test lint; do
		scripts/install-deps.sh $set
	done'
}
step_readme() {
	fresh
	enter root "apt-get -qq install -y git make ca-certificates; $(blocks 'Set up' README.md)"
}
step_sources() {
	fresh
	enter root "apt-get -qq install -y make; $(blocks 'As root'); gpubench check radix"
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
for word; do
	suite=${word%:*} step=${word#*:} root=
	[[ $suite == [a-z]* && $word == *:* && $(type -t "step_$step") == function ]] ||
		{ echo "roots: no step '$word'" >&2; exit 2; }
	start=$SECONDS
	log=$home/${word/:/-}.log
	# `||` would switch off `set -e` in the step.
	set +e
	(set -e && "step_$step") >"$log" 2>&1
	status=$?
	set -e
	((status == 0)) || { tail -n 30 "$log"; fail failed; }
	rm -rf "$home/root-$suite-$step"
	echo "roots: $word passed in $((SECONDS - start)) s"
done
