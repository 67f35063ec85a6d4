#!/bin/sh
# page.sh GPUBENCH -- the page of a real run of all five benchmarks: each has its table and its picture,
# whose ticks are sound; opened in headless Chromium, where there is one, it is taken in whole, and the
# console has nothing to say.
set -eu
gpubench=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$gpubench" run radix bfs cbt octree lbvh --preset=quick --backend=cpu --samples=3 --warmup=0 -q -o run.html
for benchmark in radix bfs cbt octree lbvh; do
	sed -n "/<h2>$benchmark<.h2>/,/<h2>/p" run.html >section
	for element in table svg; do
		grep -q "<.$element>" section || { echo "page: $benchmark has no $element"; exit 1; }
	done
done
if grep -E '>[0-9.]+ ?[a-zµ]+ [a-zµ]+</text>' run.html; then
	echo "page: a tick has two units"
	exit 1
fi
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
[ -n "$browser" ] || { echo "page: 2 passed, 0 failed; there is no Chromium"; exit 0; }
timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" \
	--enable-logging=stderr --window-size=390,800 --dump-dom "file://$scratch/run.html" \
	>dom.html 2>log || { cat log; echo "page: Chromium failed"; exit 1; }
if grep CONSOLE log; then
	echo "page: the console has something to say"
	exit 1
fi
[ "$(grep -c '</svg>' dom.html)" = "$(grep -c '</svg>' run.html)" ]
[ "$(grep -c '<tr' dom.html)" = "$(grep -c '<tr' run.html)" ]
echo "page: 3 passed, 0 failed"
