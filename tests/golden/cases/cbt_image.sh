# --image writes a picture. A program built without libpng reports that instead.
gpubench cbt cpu/stream --op=update --shape=terrain --depth=10 --fill=0.2 --image=mesh.png --samples=2 -q 2>err
status=$?
[ $status = 0 ] && [ -s mesh.png ] && exit 0
grep -q 'no libpng' err
