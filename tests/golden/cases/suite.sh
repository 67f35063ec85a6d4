# A suite file holds command lines as typed.  A key that several lines name is measured once.
# Lines may begin with the program; --backend beside --suite applies to all lines.
cat >suite <<'END'
# sizes of a service

gpubench radix 'cpu/*sort' "!vq*" --count=1k,2k \
	--threads=1  # two of them
run radix bfs qsort cpu/csr --count=3k --vertices=1"0"0 --threads=1
./gpubench radix cpu/q\sort --count=2k
END
gpubench run --suite=suite --backend=cpu --samples=3 --hot -q -o one.jsonl || exit
grep -o '"key":"[^"]*"\|"type":"run"' one.jsonl
gpubench run --suite=suite --backend=cpu --resume --samples=3 --hot --runs=2 -q -o one.jsonl || exit
grep -c '"key"' one.jsonl
gpubench run --suite=suite --backend=cuda --dry-run=keys || exit
