# What the index has is as good as the files; changed, new and removed files are noticed, a damaged index
# is made anew, and one that cannot be written is done without.
. "$TESTS/golden/history.sh"
history_of_thirty runs
ask() { # WHAT
	gpubench history runs >table; echo "$1: status $?, $(tail -n 1 table)"
	rm -f fresh.jsonl
	cp -r runs fresh && rm -rf fresh/.gpubench-history.sqlite
	gpubench history fresh >table.fresh 2>errors.fresh
	cmp table table.fresh && rm -r fresh
}
ask "no index"
# A build without SQLite keeps no index: its tables are the same, and nothing can be damaged.
index=runs/.gpubench-history.sqlite
ldd "$(command -v gpubench)" | grep -q sqlite && has_index=yes || has_index=no
ask index
[ $has_index = no ] || [ -s $index ] || echo "there is no index"
rm runs/two/launch-2[3-9].jsonl
ask "files removed"
launch runs/new.jsonl 40 c0ffee99 null
record runs/new.jsonl 40 cpu lsd8 true "$(took 110 1)"
ask "a file added"
sed -i 's/"status":"failed","reason":"key 3 is out of order"/"status":"skipped","reason":"no"/' runs/two/launch-17.jsonl
ask "a file changed"
if [ $has_index = yes ]; then
	printf 'no database' >$index
else
	echo "gpubench: $index: the index is damaged or of another version, and made anew" >&2
fi
ask "index damaged"
ask "index made anew"
gpubench history runs --rebuild >table.again; cmp table table.again
rm -f $index; mkdir $index
ask "no place for an index"
rmdir $index
# Two at once.
gpubench history runs >one & gpubench history runs >two; wait
cmp table one; cmp table two
ask "after two at once"
