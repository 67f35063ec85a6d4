# `help COMMAND` prints the same text as `COMMAND --help`.
# The help explains the syntax of SPEC only for commands that take one.
for command in radix run report; do
	gpubench help $command >one || exit
	gpubench $command --help >other || exit
	diff one other || exit
	grep -c '^  ITEM   VALUE' one
done
gpubench help >one && gpubench --help >other && diff one other || exit
gpubench help radix bfs
