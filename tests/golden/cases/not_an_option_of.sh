# A command refuses the options of other commands by name, and its help omits them.
for words in "radix --preset=paper" "radix --preset=foo" "check --dry-run" "check -o x" "check --samples=3" "repro --shard=1/2 all" \
	"repro --set=tree=best" "env --hot" "list --threads=1"; do
	gpubench $words
	[ $? = 2 ] || echo "$words: not status 2"
done
for command in radix run check repro env list; do
	gpubench help $command >help || exit
	sed -n 's/^ \{2,6\}\(-[a-zA-Z], \)\?\(--[a-z-]*\).*/\2/p' help >options
	echo $command: $(cat options)
done
