# `new` writes three files of examples/ with the words in @s replaced. A failure leaves nothing.
gpubench new radix cpu/mine && gpubench new cbt cuda/a-1 else || exit
for files in radix.c:mine/mine.c cpu.mk:mine/Makefile README.md:mine/README.md \
	cbt.cu:else/a-1.cu cuda.mk:else/Makefile README.md:else/README.md; do
	diff "$TESTS/../examples/${files%:*}" ${files#*:} | sed -n 's/^>//p'
done
for benchmark in $(gpubench list | sed -n 's/^\([a-z]*\): .*/\1/p'); do
	gpubench new $benchmark cpu/mine $benchmark-c >out && gpubench new $benchmark cuda/mine $benchmark-cu >out || exit
	grep -q $benchmark $benchmark-c/mine.c && grep -q $benchmark $benchmark-cu/mine.cu || echo "no example of $benchmark"
done
rm -r *-c *-cu out mine else
mkdir taken
long=123456789-123456789-123456789-123456789-1234567
gpubench new radix cpu/$long && ls $long
for words in radix "radix cpu/x y z" "radxi cpu/x" "radix mine" "radix vulkan/x" "radix cpu/" "radix cpu/A" "radix cpu/-x" "radix cpu/x/y" \
	"radix cpu/${long}8" "radix cpu/best" "radix cuda/onesweep" "radix cpu/onesweep" "radix cpu/taken" "radix cpu/x taken" "radix cpu/x no/such"; do
	gpubench new $words
	echo "status $?"
done
(ulimit -f 1 && gpubench new radix cpu/full; echo "status $?") 2>&1 | cat
ls . taken
