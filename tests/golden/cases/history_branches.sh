# Each folder of several holds later launches than the one before it, whatever their dates: a slow
# branch is a shift at its first launch, and main alone has none.
. "$TESTS/golden/history.sh"
mkdir main branch
n=0
while [ $n -lt 24 ]; do
	folder=main ns=100
	[ $n -lt 16 ] && [ $n -ge 8 ] && folder=branch ns=115
	launch $folder/$n.jsonl $n $folder null
	record $folder/$n.jsonl $n cpu best true "$(took $ns $n)"
	n=$((n + 1))
done
gpubench history main; echo "status $?"
gpubench history main branch 'radix/*'; echo "status $?"
gpubench history branch main; echo "status $?"
gpubench history main nowhere
