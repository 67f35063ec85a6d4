#!/bin/bash
# vulkan.sh GPUBENCH FAULTS -- the vulkan variants on Mesa's lavapipe, a Vulkan that runs on the CPU
# (`scripts/install-deps.sh vulkan-test`): every point of check; no reports from the validation
# layer, with synchronisation; errors without a loader, a driver or memory, and if a call fails, by
# the library in the folder FAULTS (tests/vulkan/faults.c).  Also checks that the built-in SPIR-V is
# up to date with its GLSL.  FAIL_FAST=1 ends with the first failure.
set -eu
gpubench=$(realpath "$1") faults=$(realpath "$2")
here=$(realpath "$(dirname "$0")/..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
pass() {
	passed=$((passed + 1))
}
fail() { # WHAT FILE
	failed=$((failed + 1))
	echo "vulkan: $1:"
	cat "$2"
	[ -z "${FAIL_FAST:-}" ] || exit 1
}
expect() { # WHAT STATUS TEXT COMMAND...: check status and output
	local what=$1 wanted=$2 text=$3 status=0
	shift 3
	"$@" >"$scratch/out" 2>&1 || status=$?
	if [ $status = "$wanted" ] &&
		{ [ -z "$text" ] || grep -qF -- "$text" "$scratch/out"; }; then
		pass
	else
		fail "$what: exit status $status instead of $wanted, or no '$text'" "$scratch/out"
	fi
}
loader() {
	ldconfig -p | sed -n 's/.*libvulkan.so.1 .*=> //p' | head -n 1
}
finish() {
	echo "vulkan: $passed passed, $failed failed"
	[ $failed = 0 ]
	exit
}

# ---- the shaders ---------------------------------------------------------------------------
# Versions of glslangValidator generate different SPIR-V; the first line has the version.
if command -v glslangValidator >/dev/null; then
	source=$here/vulkan/lbvh/shared/query.comp
	if ! glslangValidator --target-env vulkan1.2 -g0 -x "$source" -o "$scratch/spv" \
		>"$scratch/out"; then
		fail "query.comp does not compile" "$scratch/out"
	elif [ "$(head -n 1 "$scratch/spv")" != "$(head -n 1 "$source.inc")" ]; then
		pass
	elif diff -q "$scratch/spv" "$source.inc" >"$scratch/out"; then
		pass
	else
		fail "query.comp has changed: run make shaders" "$scratch/out"
	fi
else
	echo "vulkan: the shaders were not recompiled: no glslangValidator" \
		"(scripts/install-deps.sh vulkan-test)"
fi

# ---- without a device ----------------------------------------------------------------------
if "$gpubench" list lbvh | grep -q "built without Vulkan"; then
	echo "vulkan: the variants are left out: built without Vulkan (Debian: libvulkan-dev)"
	finish
fi
cd "$scratch"
cat >none.json <<'END'
{"file_format_version": "1.0.0", "ICD": {"library_path": "/nowhere.so", "api_version": "1.3.0"}}
END
nowhere=(env VK_DRIVER_FILES="$scratch/none.json" VK_ICD_FILENAMES="$scratch/none.json")
few=(lbvh --samples=2 --warmup=1 --hot)
expect "no driver" 3 "no Vulkan driver is installed" "${nowhere[@]}" \
	"$gpubench" "${few[@]}" vulkan/driver-rt --count=700
mkdir empty
: >empty/libvulkan.so.1
expect "no loader" 3 "libvulkan.so.1, is not installed" \
	env LD_LIBRARY_PATH="$scratch/empty:${LD_LIBRARY_PATH:-}" \
	"$gpubench" "${few[@]}" vulkan/driver-rt --count=700

ln -sf "$(ldconfig -p | sed -n 's/.*libm.so.6 .*=> //p' | head -n 1)" empty/libvulkan.so.1
expect "no loader" 3 "libvulkan.so.1 is no Vulkan loader" \
	env LD_LIBRARY_PATH="$scratch/empty:${LD_LIBRARY_PATH:-}" \
	"$gpubench" "${few[@]}" vulkan/driver-rt --count=700

icd=$here/build/lavapipe/lvp_icd.json
if [ ! -e "$icd" ]; then
	echo "vulkan: the variants were not run: no build/lavapipe" \
		"(scripts/install-deps.sh vulkan-test)"
	finish
fi
export VK_DRIVER_FILES=$icd VK_ICD_FILENAMES=$icd

# ---- on lavapipe ---------------------------------------------------------------------------
expect "software that was not asked for" 0 "a software device, used only with --backend=vulkan" \
	"$gpubench" env
expect "software that was not asked for" 0 "a software device, used only" \
	"$gpubench" "${few[@]}" cpu/karras32 driver-rt --count=700
expect "check" 0 " 0 failed" "$gpubench" check lbvh --backend=vulkan
expect "record" 0 "driver-rt" "$gpubench" "${few[@]}" vulkan/driver-rt --count=700 \
	--op=build,trace --rays=32 -o a.jsonl
[ "$(grep -c '"backend":"vulkan".*"status":"ok".*"emulated":true' a.jsonl)" = 2 ] && pass ||
	fail "two records, emulated" a.jsonl
expect "the schema" 0 "" /usr/bin/python3 "$here/tests/schema.py" a.jsonl

# The scenes of check, small: the layer and lavapipe are slow.
scenes=(lbvh --scene=terrain,knot,flake,soup,city,hall,teapot,flat,points,copies,huge
	--count=3001 --rays=64 --samples=1 --warmup=1 --hot)
layers=/usr/share/vulkan/explicit_layer.d
validated() { # fails at a report of the layer
	VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation \
		VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT \
		VK_VALIDATION_VALIDATE_SYNC=true "$gpubench" "$@" >said 2>&1 || return
	cat said
	! grep -E 'VUID|SYNC-HAZARD' said
}
if compgen -G "$layers/*alidation*" >/dev/null; then
	expect "validation" 0 "driver-rt" validated "${scenes[@]}" vulkan/driver-rt --op=build,trace
	expect "validation of other options" 0 "driver-rt" validated lbvh vulkan/driver-rt \
		--op=build,trace --rays-kind=primary,shadow,bounce --count=300 --rays=33 --samples=2
else
	echo "vulkan: nothing was validated: no validation layer" \
		"(scripts/install-deps.sh vulkan-test)"
fi

# ---- planted faults ------------------------------------------------------------------------
export FAULTS_LOADER
FAULTS_LOADER=$(loader)
planted() { # PLANT COMMAND...
	LD_LIBRARY_PATH=$faults FAULTS_PLANT=$1 "${@:2}"
}
expect "planted: memory" 0 "needs 117 KiB of device memory, 3.00 MiB free" \
	planted memory "$gpubench" "${few[@]}" vulkan/driver-rt --count=10k
expect "planted: limit" 0 "700 triangles: the driver accepts at most 100 per tree" \
	planted limit "$gpubench" "${few[@]}" vulkan/driver-rt --count=700
expect "planted: limit that is met" 0 " ok" \
	planted limit "$gpubench" "${few[@]}" vulkan/driver-rt --count=100
expect "planted: no queries" 0 "no ray queries" planted queries "$gpubench" "${few[@]}" \
	vulkan/driver-rt --count=700 --op=build,trace --rays=32 --rays-kind=primary,shadow
# A time below a millisecond, which would be hours if invalid bits were counted.
expect "planted: bits" 0 "ok" planted bits "$gpubench" "${few[@]}" vulkan/driver-rt \
	--count=100 -o bits.jsonl
/usr/bin/python3 - bits.jsonl >out 2>&1 <<'END' && pass || fail "a time contains invalid bits" out
import json, sys
times = [max(json.loads(line)["time"]["samples"]) for line in open(sys.argv[1]) if '"time"' in line]
assert times and max(times) < 2**20, times
END
# The loss of the device ends its own measurement and no other.
expect "planted: lost" 4 "VK_ERROR_DEVICE_LOST" planted lost-100 "$gpubench" "${few[@]}" \
	vulkan/driver-rt --count=100,200,300 -o lost.jsonl
[ "$(grep -c '"status":"ok"' lost.jsonl)" = 2 ] && pass ||
	fail "planted: lost: two other measurements must succeed" out
# Whichever call fails, the message names its result.  Failures of calls 15 and 16 change nothing.
for k in $(seq 14) $(seq 17 60) 80 100 130 170 220 300 400 550; do
	status=0
	planted fail-$k "$gpubench" lbvh vulkan/driver-rt --op=build,trace --count=100 --rays=8 \
		--samples=1 --warmup=0 --hot >out 2>&1 || status=$?
	{ [ $status = 3 ] || [ $status = 4 ]; } && grep -q "VkResult -4242" out && pass ||
		fail "planted: fail-$k: status $status" out
done
finish
