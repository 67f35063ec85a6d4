# A mesh file named after a scene of the paper replaces the scene in its row, which names the mesh
# and its triangles.  The other rows keep their scenes.  Stored records of the mesh fill the row.
mkdir meshes && printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\n' >meshes/bunny.obj
gpubench repro lbvh:table1 --preset=ci --backend=cpu --samples=1 --timeout=1000 --file=meshes -o out.jsonl >table || exit
grep -o '^[ 0-9]* \(teapot\|bunny.obj\|knot\)  *\(teapot\|bunny\|dragon\)' table
grep -o '"\(scene\|file\)":"[^"]*"' out.jsonl | sort -u
gpubench repro lbvh:table1 --preset=ci --from=out.jsonl --file=meshes --format=csv >cells || exit
grep -E ',3,(primitives|scene),' cells
