# On a terminal, gpubench shows the point i of n and the key, and clears them at the
# end. With -q it shows nothing.
command -v script >/dev/null || { echo "1/2 2/2 cleared quiet"; exit 0; }
script -qec "gpubench radix cpu/qsort --count=1000,2000 --hot --samples=2 --timeout=1000 -o x.jsonl" /dev/null >tty || exit
for point in 1/2 2/2; do grep -q "$point, .*cpu/qsort count=" tty && printf '%s ' $point; done
tr '\r' '\n' <tty >lines
[ "$(grep -n '^.\[Kgpubench' lines)" ] && printf 'cleared '
script -qec "gpubench radix cpu/qsort --count=1000 --hot -q --samples=2 --timeout=1000" /dev/null >tty
[ -s tty ] || echo quiet
