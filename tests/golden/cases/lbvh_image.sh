gpubench lbvh --op=trace --scene=teapot --count=100 --rays=8 --samples=1 --write=picture.ppm -o records.jsonl cpu/stack >/dev/null 2>&1 || exit
head -c 11 picture.ppm; cksum <picture.ppm; ls
