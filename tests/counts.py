#!/usr/bin/python3
"""Tests of scripts/counts.py and of the counts that it compares.

usage: tests/counts.py             check the comparison on edited copies of the stored counts, the
                                   model, and that the pages made of them are up to date
       tests/counts.py PROGRAM     also check counts of a gpubench-ptx under many schedules
       tests/counts.py --planted   plant three faults in kernels; the counts must find each

Exit status 1 if a check fails.
"""
import contextlib
import copy
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "scripts"))
sys.dont_write_bytecode = True
import counters  # noqa: E402
import counts  # noqa: E402
import model  # noqa: E402

KEPT = os.path.join(TOP, "results", "counts.jsonl")


def compared(before, after):
    """Exit status and output of the comparison."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = counts.compare(before, after)
    return status, output.getvalue()


# ---- the comparison ------------------------------------------------------------------------


def find(lines, key, kernel):
    return next(n for n, k in enumerate(lines) if n and key in k["key"] and kernel in k["kernel"])


def edits(kept):
    """Yield (name, edited lines, expected exit status, expected output)."""
    at = find(kept, "radix/cuda/split ", "predicate_kernel")
    line = kept[at]
    name = re.escape(line["kernel"])
    sectors = line["counts"]["global_load.sectors"]

    def edited(count, value):
        lines = copy.deepcopy(kept)
        lines[at]["counts"][count] = value
        return lines

    yield "nothing", kept, 0, r"as kept"
    yield ("more", edited("global_load.sectors", sectors + 7), 1,
           name + r"\n  at " + re.escape(line["key"]) +
           rf"\n    worse: global_load.sectors: {sectors} before, {sectors + 7} now")
    yield ("less", edited("global_load.sectors", sectors - 7), 1,
           rf"better: global_load.sectors: {sectors} before[^:]*\n.*0 counts worse, 1 better.*"
           r"make counts-write")
    yield "neutral", edited("blocks", 1), 1, r"changed: blocks: \d+ before, 1 now"
    yield "a new count", edited("classes.local", 5), 1, r"worse: classes.local: 0 before, 5 now"
    yield ("a kernel gone", kept[:at] + kept[at + 1:], 1,
           r"better: warp_instructions: \d+ before, 0 now")
    more = dict(copy.deepcopy(line), kernel="extra()")
    yield "another kernel", kept + [more], 1, r"extra\(\)\n  at .*\n    worse: "
    yield ("another point", kept + [dict(more, key="radix/cuda/mine")], 0,
           r"radix/cuda/mine: nothing is kept")
    yield "another nvcc", [dict(kept[0], nvcc="0.1")] + kept[2:], 0, r"counts not compared"


def test_comparison():
    kept, failed = counts.read(KEPT), 0
    for name, after, wanted, said in edits(kept):
        status, output = compared(kept, after)
        if status != wanted or not re.search(said, output):
            failed += 1
            print(f"{name}: status {status}, not {wanted}, or not said: {said}\n{output}")
    return failed


def test_lacking():
    """Counters are taken of points without any, rays first; a line that was cut off is none."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write('{"key": "b"}\n{"key": "a"')
        file.flush()
        found = list(counters.lacking(dict.fromkeys(("a", "b", "z op=trace")), [file.name, "/no"]))
    if found != ["z op=trace", "a"]:
        print(f"points without counters: {found}")
        return 1
    return 0


# ---- the model -----------------------------------------------------------------------------

OPS = ("launch", "issue", "shared", "latency", "barrier", "host")
# A device's constants, in the order of model.CONSTANTS, and records that say so or not.
DEVICE = (1.2, 7.0, 30.0, 300.0, 0.9, 12.0)
CALIBRATED = {
    "all": (OPS, "ok", True),
    "one is missing": (OPS[:5], "ok", False),
    "they failed": (OPS, "failed", False),
}


def test_calibration():
    """A device's constants are found from the records of its microbenchmarks."""
    points, compiled, gpus = model.read_points(), model.Compiled(), model.read_gpus()
    failed, gpu = 0, gpus["A100"]
    steps = {p.params["op"]: p for p in points if p.calibrates}
    for name, (ops, status, wanted) in CALIBRATED.items():
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "a100"))
            with open(os.path.join(folder, "a100", model.CALIBRATION), "w") as file:
                print(json.dumps({"type": "run", "gpus": [{"name": "NVIDIA A100-SXM4"}]}),
                      file=file)
                for op in ops:
                    us, _ = model.time_of(model.terms_of(steps[op].kernels, compiled, gpu), DEVICE,
                                          gpu.mhz)
                    print(json.dumps({"type": "record", "key": steps[op].key, "status": status,
                                      "time": {"median": us * 1e3}}), file=file)
            found = model.calibrations(points, compiled, gpus, folder)
        near = "A100" in found and all(
            abs(a / b - 1) < 1e-3 for a, b in zip(found["A100"][0], DEVICE))
        if near != wanted or len(found) != wanted:
            failed += 1
            print(f"calibration, {name}: {found}")
    return failed


# A collapse of 65536 triangles with 48 divisions by powers of two, and with products by their exact
# reciprocals: more instructions of the PTX, and 2637 instead of 3294 of the SASS.
COLLAPSE = {
    "launches": 1, "blocks": 128, "threads": 16384, "grid_barriers": 7,
    "global_load.requests": 20396, "global_load.sectors": 211541, "global_store.sectors": 104494,
    "global_store.least": 24771, "global_atomic.requests": 1164, "global_atomic.sectors": 1164,
    "global_atomic.least": 1164, **{"shared_%s.wavefronts" % k: 0 for k in ("load", "store",
                                                                         "atomic")},
}
DIVIDES = {"warp_instructions": 580248, "expanded": 72480, "path": 18035, "chain": 100}
MULTIPLIES = {"warp_instructions": 593393, "path": 15789, "chain": 99}
COMPILED = {"ptx": 2664, "sass": 3294, "registers": 90, "shared": 0}


def test_divisions():
    """The collapse without divisions is predicted to be faster, and to issue less."""
    gpu, found = model.read_gpus()["H100"], []
    for c in (dict(COLLAPSE, **more) for more in (DIVIDES, MULTIPLIES)):
        us, _ = model.time_of([model.term_of(c, COMPILED, gpu, 1 << 24)], model.START, gpu.mhz)
        found.append((us, model.issued(c, COMPILED)))
    if not all(without < divides for divides, without in zip(*found)):
        print(f"collapse: us and instructions: {found[0]}, and {found[1]} without divisions")
        return 1
    return 0


# Counts that raise a predicted time, each with the number of constants that it adds.
COSTS = {
    "classes.load_shared": {"shared": 195, "serial": -195},
    "grid_barriers": {"barrier": 1},
    "copies.set": {"launch": 1},
    "copies.on_device": {"launch": 1},
    "copies.to_host": {"host": 1},
}


def test_costs():
    """A shared load costs more than another instruction; barriers, memsets and copies cost."""
    gpu, failed = model.read_gpus()["H100"], 0
    kernel = dict(COLLAPSE, **MULTIPLIES)
    run = {"device_bytes": 1 << 24, "copies.set": 0, "copies.on_device": 0, "copies.to_host": 0}

    def cost(name, number):
        """The number of each constant with `number` more of a count."""
        kernels = {"(other)": dict(kernel), "(run)": dict(run)}
        place = kernels["(run)" if name in run else "(other)"]
        place[name] = place.get(name, 0) + number
        terms = model.terms_of(kernels, types.SimpleNamespace(of=lambda *_: COMPILED), gpu)
        return [sum(t[n] for t in terms) for n in range(len(model.CONSTANTS))]

    for name, wanted in COSTS.items():
        # A hundredth of the instructions, or one copy.
        number = MULTIPLIES["warp_instructions"] // 100 if "classes" in name else 1
        found = [a - b for a, b in zip(cost(name, number), cost(name, 0))]
        if any(abs(f - wanted.get(c, 0)) > 0.5 for f, c in zip(found, model.CONSTANTS)):
            failed += 1
            print(f"cost of {name}: {dict(zip(model.CONSTANTS, found))}")
    return failed


def test_repeated_bound():
    """Repeated compare-and-swaps take a cycle each, but those of a wave only."""
    gpu, failed = model.read_gpus()["H100"], 0
    for waves in (1, 2):
        blocks = waves * 132 * gpu.blocks(128, COMPILED["registers"], 0)
        number = 1 << 20
        counted = dict(COLLAPSE, **MULTIPLIES, blocks=blocks, threads=128 * blocks, repeated=number)
        term = model.term_of(counted, COMPILED, gpu, 1 << 24)
        if term.bound != "atomics" or abs(term.least * gpu.mhz * waves / number - 1) > 1e-9:
            failed += 1
            print(f"repeated compare-and-swaps, {waves} waves: {term.bound}, {term.least} us")
    return failed


PAGES = {
    "predictions.md": ["predict.py"],
    "literature.md": ["literature.py"],
    "counters.md": ["counters.py", "--page"],
}


def test_pages():
    """The pages match the output of their scripts from the stored files."""
    failed = 0
    for page, (script, *options) in PAGES.items():
        command = [sys.executable, os.path.join(TOP, "scripts", script), *options]
        done = subprocess.run(command, capture_output=True, text=True)
        with open(os.path.join(TOP, "docs", page)) as file:
            if file.read() != done.stdout:
                failed += 1
                print(f"docs/{page} is not what scripts/{script} prints{done.stderr}")
    return failed


# ---- what is counted -----------------------------------------------------------------------

# For 16 steps of 4 bytes, the kernel's launches, barriers of the grid and chain: a load per step.
STEPS = {"launch": (16, 0, 16), "latency": (1, 0, 16), "barrier": (1, 16, 16), "issue": (1, 0, 1),
         "shared": (1, 0, 1), "host": (16, 0, 16)}


def test_steps(program):
    """Each microbenchmark has the one cost that it is named for."""
    failed = 0
    for line in counts.run(program, "stream --count=64 --op=" + ",".join(STEPS)):
        if line.get("kernel", "(run)") == "(run)":
            continue
        op, c = line["params"]["op"], line["counts"]
        found = c["launches"], c.get("grid_barriers", 0), c["chain"]
        if found != STEPS[op]:
            failed += 1
            print(f"stream --op={op}: launches, barriers, chain: {found}, not {STEPS[op]}")
    return failed


def test_bad_records():
    """A file without counts, or none, gets one line and status 2."""
    failed = 0
    for file, text, said in (
        (KEPT, "", "no record has counts"),
        ("absent", "", "No such file"),
        ("-", "[]", "'list'"),
        ("-", '{"type": "record", "counts": 5}', "'int'"),
    ):
        command = [os.path.join(TOP, "scripts", "predict.py"), "--gpu=H100", file]
        done = subprocess.run(command, capture_output=True, text=True, input=text)
        if done.returncode != 2 or said not in done.stderr or done.stderr.count("\n") != 1:
            failed += 1
            print(f"predict.py {file}: status {done.returncode}, {done.stderr}")
    return failed


def test_prediction(program):
    """gpubench-ptx prints a marked time with an interval, or one line and status 2."""
    failed = 0
    for gpu, wanted, said in (
        ("H100", 0, r"copy: predicted for an H100: \S+ us \(9 of 10: \S+ us to \S+ us\); "),
        ("V42", 2, r"^predict.py: GPU 'V42' is none of H200, .*\n$"),
    ):
        command = [program, "stream", "cuda/copy", "--count=1Mi", "--cold", "--samples=1", "-q"]
        done = subprocess.run(command, capture_output=True, text=True,
                              env=dict(os.environ, GPUBENCH_PTX_PREDICT=gpu))
        if done.returncode != wanted or not re.search(said, done.stderr):
            failed += 1
            print(f"PREDICT={gpu}: status {done.returncode}, {done.stderr}")
    return failed


# ---- reproducibility ------------------------------------------------------------------------

# Variants that spin, divide their work among blocks, or follow pointers.
CASES = [
    "radix onesweep cub split-fused --count=20000",
    "bfs ccam csr-do --graph=gnp --vertices=512 --p=.05",
    "octree lock lf --count=1000",
    "lbvh apetrei --op=build --scene=soup --primitives=1000",
]
# Numbers of OS threads, random schedules, positions of arrays and their memory.
SCHEDULES = [
    {"GPUBENCH_PTX_THREADS": "1"},
    {"GPUBENCH_PTX_THREADS": "3", "GPUBENCH_PTX_RESIDENT": "4"},
    {"GPUBENCH_PTX_SEED": "7"},
    {"GPUBENCH_PTX_ORDER": "reverse", "GPUBENCH_PTX_BLOCKS": "shuffle"},
    {"GPUBENCH_PTX_PROTECT": "1"},
    {"GPUBENCH_PTX_WEAK": "1", "GPUBENCH_PTX_SEED": "5"},
    {"MALLOC_TOP_PAD_": "1234567", "MALLOC_MMAP_THRESHOLD_": "100000000"},
]


def test_schedules(program):
    failed = 0
    for case in CASES:
        first = list(counts.run(program, case))
        for environment in SCHEDULES:
            status, output = compared(first, list(counts.run(program, case, environment.items())))
            if status:
                failed += 1
                print(f"{case} under {environment}:\n{output}")
    return failed


# ---- barriers of the grid, graphs, compare-and-swaps -----------------------------------------


def test_grid_barriers(program):
    """One barrier per level of the search, and for csr another one after its queue is made.  For
    csr the levels of the grid, which one block searches, are one."""
    failed = 0
    for case, csr, levels in (("--graph=grid --vertices=144", 2, 18),
                              ("--graph=gnp --vertices=500 --p=.05", 4, 3)):
        for variant, wanted in (("csr", csr), ("ccam-pull", levels)):
            lines = list(counts.run(program, f"bfs {variant} {case}"))
            found = [(line["counts"].get("grid_barriers"), line["counts"].get("repeated", 0))
                     for line in lines[1:] if line["kernel"] != "(run)"]
            if found != [(wanted, 0)]:
                failed += 1
                print(f"bfs {variant} {case}: barriers of the grid, and repeated: {found}, not"
                      f" {wanted}, 0")
    return failed


def test_repeated(program):
    """At the root, almost every thread of lf or lock would find its octant free, then with a
    body."""
    failed = 0
    for line in counts.run(program, "octree lf lock morton --count=1000"):
        found = line.get("counts", {}).get("repeated", 0)
        low, high = (1800, 2000) if "insert_kernel" in line.get("kernel", "") else (0, 0)
        if not low <= found <= high:
            failed += 1
            print(f"{line['key']}, {line['kernel']}: {found} repeated, not {low} to {high}")
    return failed


def test_distinct(program):
    """A copy loads and stores each of its sectors once.  Threads of a search load some twice."""
    failed, asked = 0, {"GPUBENCH_PTX_DISTINCT": "1"}
    for case, extra in (("stream copy --count=65536", asked), ("stream copy --count=65536", {}),
                        ("octree morton --count=1000", asked)):
        for line in list(counts.run(program, case, extra))[1:]:
            c = line["counts"]
            if line["kernel"] == "(run)":
                continue
            found = [c.get("global_%s.distinct" % kind) for kind in ("load", "store", "atomic")]
            wanted = [2048, 2048, None] if extra else [None, None, None]
            if "stream" in case and found != wanted or "link_kernel" in line["kernel"] and not (
                    0 < found[0] < c["global_load.sectors"]):
                failed += 1
                print(f"{case} {extra}: distinct sectors of {line['kernel']}: {found}")
    return failed


def test_graph(program):
    """The kernels of a graph are counted as launches: descent-graph has the counts of descent."""
    case = "cbt descent descent-graph --op=cycle,update --ids=sum --depth=9"
    lines = list(counts.run(program, case))
    graph = [dict(line, key=line["key"].replace("descent-graph", "descent"))
             for line in lines[1:] if "descent-graph" in line["key"]]
    launched = [line for line in lines[1:] if "descent-graph" not in line["key"]]
    status, output = compared(lines[:1] + launched, lines[:1] + graph)
    if status or len(graph) != len(launched):
        print(f"descent-graph beside descent:\n{output}")
        return 1
    return 0


# ---- planted faults -------------------------------------------------------------------------

# File, text, replacement, kernel, and the counts that must be reported as worse.
PLANTED = {
    "an extra load per key": (
        "cuda/radix/split.cu",
        "predicate[i] = !(KEY::order(keys[i]) >> bit & 1);",
        "predicate[i] = !(KEY::order(keys[i]) >> bit & 1)"
        " + 0 * ((const volatile uint32_t *)keys)[i];",
        "predicate_kernel<key_u32>", ["global_load.requests", "global_load.sectors"],
    ),
    "a shared-memory bank conflict": (
        "cuda/radix/split.cu",
        "return i + i / 32;",
        "return i;",
        "scan_kernel<unsigned int>", ["shared_load.wavefronts", "shared_store.wavefronts"],
    ),
    "an uncoalesced store": (
        "cuda/radix/split.cu",
        "const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;\n"
        "\n\tif (i < count)\n\t\tpredicate",
        "const unsigned t = threadIdx.x % 32 * (BLOCK / 32) + threadIdx.x / 32;\n"
        "\tconst size_t i = (size_t)blockIdx.x * BLOCK + t;\n\n\tif (i < count)\n\t\tpredicate",
        "predicate_kernel<key_u32>", ["global_store.sectors"],
    ),
}
CASE = "radix split --type=u32 --count=65536"


def build(tree):
    """Build gpubench-ptx in the tree, reusing objects of this one that have not changed."""
    done = subprocess.run(["make", "-C", tree, "ptx"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return os.path.join(tree, "gpubench-ptx")


def copy_tree(tree):
    """Copy this tree with its build and its file times, so that little is rebuilt."""
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    files = subprocess.run(["git", "-C", TOP, "ls-files", "-z"], capture_output=True, check=True)
    for path in filter(None, files.stdout.decode().split("\0")):
        os.makedirs(os.path.dirname(os.path.join(tree, path)), exist_ok=True)
        shutil.copy2(os.path.join(TOP, path), os.path.join(tree, path))
    for folder in os.listdir(os.path.join(TOP, "build")):
        if re.fullmatch(r"release(-ptx\d+)?", folder):
            shutil.copytree(os.path.join(TOP, "build", folder), os.path.join(tree, "build", folder))


def test_planted():
    tree = os.path.join(TOP, "build", "counts-planted")
    copy_tree(tree)
    before, failed = list(counts.run(build(tree), CASE)), 0
    for name, (path, text, wrong, kernel, worse) in PLANTED.items():
        source = os.path.join(tree, path)
        with open(source) as file:
            right = file.read()
        if right.count(text) != 1:
            sys.exit(f"tests/counts.py: {path} has no longer the text in which to plant {name}")
        with open(source, "w") as file:
            file.write(right.replace(text, wrong))
        status, output = compared(before, list(counts.run(build(tree), CASE)))
        with open(source, "w") as file:
            file.write(right)
        missing = [count for count in worse if f"worse: {count}: " not in output]
        if status != 1 or kernel not in output or missing:
            failed += 1
            print(f"{name}: not named: {missing or kernel}\n{output}")
        else:
            print(f"{name}: {', '.join(worse)} of {kernel} named")
    shutil.rmtree(tree)
    return failed


def main():
    if sys.argv[1:] == ["--planted"]:
        failed = test_planted()
    else:
        failed = test_comparison() + test_calibration() + test_divisions() + test_costs()
        failed += test_repeated_bound()
        failed += test_pages() + test_bad_records() + test_lacking()
        if len(sys.argv) > 1:
            failed += test_schedules(sys.argv[1]) + test_grid_barriers(sys.argv[1])
            failed += test_graph(sys.argv[1]) + test_steps(sys.argv[1])
            failed += test_repeated(sys.argv[1]) + test_distinct(sys.argv[1])
            failed += test_prediction(sys.argv[1])
    print("counts: %s" % (f"{failed} failed" if failed else "all passed"))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
