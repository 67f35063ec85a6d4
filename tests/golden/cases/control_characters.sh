# Messages and tables show '?' for each character that could control the terminal: C0 and C1
# characters, direction marks and malformed bytes.
obj='v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'
bad=$(printf 'a\033[31mb\302\233c\342\200\256d\342\201\246e\233f\342\200\250g\nh.obj')
gpubench lbvh cpu/stack --file="$bad"
gpubench report "$bad"
printf "$obj" >"$bad"
gpubench lbvh cpu/stack --file="$bad" -v -o out.jsonl >table 2>log || exit
grep -o 'file=a.*obj' table
grep -o 'file=a.*obj' log
gpubench lbvh cpu/stack --file="$bad" --dry-run | grep -o 'file=a.*obj'
gpubench report --format=markdown out.jsonl | grep -o 'file=a.*obj'
good=$(printf 'gr\303\266\303\237e\342\202\254.obj')
printf "$obj" >"$good"
gpubench lbvh cpu/stack --file="$good" | grep -o 'file=[^ ]*\|^gr.*obj: .*'
# A spreadsheet reads some names as formulas. The CSV report puts a ' before such a name.
for name in '=cmd|x' '+1+1' '-1-1' '@sum' 'plain'; do
	printf "$obj" >"./$name.obj"
	gpubench lbvh cpu/stack --file="$name.obj" -q --overwrite -o out.jsonl || exit
	gpubench report --format=csv out.jsonl >out.csv || exit
	tr ',' '\n' <out.csv | grep 'obj$' | tail -n 1
done
