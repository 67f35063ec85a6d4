#!/bin/bash
# gate.sh GPUBENCH SLOW [whole] -- runs the command of the build server recipe in docs/manual.md
# with an identical build (expected exit status 0), with SLOW, whose radix cpu/best is slower (1),
# with a build that omits some benchmarks (6), and with too few launches to decide anything (6).
# Without `whole`, it measures a small benchmark with few launches, SLOW takes three times as long,
# and the threshold tolerates a busy machine.
set -eu
gpubench=$(realpath "$1") slow=$(realpath "$2") how=${3:-short}
reference=$(dirname "$0")/../docs/manual.md
recipe=$(sed -n 's/^    \(\.\/gpubench ab base=.*\)/\1/p' "$reference" | tail -n 1)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -n "$recipe" ] || { echo "gate: no recipe in $reference"; exit 1; }
removed=bfs/
if [ "$how" != whole ]; then
	recipe="${recipe%% -- *} --threshold=50 --launches=4 -- radix cpu/best cpu/lsd8"
	recipe="$recipe --count=20k --threads=1 --hot --samples=10"
	export GPUBENCH_SLOW=2
	removed=radix/cpu/lsd8
fi
mkdir "$scratch/base" "$scratch/new"
cp "$gpubench" "$scratch/base/gpubench"
cd "$scratch/new"

# A build that omits the keys that start with $removed.
cat >leaves-out <<END
#!/bin/bash
"$gpubench" "\$@" || exit
for output; do :; done
sed -i '\\,"key":"$removed,d' "\${output#--output=}"
END
chmod +x leaves-out

gate() { # STATUS NEW [OPTION]
	local status=0 command="${recipe%% -- *} ${3:-} -- ${recipe#* -- }"
	rm -f gate.*.jsonl
	cp "$2" gpubench
	bash -c "$command" >table 2>&1 || status=$?
	if [ $status != "$1" ]; then
		echo "gate: $(basename "$2"): exit status $status instead of $1"
		cat table
		exit 1
	fi
	echo "gate: $(basename "$2"): exit status $status," \
		"$(grep -h '"type":"run"' gate.new.jsonl | wc -l) launches: $(tail -n 1 table)"
}
gate 0 "$gpubench"
gate 1 "$slow"
gate 6 "$PWD/leaves-out"
recipe=${recipe/--launches=4/}
gate 6 "$gpubench" --launches=3
