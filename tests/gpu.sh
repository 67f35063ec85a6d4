#!/bin/bash
# gpu.sh COMPUTE-SANITIZER GPUBENCH -- every cuda variant on the GPU under each of its tools.
set -eu
for tool in memcheck racecheck initcheck synccheck; do
	echo "compute-sanitizer --tool $tool"
	"$1" --tool $tool --error-exitcode 9 "$2" check --backend=cuda
done
