# No device is visible; the reason differs with what is installed.
CUDA_VISIBLE_DEVICES= gpubench radix --count=10 --require-gpu 2>err
status=$?
sed "s/--require-gpu: .*/--require-gpu: (why)/" err >&2
exit $status
