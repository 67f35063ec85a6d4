# Each benchmark of tables.jsonl shows a rule of the layout of tables, in each format.
gpubench report "$cases/tables.jsonl" >table || exit
cat table
gpubench report --format=markdown "$cases/tables.jsonl" | sed -n '/^## failures/,/^## caches/p'
gpubench report --format=html "$cases/tables.jsonl" >page || exit
grep -o '<td class="[a-z]* [a-z]*">[^<]*' page | sort | uniq -c | tr -s ' '
grep -c 'counts of one run' page
# Programs get numbers in full, quoted as RFC 4180 asks; here the first columns and the parameters.
grep -e '"run"' -e '"csv"' "$cases/tables.jsonl" >csv.jsonl
gpubench report --format=csv csv.jsonl | tr '\r' '$' >csv
cut -d, -f1-20 csv
grep -o -e 'param_.*' -e ',cold,[0-9].*' csv
gpubench report --format=json csv.jsonl >lines.jsonl || exit
gpubench report lines.jsonl >again || exit
gpubench report csv.jsonl | cmp - again
# Only a locale that has UTF-8 gets it, and only a terminal gets colours.
LC_ALL=C.UTF-8 gpubench report csv.jsonl | grep ms
grep -c "$(printf '\033')" table
grep failures "$cases/tables.jsonl" >failures.jsonl
TERM=xterm /usr/bin/python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' gpubench report failures.jsonl | tr -d '\r' | cat -v
