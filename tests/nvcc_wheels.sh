#!/bin/bash
# nvcc_wheels.sh -- scripts/install-nvcc.sh with small wheels in an index of files: it installs
# once.  After each failure it says why in one line, leaves nothing behind, and succeeds when called
# again.  GPU, driver and free space are those of fake programs.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
	echo "nvcc_wheels: $*"
	exit 1
}
real=${PYTHON:-/usr/bin/python3}
"$real" -c 'import pip' || real=python3
unset PYTHON HOME TMPDIR ${!PIP_@}
export PIP_CONFIG_FILE=/dev/null no_proxy='*'
top="$scratch/a b"
mkdir -p "$top/scripts" "$top/build" "$scratch/bin"

# The wheels, their index, and a copy of the script with their hashes.
"$real" - "$scratch" "$top/scripts/install-nvcc.sh" <<'PYTHON'
import hashlib, os, re, sys, zipfile
scratch, copy = sys.argv[1:]
files = {"nvidia-cuda-nvcc": {"bin/nvcc": "#!/bin/sh\necho release 13.0\n", "bin/ptxas": ""},
         "nvidia-nvvm": {"nvvm/bin/cicc": ""},
         "nvidia-cuda-runtime": {"lib/libcudart_static.a": "", "include/cuda_runtime.h": ""},
         "nvidia-cuda-crt": {"include/crt/host_config.h": ""},
         "nvidia-cuda-cccl": {"include/cccl/cub/cub.cuh": ""},
         "nvidia-nvtx": {"include/nvtx3/nvToolsExt.h": ""},
         "nvidia-cuda-profiler-api": {"include/cuda_profiler_api.h": ""}}

def wheel(match):
    name, version = match.groups()
    stem = f"{name.replace('-', '_')}-{version}"
    path = f"{scratch}/index/{name}/{stem}-py3-none-any.whl"
    os.makedirs(os.path.dirname(path))
    with zipfile.ZipFile(path, "w") as made:
        for member, text in files[name].items():
            made.writestr(f"nvidia/cu13/{member}", text)
        made.writestr(f"{stem}.dist-info/licenses/License.txt", "license")
        made.writestr(f"{stem}.dist-info/METADATA",
                      f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        made.writestr(f"{stem}.dist-info/WHEEL",
                      "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{stem}.dist-info/RECORD", "")
    with open(f"{scratch}/index/{name}/index.html", "w") as page:
        page.write(f'<!DOCTYPE html><a href="{os.path.basename(path)}">{stem}</a>')
    digest = hashlib.sha256(open(path, "rb").read()).hexdigest()
    return f"{name}=={version}\n\t--hash=sha256:{digest}"

text, count = re.subn(r"(nvidia-\S+)==(\S+)\n\s+--hash=sha256:\w+", wheel,
                      open("scripts/install-nvcc.sh").read())
assert count == len(files)
open(copy, "w").write(text)
PYTHON
chmod +x "$top/scripts/install-nvcc.sh"

# python, whose installations FAKE makes fail, and what the machine has.
cat >"$scratch/python" <<'PYTHON'
#!/bin/sh
if [ "$1 $2 $3" = "-m pip install" ]; then
	echo "$FAKE" >>"$CALLS"
	echo half >"$TMPDIR/half"
	case $FAKE in
	interrupted) kill -TERM $PPID; exit 1 ;;
	empty) exit ;;
	esac
fi
exec "$REAL" "$@"
PYTHON
cat >"$scratch/bin/nvidia-smi" <<'SMI'
#!/bin/sh
case $1 in
*driver_version) echo "${DRIVER-580.65.06}" ;;
*compute_cap) printf '6.1\n%s\n' "${CAPABILITY-10.0}" ;;
esac
SMI
printf '#!/bin/sh\necho Avail; echo $((${FREE:-401} * 1024))\n' >"$scratch/bin/df"
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/python3"
chmod +x "$scratch/python" "$scratch"/bin/*
export REAL="$real" CALLS="$scratch/calls" FAKE=

# call [NAME=VALUE...] SCRIPT [WORD]
script="$top/scripts/install-nvcc.sh"
call() {
	env PATH="$scratch/bin:$PATH" PIP_INDEX_URL="file://$scratch/index" \
		PYTHON="$scratch/python" "$@"
}
install() { # NAME=VALUE...
	status=0
	call "$@" "$script" >"$scratch/out" 2>"$scratch/err" || status=$?
}
# nothing_left WHEN: build/ has at most the log
nothing_left() {
	local left
	left=$(find "$top/build" -mindepth 1 ! -name install-nvcc.log)
	[ -z "$left" ] || fail "$1: left behind: $left"
}
# refused WHY NAME=VALUE...: it fails with one line, which has WHY
refused() {
	install "${@:2}"
	[ "$status" = 1 ] || fail "$1: status $status: $(cat "$scratch/err")"
	[ "$(wc -l <"$scratch/err")" = 1 ] && grep -q "^install-nvcc: .*$1" "$scratch/err" ||
		fail "not '$1': $(cat "$scratch/err")"
	nothing_left "$1"
}

# ---- before anything is downloaded --------------------------------------------------------------

refused 'needs python3 with pip' PYTHON=false
refused 'driver 580 or later, and this is 535\.104\.05' DRIVER=535.104.05
refused 'capability 7\.5 or later, and this has 7\.0' CAPABILITY=7.0
refused 'needs 400 MB in .*/a b/build, which has 399 MB free' FREE=399
[ ! -e "$CALLS" ] || fail "pip was called"
rm -r "$top/build"
touch "$top/build"
refused 'cannot write into'
rm "$top/build"

# ---- downloads that fail ------------------------------------------------------------------------

refused 'no lasting connection to the package index; see build/install-nvcc.log' \
	PIP_INDEX_URL=http://127.0.0.1:1/
grep -q 127.0.0.1 "$top/build/install-nvcc.log" || fail "the log lacks pip's output"
cp -r "$scratch/index" "$scratch/altered"
echo more | tee -a "$scratch"/altered/nvidia-nvvm/*.whl >/dev/null
refused 'not the original (wrong SHA-256)' PIP_INDEX_URL="file://$scratch/altered"
refused 'was downloaded but does not run' FAKE=empty
install FAKE=interrupted
[ "$status" = 130 ] || fail "interrupted: status $status"
nothing_left interrupted

# ---- success ------------------------------------------------------------------------------------

! call "$script" --check || fail "--check finds nvcc"
# Two at once: one waits.
: >"$CALLS"
call "$script" >"$scratch/other" 2>&1 &
install
[ "$status" = 0 ] || fail "$(cat "$scratch/err" "$top/build/install-nvcc.log")"
wait $! || fail "the other: $(cat "$scratch/other" "$top/build/install-nvcc.log")"
[ "$(wc -l <"$CALLS")" = 1 ] || fail "both have called pip"
[ "$(ls "$top/build" | tr '\n' ' ')" = 'install-nvcc.log nvcc ' ] || fail "$(ls -A "$top/build")"
for file in bin/ptxas nvvm/bin/cicc; do
	[ -x "$top/build/nvcc/$file" ] || fail "$file is not executable"
done
for file in lib64/libcudart_static.a include/cccl/cub/cub.cuh License.txt; do
	[ -e "$top/build/nvcc/$file" ] || fail "no $file"
done
# Once it is there, neither index nor driver count.
call "$script" --check || fail "--check finds no nvcc"
install PYTHON=false DRIVER=470.82
[ "$status" = 0 ] && [ ! -s "$scratch/out" ] || fail "again: $(cat "$scratch/out" "$scratch/err")"
echo "nvcc_wheels: ok"
