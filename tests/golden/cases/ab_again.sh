# Two repetitions a side are too few for a verdict. The records are kept.
gpubench ab a="$(command -v gpubench)" b="$(command -v gpubench)" --repetitions=2 --all -o kept --format=json -- radix cpu/best --count=1k --samples=2 >verdicts
status=$?
grep -E '"(exit_status|why|verdict)"' verdicts
cat kept.a.jsonl kept.b.jsonl | grep -c '"type":"record"'
exit $status
