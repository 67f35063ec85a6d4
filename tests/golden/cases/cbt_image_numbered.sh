# --image with ## writes a numbered picture of each frame.
# Existing pictures are replaced only with --overwrite.
# Operations other than update have no frames and are refused.
film() { gpubench cbt cpu/stream --op=update --shape=terrain --depth=10 --fill=0.2 --frames=3 --image=t-##.ppm --samples=2 -q "$@"; echo "status $?"; }
film
ls
film
film --overwrite
gpubench cbt cpu/stream --op=reduce --shape=terrain --depth=10 --fill=0.2 --image=r-##.ppm --samples=2 -q; echo "status $?"
ls
