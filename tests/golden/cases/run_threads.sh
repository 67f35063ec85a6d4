# --threads replaces the threads of the preset for each variant that has this parameter.
gpubench run stream --backend=cpu --threads=1,2 --dry-run >plan || exit
sed -n 's/^\(stream.cpu.copy .*\): .*/\1/p' plan
