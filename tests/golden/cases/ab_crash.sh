# A build that crashes fails the run. The repetitions measured before the crash are kept.
cp "$TESTS/planted/repetition.sh" base
cp base before
echo 'radix/cpu/a ok 1000000' >base.keys
cp base.keys before.keys
printf '#!/bin/sh\n[ -e base.repetitions ] || exec ./before "$@"\nkill -SEGV $$\n' >new
chmod +x new
gpubench ab base=./base new=./new -o kept -- x
status=$?
[ -s kept.base.jsonl ] && echo kept
exit $status
