# The paper's tables use the paper's tree by default, and another tree with --set.
# --set refuses each parameter that a table does not leave open.
words="lbvh:table3 --preset=quick --backend=cpu --samples=1 --timeout=1000"
steps() { # WORD...: the tree and what stack2 meets of it
	gpubench repro $words -o - "$@" | grep '"variant":"stack2"' |
		sed 's/.*"tree":"\([a-z]*\)".*"nodes_per_ray":\([0-9]*\).*/\1 \2/'
}
paper=$(steps --set=rays=64) best=$(steps --set=rays=64,tree=best)
echo "${paper% *}, ${best% *}"
[ "${best#* }" -lt "${paper#* }" ] && echo "fewer nodes"
gpubench repro $words --set=tree=best,rays=16 | grep -a 'Measured with'
for set in rays rays= =3 primitives=3 color=3 tree=oak rays=4,rays=5 rays=4:8; do
	gpubench repro $words --set=$set 2>&1
	echo "status $?"
done
