#!/bin/sh
# plugin.sh BUILD -- examples/radix.c as a plug-in: listed, checked, measured, and what is refused.
set -eu
gpubench=$(realpath "$1/gpubench") generated=$(realpath "$1/generated")
cd "$(dirname "$0")/.."
top=$PWD scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() {
	echo "plugin: $*"
	exit 1
}
compile() { # SOURCE TARGET
	${CC:-gcc} -std=c11 -O3 -Wall -Werror -fPIC -shared -I"$top" -I"$generated" "$1" -o "$2"
}
refused() { # FILES MESSAGE
	said=$("$gpubench" list radix --plugin="$1" 2>&1) && fail "$1 is accepted"
	[ "$(echo "$said" | wc -l)" = 1 ] || fail "$1: $said"
	case $said in
	"gpubench: "$2) ;;
	*) fail "$1: $said" ;;
	esac
}

compile "$top/examples/radix.c" mine.so
"$gpubench" list radix --plugin=mine.so | grep -q '^  cpu/mine ' || fail "not listed"
GPUBENCH_PLUGINS=$scratch/mine.so "$gpubench" list radix | grep -q '^  cpu/mine ' ||
	fail "not listed by the environment"
"$gpubench" check radix cpu/mine --plugin=./mine.so | grep -q '^radix/cpu/mine  *ok' ||
	fail "not correct"
"$gpubench" radix cpu/mine cpu/qsort --count=1000 --samples=3 --plugin=mine.so -q -o out.jsonl
grep -q "\"variant\":\"mine\".*\"status\":\"ok\"" out.jsonl || fail "not measured"
sum=$(sha256sum mine.so | cut -d' ' -f1)
grep -q "\"plugin\":{\"name\":\"mine\",\"version\":\"1\",\"path\":\"./mine.so\",\"sha256\":\"$sum\"}" \
	out.jsonl || fail "the record does not name its file"

refused none.so './none.so: No such file or directory'
refused . './.: not a regular file'
echo text >text.so
refused text.so './text.so: *'
: >empty.so
refused empty.so './empty.so: *'
refused mine.so, '--plugin: expects files, separated by commas'
cp mine.so again.so
refused mine.so,again.so './again.so: radix already has a variant cpu/mine'
echo 'int nothing;' >bare.c
compile bare.c bare.so
refused bare.so './bare.so: does not define gpubench_plugin (see GB_PLUGIN)'
sed 's/#include "common.plugin.h"/&\n#undef GB_INTERFACE\n#define GB_INTERFACE "other"/' \
	"$top/examples/radix.c" >other.c
compile other.c other.so
refused other.so './other.so: was compiled with other headers than this program: compile it again'
sed 's/{ "radix", "mine"/{ "radix", "Mine"/' "$top/examples/radix.c" >name.c
compile name.c name.so
refused name.so './name.so: a variant needs a summary and a name of *'
echo "plugin: listed, checked, measured, refused"
