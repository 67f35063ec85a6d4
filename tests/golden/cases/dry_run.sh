gpubench radix cpu/lsd8 cpu/best --count=1000 --type=u32 --dry-run >plan || exit
sed "s/host .*/host N, device N/" plan
