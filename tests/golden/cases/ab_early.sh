# --early stops when every key is decided, and uses intervals of a higher level.
# Each launch is kept as it ends.
cp "$TESTS/planted/launch.sh" base
cp base new
cp base near
echo 'radix/cpu/a ok 1000000' >base.keys
echo 'radix/cpu/a ok 1200000' >new.keys
echo 'radix/cpu/a ok 1000000' >near.keys
gpubench ab base=./base new=./new --early -o far -- x
echo "status $?, $(grep -c '"run"' far.new.jsonl) launches"
gpubench ab base=./base near=./near --early -o near --threshold=0.2 --all -- x
echo "status $?, $(grep -c '"run"' near.near.jsonl) launches"
gpubench ab base=./base new=./new --launches=4 -- x >/dev/null
echo "status $?"
