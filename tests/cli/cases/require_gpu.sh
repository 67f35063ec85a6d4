[ -e /dev/nvidia0 ] && { echo "gpubench: --require-gpu: no GPU" >&2; exit 3; }
gpubench radix --count=10 --require-gpu 2>err
status=$?
sed "s/: .*/: no GPU/2; s/\(--require-gpu\): .*/\1: no GPU/" err >&2
exit $status
