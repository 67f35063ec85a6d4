# Files as people have them: name, status, status with --strict, and the line about the file.
# g: graphs, m p: meshes, b: bodies, k: keys, r: records.
for file in "$TESTS"/golden/files/*; do
	name=${file##*/}
	case $name in
	g*) words="bfs cpu/csr" ;;
	[mp]*) words="lbvh cpu/apetrei" ;;
	b*) words="octree cpu/seq" ;;
	k04*) words="radix cpu/lsd8 --type=f32" ;;
	k*) words="radix cpu/lsd8" ;;
	r*) words=report ;;
	esac
	if [ "$words" = report ]; then
		rows=$(gpubench report --format=csv "$file" 2>line | sed 1d | wc -l)
		gpubench report "$file" >/dev/null 2>&1
		status="$? -" && echo "$rows records" >>line
	else
		gpubench $words --dry-run --file="$file" >/dev/null 2>line
		status=$?
		gpubench $words --dry-run --strict --file="$file" >/dev/null 2>&1
		status="$status $?"
	fi
	echo "$name $status $(sed "s|.*/$name||; s/^: //; s/^gpubench: //" line | tr '\n' ' ')"
done
