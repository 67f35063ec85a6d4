# Pictures of all frames, numbered; those that exist are replaced only if asked to; other operations have no
# frames.
film() { gpubench cbt cpu/stream --op=update --shape=terrain --depth=10 --fill=0.2 --frames=3 --image=t-##.ppm --samples=2 -q "$@"; echo "status $?"; }
film
ls
film
film --overwrite
gpubench cbt cpu/stream --op=reduce --shape=terrain --depth=10 --fill=0.2 --image=r-##.ppm --samples=2 -q; echo "status $?"
ls
