# The program executes itself to limit how long OpenMP's waiting threads spin.
unset GOMP_SPINCOUNT
mkfifo lines
gpubench report - <lines &
exec 3>lines
for i in $(seq 100); do
	tr '\0' '\n' </proc/$!/environ | grep SPINCOUNT && break
	sleep 0.1
done
exec 3>&-
wait
