# --threads in place of the preset's: every CPU variant that heeds it.
gpubench run stream --backend=cpu --threads=1,2 --dry-run >plan || exit
sed '/^$/,$d; s/: .*//' plan
