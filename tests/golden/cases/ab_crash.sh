# A build that crashes fails the run. The launches measured before the crash are kept.
cp "$TESTS/planted/launch.sh" base
echo 'radix/cpu/a ok 1000000' >base.keys
printf '#!/bin/sh\nkill -SEGV $$\n' >new
chmod +x new
gpubench ab base=./base new=./new -o kept -- x
status=$?
grep -c '"run"' kept.base.jsonl
exit $status
