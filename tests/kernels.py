#!/usr/bin/python3
"""kernels.py PROGRAM [ARCHITECTURE] -- a CUDA plug-in, tests/plugins/kernels.cu, without a GPU.

PROGRAM is gpubench-simt: scripts/simt-plugin.py compiles the plug-in, and the emulator reports each
planted fault.  examples/peers/cugraph.cu is skipped without the library, and passes with
tests/plugins/cugraph.cu in its place.

With an ARCHITECTURE, PROGRAM is gpubench-ptx: nvcc compiles the plug-in, and its counts are those
of the same kernel in the program.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

program = os.path.realpath(sys.argv[1])
here = os.path.dirname(os.path.realpath(__file__))
source = os.path.join(here, "plugins/kernels.cu")
convert = os.path.join(here, "../scripts/simt-plugin.py")
peer = os.path.join(here, "../examples/peers/cugraph.cu")

# Variant -> a part of the reason; "": it passes.
FAULTS = {
    "ranks": "",
    "races": "race, read after write of shared memory at kernels.cu:",
    "exceeds": "which is not device memory, at kernels.cu:",
    "unwritten": "read of uninitialised shared memory at kernels.cu:",
}

# Forms that are converted.
FORMS = """
namespace { namespace deep { template <class... T> struct list { using first = int; }; } }
template <class T, int N> __global__ void forms(int *out)
{
	volatile __shared__ int a; /* __shared__ in a comment, <<< */
	static __shared__ T b[N >> 1][2], *c, d[(N < 3 ? 1 : 2)];
	__shared__ alignas(32) typename deep::list<T, deep::list<T, deep::list<int>>>::first e;
	extern __shared__ __align__(16) unsigned char f[];
	__shared__ struct { int x, y; } g;
	const char *text = "__shared__ int z; k<<<1, 1>>>(0)";
	if (threadIdx.x == 0) { a = 1; c = b[1]; c[1] = 2; d[0] = 3; e = 4; f[0] = 5; g.y = 6; }
	__syncthreads();
	*out = a + b[1][1] + d[0] + e + f[0] + g.y + (text[0] == '_') + (2 << 1);
}
void launch(int *out)
{
	forms<int, 4><<<dim3(2 >> 1), (1, 32), 16>>>(out);
	::forms<deep::list<deep::list<deep::list<int>>>::first, 4> <<< 1, 32, 16, 0 >>> (out);
	(forms<long, (3 > 2)>)<<<1, 1>>>(out);
}
"""

# Source -> a part of the message, which names file and line.
REFUSED = {
    '__global__ void k() {\n asm volatile("bar.sync 0;"); }': "mine.cu:2: inline PTX",
    "\n\n__shared__ int a[3];": "mine.cu:3: shared memory must be declared in a function",
    'extern "C" {\nextern __shared__ int a[];\n}': "mine.cu:2: shared memory must be declared",
    "__global__ void k() {\n\n int __shared__ a; }": "mine.cu:3: write __shared__ before the type",
    "__global__ void k() { __shared__ int a = 1; }": "mine.cu:1: this declaration",
    "__global__ void k() {} void l() { k<<<1, 1; }": "mine.cu:1: <<< without >>>(",
    "template <class T> __global__ void k(T) {}\nvoid l() { k<<<1, 1>>>(1); }": "mine.cu:2:",
}


def records(*arguments, samples=1, **more):
    done = subprocess.run([program, *arguments, "--plugin=" + plugin, "--samples=%d" % samples,
                           "--warmup=0", "-q", "-o", "-"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False, timeout=120,
                          env=dict(os.environ, **more))
    lines = map(json.loads, done.stdout.splitlines())
    return {line["variant"]: line for line in lines if line["type"] == "record"}


def check(*arguments):
    done = subprocess.run([program, "check", *arguments, "--plugin=" + plugin], check=False,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and re.search(r" (\d+) of \1 passed", done.stdout), done


def compiled(text):
    path = os.path.join(folder, "mine.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run([convert, path, "-o", os.path.join(folder, "mine.so")], check=False,
                          capture_output=True, text=True, timeout=120)


def emulator():
    check("stream", "cuda/copies")
    # A planted NVML knows a GPU of this address.  Spaces separate paths in LD_PRELOAD.
    nvml = os.path.join(folder, "nvml.so")
    os.symlink(os.path.join(os.path.dirname(os.path.realpath(program)), "nvml.so"), nvml)
    found = records("radix", *("cuda/" + name for name in FAULTS), "--count=600",
                    LD_PRELOAD=nvml, GPUBENCH_SIMT_PCI="0000:01:00.0")
    for name, reason in FAULTS.items():
        record = found[name]
        assert record["status"] == ("failed" if reason else "ok"), record
        assert reason in record.get("reason", ""), record
    assert found["ranks"]["emulated"] and "counts" not in found["ranks"], found["ranks"]
    assert found["ranks"]["gpu_state"]["temperature_c"] == [50, 50], found["ranks"]
    done = compiled(FORMS)
    assert done.returncode == 0, done.stderr
    for text, reason in REFUSED.items():
        done = compiled(text)
        assert done.returncode and reason in done.stderr, (text, done)


def cugraph():
    subprocess.run([convert, peer, "-o", plugin], check=True, timeout=120)
    skipped = records("bfs", "cuda/cugraph", "--vertices=100")["cugraph"]
    assert skipped["status"] == "skipped", skipped
    assert skipped["reason"].startswith("cuGraph: libcugraph_c.so: cannot open"), skipped
    subprocess.run([convert, os.path.join(here, "plugins/cugraph.cu"),
                    "-o", os.path.join(folder, "libcugraph_c.so")], check=True, timeout=120)
    # Several searches: each has another source.
    found = records("bfs", "cuda/cugraph", "--vertices=100", "--p=0.05", "--result=both",
                    samples=20, LD_LIBRARY_PATH=folder)["cugraph"]
    assert found["status"] == "ok", found


def nvcc(architecture, *flags):
    subprocess.run(["nvcc", "-std=c++20", "-O3", "-Xcompiler", "-fPIC", "-shared", "-cudart=none",
                    "-gencode", "arch=compute_{0},code=compute_{0}".format(architecture),
                    *flags, "-I", folder, source, "-o", plugin], check=True, timeout=240)


def executor(architecture):
    with open(os.path.join(folder, "gpubench/plugin.h"), "w", encoding="utf-8") as header:
        subprocess.run([os.path.join(here, "../scripts/plugin-header.sh")], stdout=header,
                       check=True)
    nvcc(architecture)
    unread = records("stream", "cuda/copies", "--count=1000")["copies"]
    assert "compile with --no-compress" in unread["reason"], unread
    nvcc(architecture, "--no-compress")
    check("stream", "cuda/copies")
    forged = "too-long", "negative", "no-object"
    found = records("stream", "cuda/copy", "cuda/copies", *("cuda/" + name for name in forged),
                    "--count=100003")
    assert found["copies"]["status"] == "ok" and found["copies"]["emulated"], found["copies"]
    assert found["copies"]["counts"]["launches"] == 1, found["copies"]
    assert found["copies"]["counts"] == found["copy"]["counts"], found
    for name in forged:
        assert found[name]["status"] == "failed", found[name]
        assert "gives no counts" in found[name]["reason"], found[name]
    ranks = records("radix", "cuda/ranks", "--count=600")["ranks"]
    assert ranks["status"] == "ok", ranks
    assert ranks["counts"]["shared_load"]["requests"] > 0, ranks


with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, "gpubench"))
    plugin = os.path.join(folder, "kernels.so")
    if len(sys.argv) > 2:
        executor(sys.argv[2])
    else:
        subprocess.run([convert, source, "-o", plugin], check=True, timeout=120)
        emulator()
        cugraph()
    print("CUDA plug-ins: ok")
