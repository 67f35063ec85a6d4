# Files whose keys spell all parameters: resumed, compared and reported as if written today.
set -- radix cpu/qsort cpu/lsd8 --count=1M,1000 --threads=1 --samples=2 --warmup=0
gpubench "$@" -q -o new.jsonl || exit
sed 's/"key":"\([a-z0-9/]*\) count=1000/"key":"\1 number=1000/; s/"key":"\([a-z0-9/]*\)\(["t ]\)/"key":"\1 count=1000000\2/
	s/ count=1000000 number=/ count=/; s/\(count=[0-9]*\)\([" t]\)/\1 type=u32 distribution=uniform\2/
	/"key"/ s/\("key":"[^"]*\)"/\1 seed=1"/
	s/"run_id":"\([0-9a-f]\{8\}\)\([0-9a-f]*\)"/"run_id":"\2\1"/' new.jsonl >early.jsonl
grep -o '"key":"[^"]*"' early.jsonl
cp early.jsonl resumed.jsonl
gpubench "$@" -q -o resumed.jsonl --resume || exit
cmp early.jsonl resumed.jsonl && echo nothing was measured again
gpubench "$@" -q -o resumed.jsonl --resume --seed=2 || exit
gpubench report --format=json resumed.jsonl | grep -o '"key":"[^"]*"'
gpubench compare --format=json --threshold=1000 early.jsonl new.jsonl | grep -E '"why":\s"[0-9]+ of|"(missing|new)":\s0,$'
gpubench report early.jsonl >a && gpubench report new.jsonl >b && cmp a b && echo the same table
/usr/bin/python3 "$TESTS/schema.py" early.jsonl resumed.jsonl new.jsonl
