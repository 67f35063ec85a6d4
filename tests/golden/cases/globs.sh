# Words select benchmarks and variants. A word with '!' excludes variants.
# `list`, `check`, `run` and the benchmarks accept both.
gpubench list radix 'cpu/*sort' '!vq*' | grep '^  c' | cut -d' ' -f3
gpubench list qsort | grep -c '^  cpu'
gpubench list --format=json qsort seq | grep -o '"name": "[^"]*/[^"]*"'
gpubench check radix cpu/qsort stream cpu/copy >checked || exit
gpubench check radix '*/qsort' 'cpu/*sort' '!vqsort' >>checked || exit
sed -E 's/ok       [0-9]+ passed$/ok       all passed/' checked
# Nothing is verified without a GPU.
CUDA_VISIBLE_DEVICES='' gpubench check radix '!cpu/*' >/dev/null
echo $?
gpubench run radix seq qsort octree --threads=1 --samples=1 --warmup=0 --hot --max-time=0 -q -o run.jsonl || exit
grep -o '"key":"[a-z]*/[a-z]*/[a-z]*' run.jsonl | sort | uniq -c
gpubench radix 'cpu/*sort' '!v*' --count=10 --threads=1 --dry-run | grep -o '^[a-z/]* count'
for words in "check radix cpu/bst" "run octre" "list !nothing" "check cpu/best !best" "radix !radxi/cpu/best"; do
	gpubench $words
	echo $?
done
