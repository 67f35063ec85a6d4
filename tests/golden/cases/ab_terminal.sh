# On a terminal, ab shows which repetition is under way, and clears that line.
cp "$TESTS/planted/repetition.sh" base
cp base new
printf 'radix/cpu/%s ok 1000000\n' a b >base.keys
cp base.keys new.keys
shown() {
	/usr/bin/python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' sh -c "gpubench ab base=./base new=./new $* >table; echo status \$?" |
		tr '\r' '\n' | sed 's/.\[K/<clear>/; s/, \(base\|new\)$/, SIDE/'
}
shown --repetitions=6 --threshold=0.01 -- x
shown --repetitions=6 --quiet -- x
