# builds.sh -- what the recipes share: the folder of results and two builds.  Sourced by them.
#
# begin BASE: check BASE and make the folder $gate anew.  build TARGET PROGRAM: make TARGET of BASE,
# in a work tree of its own, and of what is checked out; PROGRAM is then in $BUILDS/base and
# $BUILDS/new.  A build that fails ends with status 4, since 2 stands for a bad argument.
# report STATUS COMMAND...: COMMAND FORMAT prints the comparison; write it for the server.

if (($# == 0)) || [[ $1 == -* ]]; then
	sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
	exit 2
fi
gate=${GATE:-build/gate}

begin() {
	if [[ -z ${BUILDS:-} ]] && ! git rev-parse --quiet --verify "$1^{commit}" >/dev/null; then
		echo "${0##*/}: there is no commit $1" >&2
		exit 2
	fi
	# Only a folder that an earlier run made is removed.
	if [[ -e $gate && ! -e $gate/.gate && -n $(ls -A "$gate") ]]; then
		echo "${0##*/}: $gate is there and not from a recipe; remove it, or set GATE" >&2
		exit 2
	fi
	rm -rf "$gate"
	mkdir -p "$gate"
	touch "$gate/.gate"
	base=$1
}

build() { # TARGET PROGRAM
	[[ -z ${BUILDS:-} ]] || return 0
	BUILDS=$(realpath "$gate")/builds
	mkdir -p "$BUILDS/new"
	git worktree prune
	git worktree add --force --detach "$BUILDS/base" "$base" || exit 4
	make -C "$BUILDS/base" -j"$(nproc)" "$1" || exit 4
	make -j"$(nproc)" "$1" || exit 4
	cp -L "$2" "$BUILDS/new/$2"
}

# The comment for a pull request has a heading, and fits in the 65,536 characters that GitHub and
# GitLab take.
report() { # STATUS COMMAND...
	local -A words=([0]="nothing is slower" [1]="slower or failed" [6]=undecided)
	local status=$1
	shift
	"$@" junit >"$gate/junit.xml" || :
	{
		printf '### gpubench: %s\n\n' "${words[$status]}"
		"$@" markdown | head -c 60000 || :
	} >"$gate/comment.md"
	[[ -z ${GITHUB_STEP_SUMMARY:-} ]] || cat "$gate/comment.md" >>"$GITHUB_STEP_SUMMARY"
	[[ ${GITHUB_ACTIONS:-} != true ]] || "$@" github || :
}
