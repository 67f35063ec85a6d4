# The paper's tables use the paper's tree by default, and another tree with --tree.
# A parameter that a table does not leave open is refused.
words="lbvh:table3 --preset=quick --backend=cpu --samples=1 --timeout=1000"
steps() { # WORD...: the tree and what stack2 meets of it
	gpubench repro $words -o - "$@" | grep '"variant":"stack2"' |
		sed 's/.*"tree":"\([a-z]*\)".*"nodes_per_ray":\([0-9]*\).*/\1 \2/'
}
paper=$(steps --rays=64) best=$(steps --rays=64 --tree=best)
echo "${paper% *}, ${best% *}"
[ "${best#* }" -lt "${paper#* }" ] && echo "fewer nodes"
gpubench repro $words --tree=best --rays=16 | grep -a 'Measured with'
for set in "--rays=" --count=3 --color=3 --tree=oak "--rays=4 --rays=5" --rays=4:8; do
	gpubench repro $words $set 2>&1
	echo "status $?"
done
