# On a terminal, gpubench shows the point i of n, the interval and the key, and clears them at the
# end. With -q it shows nothing.
command -v script >/dev/null || { echo "1/2 2/2 interval cleared quiet"; exit 0; }
script -qec "gpubench radix cpu/qsort --count=1000,2000 --rel-ci=0 --max-time=2 --timeout=1000 -o x.jsonl" /dev/null >tty || exit
for point in 1/2 2/2; do grep -q "$point, .*cpu/qsort count=" tty && printf '%s ' $point; done
grep -q ', +-[0-9.]* %[^,]*, radix/cpu/qsort' tty && printf 'interval '
tr '\r' '\n' <tty >lines
[ "$(grep -n '^.\[Kgpubench' lines)" ] && printf 'cleared '
script -qec "gpubench radix cpu/qsort --count=1000 --hot -q --samples=2 --timeout=1000" /dev/null >tty
[ -s tty ] || echo quiet
