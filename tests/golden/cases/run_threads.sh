# --threads in place of the preset's: each variant that heeds it.
gpubench run stream --backend=cpu --threads=1,2 --dry-run >plan || exit
sed -n 's/^\(stream.cpu.copy .*\): .*/\1/p' plan
