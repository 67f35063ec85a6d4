#!/bin/bash
# gpu.sh COMPUTE-SANITIZER GPUBENCH DRIVE -- every cuda variant on the GPU under each of its tools.
set -eu
for tool in memcheck racecheck initcheck synccheck; do
	echo "compute-sanitizer --tool $tool"
	"$1" --tool $tool --error-exitcode 9 "$2" check --backend=cuda
	"$1" --tool $tool --error-exitcode 9 "$3" --processors 1 --only onesweep \
		"radix --count=21000,70000 --type=u32,u64,f32 --distribution=uniform,few"
done
