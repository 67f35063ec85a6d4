#!/bin/sh
# page.sh GPUBENCH -- the page of a real run, opened in headless Chromium where there is one: it is
# taken in whole, and the console has nothing to say.
set -eu
gpubench=$(realpath "$1")
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
[ -n "$browser" ] || { echo "page: skipped, there is no Chromium"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$gpubench" radix cpu/best cpu/lsd8 --count=1k:64k:x4 --samples=6 -q -o run.html
timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" \
	--enable-logging=stderr --window-size=390,800 --dump-dom "file://$scratch/run.html" \
	>dom.html 2>log || { cat log; echo "page: Chromium failed"; exit 1; }
if grep CONSOLE log; then
	echo "page: the console has something to say"
	exit 1
fi
[ "$(grep -c '</svg>' dom.html)" = "$(grep -c '</svg>' run.html)" ]
[ "$(grep -c '<tr' dom.html)" = "$(grep -c '<tr' run.html)" ]
echo "page: 1 passed, 0 failed"
