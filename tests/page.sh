#!/bin/sh
# page.sh GPUBENCH -- the page of a real run of all five benchmarks: each has a table.
# If Chromium is installed, headless Chromium must load the page completely with no
# console output, draw a chart with valid ticks, and the charts of page_lines.jsonl as expected; a
# click on `time` must sort a table, and words must filter it with its chart.  At the widths of a
# telephone, a laptop and a desk, no page is wider than its window, and the page can be printed.
set -eu
gpubench=$(realpath "$1")
cases=$(realpath "$(dirname "$0")/golden/cases")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
# Some variants of each benchmark are left out, the slow ones among them.
for name in boost-pdq graphblas split qsort 'basic*' serial descent libcbt seq \
	lock lf ploc 'embree*' karras-bitonic 'stack*'; do
	set -- "$@" "!$name"
done
shift
"$gpubench" run radix bfs cbt octree lbvh --preset=quick --backend=cpu --samples=7 --warmup=0 -q \
	"$@" -o run.jsonl
"$gpubench" report --format=html run.jsonl >run.html
for benchmark in radix bfs cbt octree lbvh; do
	sed -n "/<h2>$benchmark<.h2>/,/<h2>/p" run.html >section
	grep -q "</table>" section || {
		echo "page: $benchmark has no table"
		exit 1
	}
done
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
[ -n "$browser" ] || { echo "page: 2 passed, 0 failed; there is no Chromium"; exit 0; }
cat >clicks <<'END'
<script>
const told = [], table = [...document.querySelectorAll('table')].find(t => t.rows.length > 8);
const column = [...table.tHead.rows[0].cells].findIndex(c => c.textContent === 'time');
const times = () => [...table.tBodies[0].rows].filter(r => !r.hidden)
	.map(r => r.cells[column].textContent);
const ns = {ns: 1, us: 1e3, ms: 1e6, s: 1e9};
const seconds = t => parseFloat(t) * ns[t.split(' ')[1]];
const before = times();
for (const way of [1, -1]) {
	table.tHead.rows[0].cells[column].click();
	const now = times().map(seconds);
	told.push(now.length === before.length &&
		now.every((t, i) => i === 0 || (t - now[i - 1]) * way >= 0));
}
const input = table.parentNode.previousElementSibling;
const word = table.tBodies[0].rows[0].cells[column].textContent;
input.value = word;
input.oninput();
told.push(times().length >= 1 && times().length < before.length && times().includes(word));
document.title = 'clicks: ' + told.join(' ');
</script>
END
sed '/<\/body>/{
	r clicks
	N
}' run.html >clicked.html
see() { # FILE [WIDTH [OPTION]]: write the browser's DOM to dom.html
	timeout 600 "$browser" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$scratch/profile" --enable-logging=stderr \
		--window-size="${2:-390}",800 "${3:---dump-dom}" "file://$scratch/$1" \
		>dom.html 2>log || { cat log; echo "page: Chromium failed"; exit 1; }
	if grep CONSOLE log; then
		echo "page: the console has something to say"
		exit 1
	fi
}
see clicked.html
grep -q '<title>clicks: true true true<' dom.html || {
	grep '<title>' dom.html
	echo "page: a table is not sorted or filtered"
	exit 1
}
cat >width <<'END'
<script>
document.title = document.documentElement.scrollWidth <= innerWidth ? 'fits' : 'too wide';
</script>
END
sed '/<\/body>/{
	r width
	N
}' run.html >wide.html
for width in 390 1280 2560; do
	see wide.html $width
	grep -q '<title>fits<' dom.html || {
		echo "page: wider than a window of $width pixels"
		exit 1
	}
done
see run.html 1280 --print-to-pdf="$scratch/run.pdf"
[ "$(head -c 4 run.pdf)" = "%PDF" ]
see run.html
grep -q '<figure><svg' dom.html || {
	echo "page: there is no chart"
	exit 1
}
if grep -E '>[0-9.]+ ?[a-z]+ [a-z]+</text>' dom.html; then
	echo "page: a tick has two units"
	exit 1
fi
[ "$(grep -c '<tr' dom.html)" = "$(grep -c '<tr' run.html)" ]
# Each benchmark shows a rule: what is on the x axis, and the lines and points of a chart.  Those of
# the last one are what a filter leaves.
"$gpubench" report --format=html "$cases/page_lines.jsonl" >lines.html
cat >words <<'END'
<script>
const last = [...document.querySelectorAll('input')].pop();
last.value = 'slow 65';
last.oninput();
</script>
END
sed '/<\/body>/{
	r words
	N
}' lines.html >filtered.html
see filtered.html
sed '/^<script>/,/^<.script>/d' dom.html >drawn
sed -n 's/^<h2>\(.*\)<.h2>$/\1/p; s/.*aria-label="\(time[^"]*\)".*/  \1/p
	s/^<text fill="[^>]*>\([^<]*\)<.*/    \1/p; s/.*; \([^;<]* more lines [^<]*\)<.*/    \1/p
	/n=[0-9]*: .* ms<.title>/s/.*<title>\(n=[12]: [^<]*\).*/    \1/p' drawn >charts
diff "$cases/page_charts.txt" charts || {
	echo "page: other charts"
	exit 1
}
echo "page: 10 passed, 0 failed"
