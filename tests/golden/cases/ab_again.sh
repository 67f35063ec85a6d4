# Two launches a side are too few for a verdict, and the records are kept.
gpubench ab a="$(command -v gpubench)" --aa --launches=2 --threshold=1000 -o kept -- radix cpu/best --count=1k --samples=2 || exit
cat kept.a.jsonl kept.a-again.jsonl | grep -c '"type":"record"'
