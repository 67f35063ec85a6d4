#!/usr/bin/python3
"""counts.py -- exact counts of every CUDA kernel at fixed points, without a GPU.

    counts.py PROGRAM >results/counts.jsonl               all points, large ones too (make counts WRITE=1)
    counts.py PROGRAM --check results/counts.jsonl        compare with the stored ones (make counts)
    counts.py PROGRAM --check FILE --only 'radix *'       some of the points
    counts.py --points                                    the points, for scripts/ci/counts.sh

PROGRAM is a gpubench-ptx, whose records hold the counts of each kernel.  They are taken under one
fixed schedule, on a device of 132 multiprocessors, so a difference is a change of the kernels or
of nvcc.  Counts of different versions of nvcc are not compared.  For each kernel that changed, the
point where it changed most is printed, with each count before and after.  A point without stored
counts is only named.  The exit status is 1 if a count became worse or better: if that is intended,
store the new counts.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import subprocess
import sys

# Arguments of `gpubench`: all CUDA variants and CUB, the faster ones at larger sizes too.
POINTS = [
    "radix onesweep cub --type=u64 --count=1048576",
    "radix onesweep cub --values=index --count=1048576",
    "radix onesweep cub --type=u32 --count=1048576",
    # More tiles than multiprocessors, with 4-byte keys more than twice as many: other kernels.
    *["radix onesweep --count=1572864 " + keys for keys in ("--type=u64", "--values=index")],
    "radix onesweep --count=3145728 --type=u32",
    *["radix onesweep small cub --count=4096,16384 " + keys
      for keys in ("--type=u32,u64", "--values=index")],
    *["radix " + sort + keys
      for sort in ("onesweep small cub --count=262144 ", "--count=65536 ", "small --count=8192 ")
      for keys in ("--type=u32,u64", "--values=index")],
    # A segment for a part of a warp, a warp, a block and, with zipf, the grid.
    "radix segments cub-segments --count=65536 --segments=64,512,4096 --values=none,u32",
    "radix segments cub-segments --count=65536 --segments=4096 --lengths=zipf --values=none,u32",
    "bfs --graph=gnp --vertices=4096 --p=.05",
    "bfs ccam-batch --batch=64 --graph=gnp --vertices=4096,16384 --p=.05",
    "bfs basic-early ccam --graph=gnp --vertices=16384 --p=.05",
    "bfs csr csr-paper csr-paper-early csr-do --graph=kronecker --scale=15",
    # Several vertices for each thread of a bottom-up level.
    "bfs csr-do --graph=kronecker --scale=20",
    # Many levels with few vertices each: barriers.
    "bfs csr csr-do --graph=grid --vertices=16384",
    "cbt --op=decode,reduce --depth=20 --shape=random --fill=.3",
    # Chunks whose leaves have one size.
    "cbt block ocbt --op=decode --depth=18 --shape=full",
    "cbt block --op=decode --depth=18 --shape=uniform --fill=.0078125",
    "cbt --op=cycle --depth=17 --shape=random --fill=.3",
    "cbt serial block --op=bitfield --depth=14 --shape=random --fill=.3",
    "octree --count=65536 --distribution=plummer",
    "octree morton --count=1048576 --distribution=plummer",
    "octree morton --count=2097152 --distribution=plummer",
    "lbvh --op=build --scene=soup --count=65536",
    "lbvh --op=trace --scene=knot --count=32768 --rays=256",
    "lbvh --op=trace --rays-kind=shadow,bounce --scene=knot --count=32768 --rays=128",
    "stream --count=16777216",
    # Points for which papers and others have published times.
    "cbt descent --op=decode,update --ids=sum --frames=1 --depth=17 --shape=random --fill=.25",
    "lbvh karras-bitonic --op=build --scene=teapot --count=25600",
    "lbvh karras-bitonic --op=build --scene=city --count=66000",
    "lbvh stack2 --op=trace --tree=paper --scene=teapot --count=25600 --rays=256",
    "lbvh stack2 --op=trace --tree=paper --scene=knot --count=144000 --rays=256",
]
# Sizes that take minutes: `make counts` does not compare them.
LARGE = ["radix onesweep cub --timeout=3600 --count=" + count + keys
         for count in ("16777216", "4194304") for keys in (" --type=u64", " --values=index", "")]
ENVIRONMENT = {"GPUBENCH_PTX_SMS": "132", "GPUBENCH_PTX_CHECK": "0", "OMP_NUM_THREADS": "1"}
# Counts for which neither more nor less is better.
NEUTRAL = ("blocks", "threads", "active_lanes", "least", "kernel")

# ---- measuring -----------------------------------------------------------------------------


def flatten(counts, before=""):
    """{"a": {"b": 1}} as {"a.b": 1}"""
    flat = {}
    for name, value in counts.items():
        if isinstance(value, dict):
            flat.update(flatten(value, f"{before}{name}."))
        else:
            flat[before + name] = value
    return flat


def of_record(record):
    """A line for each kernel, and one for what belongs to no kernel: copies and device memory."""
    counts = record["counts"]
    run = {name: counts[name] for name in ("copies", "copied_bytes")}
    run.update(kernel="(run)", device_bytes=record["memory"]["device_bytes"])
    for kernel in counts["kernels"] + [run]:
        name = kernel.pop("kernel")
        yield {"key": record.get("key"), "params": record["params"], "kernel": name,
               "counts": flatten(kernel)}


def run(program, point, extra=()):
    """The lines of one point, after one that names the compiler; extra: added environment."""
    command = [program, *point.split(), "--backend=cuda", "--warmup=0", "--samples=1"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GPUBENCH_PTX_")}
    environment.update(ENVIRONMENT, **dict(extra))
    done = subprocess.run(
        command + ["--quiet", "-o", "-"], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"counts.py: {' '.join(command)}: status {done.returncode}\n{done.stderr}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    yield {"nvcc": lines[0]["tool"]["nvcc"], "ptx": lines[0]["tool"]["archs"].split()[-1]}
    for record in lines[1:]:
        if record["status"] != "skipped":
            yield from of_record(record)


def measure(program, points, only):
    """All lines, the compiler's first, in the order of the points."""
    points = [point for point in points if fnmatch.fnmatch(point, only)]
    if not points:
        sys.exit(f"counts.py: no point is like {only}")
    all_of = lambda point: list(run(program, point))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        all_lines = list(pool.map(all_of, points))
    return all_lines[0][:1] + [line for lines in all_lines for line in lines[1:]]


# ---- comparing -----------------------------------------------------------------------------

Change = collections.namedtuple("Change", "count before after")


def relative(change):
    return abs(change.after - change.before) / max(change.before, 1)


def is_neutral(change):
    return change.count.split(".")[-1] in NEUTRAL


def changes_of(before, after):
    """The counts that differ, the largest change first, neutral ones last."""
    names = before.keys() | after.keys()
    changes = [Change(n, before.get(n, 0), after.get(n, 0)) for n in sorted(names)]
    changes = [c for c in changes if c.before != c.after]
    return sorted(changes, key=lambda c: (is_neutral(c), -relative(c)))


def describe(change):
    is_worse = change.after > change.before
    verdict = "changed" if is_neutral(change) else "worse" if is_worse else "better"
    grown = change.after - change.before
    share = f" ({100 * grown / change.before:+.2f} %)" if change.before else ""
    return f"    {verdict}: {change.count}: {change.before} before, {change.after} now{share}"


def report(kernel, points):
    """Lines that describe the changes of a kernel; points: { key: changes }."""
    greatest = lambda key: max(map(relative, points[key]))
    worst = max(sorted(points), key=greatest)
    more = len(points) - 1
    others = f" (and at {more} other point{'s' * (more > 1)})" if more else ""
    yield f"{kernel}\n  at {worst}{others}"
    yield from map(describe, points[worst])


def compare(before, after):
    """Print what differs; return the exit status."""
    compiler, other = before[0], after[0]
    if compiler != other:
        print(f"counts not compared: kept for {compiler}, here is {other}")
        return 0
    kept = {(k["key"], k["kernel"]): k["counts"] for k in before[1:]}
    new = {(n["key"], n["kernel"]): n["counts"] for n in after[1:]}
    keys = {key for key, _ in kept}
    for key in sorted({key for key, _ in new} - keys):
        print(f"{key}: nothing is kept of it")
    by_kernel, verdicts = {}, collections.Counter()
    for where in sorted(kept.keys() | {w for w in new if w[0] in keys}):
        changes = changes_of(kept.get(where, {}), new.get(where, {}))
        for change in changes:
            verdict = "better" if change.after < change.before else "worse"
            verdicts[verdict] += not is_neutral(change)
        if changes:
            by_kernel.setdefault(where[1], {})[where[0]] = changes
    for kernel, points in sorted(by_kernel.items()):
        print("\n".join(report(kernel, points)))
    if not by_kernel:
        print(f"counts of {len(kept)} kernels at {len(keys)} points as kept")
        return 0
    print(f"kernels that differ: {len(by_kernel)}; {verdicts['worse']} counts worse, {verdicts['better']}"
          " better; if that is meant, `make counts WRITE=1` keeps the new ones")
    return 1


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def main():
    parser = argparse.ArgumentParser(description="exact counts of every CUDA kernel")
    parser.add_argument("program", nargs="?")
    parser.add_argument("--check", metavar="FILE")
    parser.add_argument("--only", default="*", metavar="GLOB")
    parser.add_argument("--points", action="store_true")
    options = parser.parse_args()
    if options.points:
        print("\n".join(point for point in POINTS if fnmatch.fnmatch(point, options.only)))
        return 0
    lines = measure(options.program, POINTS if options.check else LARGE + POINTS, options.only)
    if not options.check:
        print("\n".join(map(json.dumps, lines)))
        return 0
    kept = read(options.check)
    keys = {line.get("key") for line in lines}
    return compare(kept[:1] + [k for k in kept[1:] if k["key"] in keys], lines)


if __name__ == "__main__":
    sys.exit(main())
