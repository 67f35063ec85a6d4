# A mesh file named after a scene of the paper replaces the scene in its row, and the table says so.
# The other rows keep their scenes.
mkdir meshes && printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\n' >meshes/bunny.obj
gpubench repro lbvh:table1 --preset=ci --backend=cpu --samples=1 --timeout=1000 --meshes=meshes -o out.jsonl >table || exit
sed -n '/^Meshes in place/,/^The columns/p' table
grep -o '"scene":"[^"]*"' out.jsonl | sort -u
