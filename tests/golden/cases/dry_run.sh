# A dry run lists each measurement with its memory and writes nothing; others have the reason.
gpubench radix cpu/lsd8 cpu/best --count=1000 --type=u32 --threads=1 --dry-run -o out.jsonl >plan || exit
sed "s/host .*/host N, device N/" plan
gpubench bfs cpu/ccam cpu/csr --batch=1,2 --vertices=100 --threads=1 --write=g.sg --dry-run >plan || exit
sed "s/host .*/host N, device N/" plan
ls
