# Launches are sorted by their dates, or by the dates of their commits.
# Sorted by commit, a late measurement of an old build is not a shift.
. "$TESTS/golden/history.sh"
mkdir runs
n=0
while [ $n -lt 20 ]; do
	commit=bbbb ns=110 day=10
	[ $n -ge 10 ] || { commit=aaaa ns=100 day=05; }
	[ $n -lt 15 ] || { commit=aaaa ns=100 day=05; }
	launch runs/$n.jsonl $n $commit "\"2026-01-${day}T00:00:00Z\""
	record runs/$n.jsonl $n cpu best true "$(took $ns $n)"
	n=$((n + 1))
done
gpubench history runs; echo "status $?"
gpubench history runs --order=commit; echo "status $?"
# A commit without a date gets the date of its first launch.
sed -i 's/"commit_date":"[^"]*"/"commit_date":null/' runs/*.jsonl
gpubench history runs --order=commit; echo "status $?"
