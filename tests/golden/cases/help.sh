# The help lists every benchmark that `list` prints, with its summary. The rest of it is fixed.
gpubench --help >help || exit
gpubench list >list || exit
sed -n 's/^\([a-z]*\): /\1 /p' list >wanted
sed -n '/^Benchmarks:$/,/^$/ s/^  \([a-z]*\) */\1 /p' help >named
diff wanted named || exit
sed '/^Benchmarks:$/,/^$/ { /^  radix /! { /^  /d } }' help
