# An input that cannot be read leaves existing records unchanged and creates no file.
echo "to keep" >out.jsonl
gpubench radix cpu/qsort --file=missing.bin --overwrite -o out.jsonl
cat out.jsonl
gpubench radix cpu/qsort --file=missing.bin -o new.jsonl
gpubench radix cpu/qsort --file=missing.bin --repetitions=2 --overwrite -o out.jsonl
cat out.jsonl
gpubench radix cpu/qsort --file=missing.bin --repetitions=2 -o new.jsonl
gpubench radix cpu/qsort --file=missing.bin -o -
ls
