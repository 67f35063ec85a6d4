# `history` prints the trend of each key, machine and cache mode, and the first launch after its
# last shift. The exit status is 1 because one series became slower.
. "$TESTS/golden/history.sh"
history_of_thirty runs
gpubench history runs; echo "status $?"
gpubench history runs --format=markdown 'radix/cpu/best*' 'radix/cpu/q*'; echo "status $?"
gpubench history runs --threshold=20 'radix/cpu/lsd8'; echo "status $?"
gpubench history runs --format=json >history.json; echo "status $?"
/usr/bin/python3 "$TESTS/schema.py" --report history.json || exit
grep -B 6 -A 5 '"launch":' history.json | head -n 12 >first; cat first
gpubench history runs --format=html >page.html; echo "status $?"
grep -c '<figure>' page.html
grep -o '<title>[^<]*commit c0ffee10[^<]*</title>' page.html | head -n 3 >titles; cat titles
! sed '/^<script>$/,/^<.script>$/d' page.html | grep -i -E '<script|src=|href="http|nan|inf'
