# --resume adds the newline that the last line lacks.
# A file that gpubench did not write stays as it is.
copy() {
	gpubench stream cpu/copy --hot --samples=1 --warmup=0 -q "$@"
}
copy --count=10 -o out.jsonl || exit
head -c -1 out.jsonl >unended.jsonl
copy --count=10,20 --resume -o unended.jsonl || exit
/usr/bin/python3 "$TESTS/schema.py" unended.jsonl || exit
grep -c '"type":"record"' unended.jsonl
for text in 'notes to keep' '{"notes":1}' '{"notes":' '[1,2]'; do
	printf %s "$text" >notes.jsonl
	copy --count=10 --resume -o notes.jsonl
	echo "$? $(cat notes.jsonl)"
done
cp out.jsonl tail.jsonl
printf 'notes to keep' >>tail.jsonl
copy --count=10,20 --resume -o tail.jsonl
tail -n 1 tail.jsonl
echo
(printf '[' && paste -sd, out.jsonl && printf ']\n') >array.jsonl
cp array.jsonl before
copy --count=10,20 --resume -o array.jsonl
cmp array.jsonl before
