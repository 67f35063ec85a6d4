#!/usr/bin/python3
"""kernel.py GPUBENCH [EMULATOR [PTX-EXECUTOR]] -- follows docs/your-kernel.md with an installed
program, in an empty folder.

The commands are those of the page with small inputs.  For other benchmarks than radix and for CUDA,
the benchmark and the back end are replaced.  The same holds for the README.md that `gpubench new`
writes.  Without a GPU, a CUDA variant is compiled by nvcc, listed and skipped; the executors check
it for races and count.  Those that were not built are left out.  With both executors, only CUDA
variants of JUDGED are compiled for a GPU that is not there.
"""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import jsonschema

program, emulator, ptx_executor = [os.path.exists(path) and os.path.realpath(path)
                                   for path in (sys.argv[1:] + ["", ""])[:3]]
ptx_executor = emulator and ptx_executor  # they are installed together
top = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
# Benchmark: parameters of a small input, the reason for points that the CPU variant skips.
SMALL = {
    "radix": ("--count=10k", "sorts u32 keys only"),
    "bfs": ("--vertices=2k", None),
    "cbt": ("--depth=10 --fill=.2", "does no updates"),
    "octree": ("--count=2k", None),
    "lbvh": ("--primitives=1k", "builds only"),
    "stream": ("--count=8Mi", None),
}
nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def run(command, cwd, statuses=(0,)):
    done = subprocess.run(command, shell=True, cwd=cwd, env=environment, capture_output=True,
                          text=True, timeout=200, check=False)
    assert done.returncode in statuses, (command, done.returncode, done.stdout, done.stderr)
    return done


def commands_of(page):
    with open(page, encoding="utf-8") as file:
        return re.findall(r"^    (\S.*)", file.read(), re.MULTILINE)


def check(command, backend, reason, cwd):
    """Each point passes, or is skipped for the reason that the variant gives."""
    done = run(command, cwd, (0,) if backend == "cpu" or has_gpu else (3,))
    line = next(line for line in done.stdout.splitlines() if backend + "/mine" in line)
    if backend == "cuda" and not has_gpu:
        assert " skipped " in line, line
        return
    passed, points, why = re.search(r"ok +(\d+) of (\d+) passed(?:; (.*))?$", line).groups()
    if backend == "cpu":
        assert why == reason and (reason or passed == points), line


def measure(command, backend, cwd):
    """The variant is in the table, beside others; a copy may be doubtful on a busy machine."""
    skipped = backend == "cuda" and not has_gpu
    done = run(command, cwd, (3,) if skipped else (0, 6))
    mine = [line for line in done.stdout.splitlines() if backend + "/mine" in line]
    others = len(re.findall(r"^%s/(?!mine)" % backend, done.stdout, re.MULTILINE))
    if skipped:
        assert "skipped: " in mine[0], done.stdout
    else:
        copies = "stream" in command
        assert mine and mine[0].endswith(("ok", "doubtful") if copies else "ok"), done.stdout
        assert others or "'%s/*'" % backend not in command, done.stdout


def race(benchmark, cwd):
    """The emulator's check, as on the page for stream; at one small point for the others."""
    point = re.search("cuda/mine .* (--.*) --plugin", run("make -n counts", cwd).stdout).group(1)
    small = ("make mine-simt.so; gpubench-simt %s cuda/mine %s --plugin=./mine-simt.so "
             "--samples=4 --warmup=0" % (benchmark, point))
    printed = run("make race" if benchmark == "stream" else small, cwd).stdout
    assert re.search(r"cuda/mine +(?:ok +(\d+) of \1 passed|emulated  ok)", printed), printed


def counts(benchmark, cwd):
    printed = run("make counts", cwd).stdout
    others = {"radix": ["cub", "onesweep"]}.get(benchmark, [])
    for name in "mine", *others:
        assert re.search("^%s +[0-9]" % name, printed, re.MULTILINE), printed


# Claims a result of its own.
LIES = r'''#include <unistd.h>
__attribute__((constructor)) static void lie(void)
{
	const char line[] =
		R"({"type":"verdict","variant":"cuda/mine","check":{"failed":1}})" "\n";

	(void)!write(2, line, sizeof line - 1);
}
'''
# Benchmark: how its source is changed; the judge's status, the emulator's result, its reason.
JUDGED = {
    "stream": [("enum {", LIES + "enum {", 6, "passed", None),
               ("enum {", "#error no kernel\nenum {", 6, "not checked", "#error no kernel")],
    "bfs": [("atomicCAS(&dist[v], BFS_UNREACHED, level) == BFS_UNREACHED",
             "dist[v] == BFS_UNREACHED && (dist[v] = level)",
             1, "failed", "write of global memory at other.cu:")],
}


def judge(benchmark, cwd):
    """A judge tries the source in both executors; it finds a race, or says why it cannot look."""
    with open(os.path.join(cwd, "mine.cu"), encoding="utf-8") as file:
        source = file.read()
    for old, new, status, result, reason in JUDGED.get(benchmark, []):
        assert old in source, old
        text = source.replace(old, new, 1)
        with open(os.path.join(cwd, "other.cu"), "w", encoding="utf-8") as file:
            file.write(text)
        done = run("gpubench judge %s cuda/mine --plugin=./mine.so --source=other.cu --budget=600"
                   % benchmark, cwd, (status,))
        line = json.loads(done.stdout)
        jsonschema.validate(line, schema)
        found = line["emulator"]
        assert found["result"] == result and (reason or "") in (found["reason"] or ""), line
        assert found["sha256"] == hashlib.sha256(text.encode()).hexdigest(), line
        counted = [item["key"].split()[0] for item in line["counts"]["variants"]]
        assert counted == ["stream/cuda/mine"] * (result == "passed"), line


def compiles(benchmark, backend):
    """True if the plug-in is compiled for this machine."""
    return backend == "cpu" or has_gpu or benchmark in JUDGED or not (emulator and ptx_executor)


def follow(commands, benchmark, backend, small, cwd):
    """Run the commands of a page; `small` are further options of those that measure."""
    for command in commands:
        words = shlex.split(command)
        if not compiles(benchmark, backend) and (
                words == ["make"] or "--plugin=./mine.so" in words):
            continue
        if words in (["make", "race"], ["make", "counts"]):
            if backend == "cuda" and emulator and words[1] == "race":
                race(benchmark, cwd)
            elif backend == "cuda" and ptx_executor and words[1] == "counts":
                counts(benchmark, cwd)
        elif words[0] == "cd":
            cwd = os.path.join(cwd, words[1])
        elif words[:2] == ["gpubench", "check"]:
            check(command, backend, SMALL[benchmark][1], cwd)
        elif words[:2] == ["gpubench", "compare"]:
            if os.path.exists(os.path.join(cwd, words[2])):
                run(command, cwd, (0, 1, 6))
        elif words[:2] == ["gpubench", benchmark]:
            if "--runs=5" not in words or backend == "cpu" or has_gpu:
                measure(command + small, backend, cwd)
        elif "-B" not in words or backend == "cpu" or has_gpu:
            run(command, cwd)


def try_one(benchmark, backend):
    with tempfile.TemporaryDirectory() as folder:
        small = " %s --max-time=0.05" % SMALL[benchmark][0]
        page = [line.replace("radix", benchmark).replace("cpu/", backend + "/") for line in
                commands_of(os.path.join(top, "docs/your-kernel.md"))]
        assert sum(line.startswith("gpubench") for line in page) == 6, page
        follow([line.replace(" --max-time=0.5", "") for line in page], benchmark, backend, small,
               folder)
        mine = os.path.join(folder, "mine")
        if compiles(benchmark, backend):
            listed = run("gpubench list %s --plugin=./mine.so" % benchmark, mine).stdout
            assert " %s/mine " % backend in listed, listed
        readme = commands_of(os.path.join(mine, "README.md"))
        if backend == "cuda":
            assert {"make race", "make counts"} < set(readme), readme
            if emulator and ptx_executor and not has_gpu:
                judge(benchmark, mine)
        if (benchmark, backend) == ("radix", "cpu"):
            # The README has the commands of the page.
            assert {line for line in readme if line != "make"} < set(page), readme
        for name in "README.md", "Makefile", "mine.c" if backend == "cpu" else "mine.cu":
            with open(os.path.join(mine, name), encoding="utf-8") as file:
                assert not re.search("@[A-Z]+@", file.read()), name


with tempfile.TemporaryDirectory() as prefix:
    built = os.path.relpath(program, top)
    subprocess.run([os.environ.get("MAKE", "make"), "-o", "all", "-o", "man", "-o", built,
                    "-o", "executors", "BUILD=" + os.path.dirname(built), "PREFIX=" + prefix,
                    "EMULATOR=%s" % (emulator or ""), "PTX_EXECUTOR=%s" % (ptx_executor or ""),
                    "install", *["install-executors"] * bool(emulator)],
                   cwd=top, stdout=subprocess.DEVNULL, check=True)
    with open(os.path.join(top, "results/gpubench-verdict-1.schema.json"), "rb") as handle:
        schema = json.load(handle)
    environment = dict(os.environ, PATH=prefix + "/bin:" + os.environ["PATH"])
    has_gpu = not subprocess.run([program, "check", "stream", "cuda/copy"], capture_output=True,
                                 check=False).returncode
    for chosen in SMALL:
        try_one(chosen, "cpu")
        if nvcc:
            try_one(chosen, "cuda")
    print("your kernel: ok" + ("" if nvcc else ", without CUDA: no nvcc") +
          ("" if emulator else ", without the emulator") +
          ("" if ptx_executor else ", without the PTX executor"))
