# The picture is written, and the program that was built without libpng says so.
gpubench cbt cpu/stream --op=update --shape=terrain --depth=10 --fill=0.2 --image=mesh.png --samples=2 -q 2>err
status=$?
[ $status = 0 ] && [ -s mesh.png ] && exit 0
grep -q 'no libpng' err
