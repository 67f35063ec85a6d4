# An input that cannot be read leaves existing records unchanged and creates no file.
for f in jsonl html; do
	echo "to keep" >out.$f
	gpubench radix cpu/qsort --file=missing.bin --overwrite -o out.$f
	cat out.$f
	gpubench radix cpu/qsort --file=missing.bin -o new.$f
	gpubench radix cpu/qsort --file=missing.bin --repetitions=2 --overwrite -o out.$f
	cat out.$f
	gpubench radix cpu/qsort --file=missing.bin --repetitions=2 -o new.$f
done
gpubench radix cpu/qsort --file=missing.bin -o -
ls
