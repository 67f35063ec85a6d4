# More threads than usable CPUs are allowed. gpubench prints one warning, which -q suppresses.
gpubench stream cpu/copy --count=100,200 --threads=1,1000 --samples=1 >table 2>err; echo "status $?"
sed 's/([0-9]*)/(N)/' err
gpubench radix cpu/split-omp --count=100 --threads=1000 --samples=1 --warmup=0 -q >table 2>err; echo "status $?"
cat err
gpubench stream cpu/copy --count=100 --threads=1 --samples=1 >table 2>err; echo "status $?"
cat err
