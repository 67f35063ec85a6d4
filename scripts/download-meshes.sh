#!/bin/bash
# download-meshes.sh [DIRECTORY] -- fetch the public meshes of datasets/mesh/meshes.def that have a
# url into DIRECTORY (default: meshes), under the file names by which gpubench knows their cameras.
#
# An archive must have the sha256 that the manifest records.  If none is recorded, the sum is
# printed so that it can be.  Existing files are left alone.  The licences are those of the sources:
# Stanford's scans and the McGuire archive's scenes may be used for research; some may not be passed
# on.
#
# A mesh that cannot be fetched is reported, and the others are still fetched.  The exit status is 1
# if one is missing.
set -euo pipefail

if [[ ${1:-} == -* ]]; then
	sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p;}' "$0"
	exit 2
fi
manifest=$(dirname "$0")/../datasets/mesh/meshes.def
directory=${1:-meshes}

for tool in curl tar unzip sha256sum; do
	command -v "$tool" >/dev/null || { echo "$0: $tool is not installed" >&2; exit 1; }
done
mkdir -p "$directory"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# fetch URL SHA256: download the archive once and print its path.
fetch() {
	local archive
	if [[ $1 == http://* && -z $2 ]]; then
		echo "$0: $1 is plain http and has no recorded sha256: it is not fetched" >&2
		return 1
	fi
	archive=$scratch/$(printf '%s' "$1" | sha256sum | cut -c1-16)
	if [[ ! -e $archive ]] &&
		! curl --fail --location --silent --show-error --output "$archive" "$1" >&2; then
		echo "$0: $1 cannot be fetched" >&2
		rm -f "$archive"
		return 1
	fi
	local sum
	sum=$(sha256sum "$archive" | cut -d' ' -f1)
	if [[ -n $2 && $sum != "$2" ]]; then
		echo "$0: $1 has sha256 $sum, not $2" >&2
		return 1
	fi
	[[ -n $2 ]] || echo "$1: sha256 $sum (not recorded)" >&2
	printf '%s' "$archive"
}

# The first seven arguments of each MESH(...), one line each: file, triangles, paper's triangles,
# scene, url, member, sha256.
entries() {
	local text='"\([^"]*\)", *' number='\([0-9]*\), *'
	tr '\n\t' '  ' <"$manifest" | sed 's/^.*\*\///; s/MESH(/\n/g' | sed -n \
		"s/^$text$number$number$text$text$text\"\([^\"]*\)\".*/\1|\2|\3|\4|\5|\6|\7/p"
}

failed=0
while IFS='|' read -r file triangles _ _ url member sum; do
	[[ -n $url ]] || continue
	if [[ -e $directory/$file ]]; then
		echo "$file: there"
		continue
	fi
	if ! archive=$(fetch "$url" "$sum"); then
		failed=1
		continue
	fi
	unpack=(tar -xzOf)
	[[ $url == *.zip ]] && unpack=(unzip -p)
	if ! "${unpack[@]}" "$archive" "$member" >"$scratch/mesh"; then
		echo "$0: $url holds no $member" >&2
		failed=1
		continue
	fi
	mv "$scratch/mesh" "$directory/$file"
	echo "$file: fetched, $triangles triangles expected"
done < <(entries; echo)
exit $failed
