# Each benchmark of page_lines.jsonl shows a rule of pages: which variants are the fastest, what is
# on the x axis of a chart, which lines and points it has.
gpubench report --format=html "$cases/page_lines.jsonl" >page || exit
grep -o '<li><strong>.*</li>' page
sed -n 's/^<h2>\(.*\)<.h2>$/\1/p; s/.*aria-label="\([^"]*\)".*/  \1/p; s/^<text fill="[^>]*>\([^<]*\)<.*/    \1/p; s/.*; \([^;<]* more lines [^<]*\)<.*/    \1/p' page
sed -n '/<h2>points</,/<h2>/p' page | grep -o '<title>[^<]*'
sed '/^<script>$/,/^<.script>$/d' page | grep -i -c 'nan\|inf"'
grep -c 'no &lt;GPU&gt;' page
