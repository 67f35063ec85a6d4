gpubench cbt cpu/descent cpu/ocbt --op=decode,update --depth=30 --shape=full --threads=2 --dry-run >plan || exit
sed "s/host .*/host N, device N/" plan
