# Each benchmark of page_lines.jsonl shows a rule of pages: which variant of a point is the fastest;
# of the charts, which the script of the page draws, see page.sh.
gpubench report --format=html "$cases/page_lines.jsonl" >page || exit
sed -n '/^<h2>\|"right good"/{s/<td[^>]*>/ /g; s/<[^>]*>//g; p}' page
sed '/^<script>$/,/^<.script>$/d' page | grep -i -c 'nan\|inf"'
grep -c 'no &lt;GPU&gt;' page
