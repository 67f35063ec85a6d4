#!/usr/bin/python3
"""counts.py -- exact counts of every CUDA kernel at fixed points, without a GPU.

    counts.py PROGRAM [--only=GLOB] >results/counts.jsonl      all points (make counts-write)
    counts.py PROGRAM --check results/counts.jsonl             compare (make counts)

PROGRAM is a gpubench-ptx.  It runs each point once on one OS thread, without a random schedule, on a
device of 132 multiprocessors; so the counts are the same every time, and a difference is a change of
the kernels or of the compiler.  Each difference is printed: point, kernel, count, before, after.
Exit status 1 if there is one.
"""
import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile

RADIX = "split split-fused lsd4 onesweep cub"
POINTS = [
    *[f"radix {RADIX} --type={t} --count={n}" for t in ("u32", "u64", "pairs") for n in (1 << 16, 1 << 18)],
    "radix onesweep cub --type=u32 --count=1048576",
    "radix small --type=u32 --count=8192",
    "bfs basic csr-paper csr csr-do --graph=gnp --vertices=2048 --p=.05",
    "bfs csr csr-do --graph=kronecker --scale=12",
    "bfs ccam-paper ccam-pull ccam --graph=gnp --vertices=2048 --p=.05",
    "cbt serial block --op=bitfield --depth=14 --shape=random --fill=.3",
    "cbt descent block ocbt --op=cycle --depth=14 --shape=random --fill=.3",
    "octree lock lf morton lf-shared --count=8192 --dist=plummer",
    "lbvh karras-bitonic karras-radix karras64 apetrei ploc wide --op=build --scene=soup --primitives=8192",
    "lbvh stack stack2 wide --op=trace --scene=knot --primitives=4000 --rays=64",
]
# Kernels around a measurement: some wait for the host or for the clock.
NOT_OURS = ("probe(", "hold(", "count_cycles(")


def cases():
    """Each point and variant: ("radix --count=65536", "onesweep")."""
    for point in POINTS:
        words = point.split()
        options = [w for w in words if w.startswith("--")]
        for variant in (w for w in words[1:] if not w.startswith("--")):
            yield " ".join([words[0], variant, *options])


def flatten(counts, before=""):
    """{"a": {"b": 1}} as {"a.b": 1}"""
    flat = {}
    for key, value in counts.items():
        if isinstance(value, dict):
            flat.update(flatten(value, f"{before}{key}."))
        else:
            flat[before + key] = value
    return flat


def add(total, counts):
    for key, value in flatten(counts).items():
        joined = max if key == "chain" else int.__add__
        total[key] = joined(total.get(key, 0), value)


def run(program, case):
    """The counts of one run, by kernel; those of one name are added."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as out:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GPUBENCH_PTX_")}
        environment.update(GPUBENCH_PTX_COUNTS=out.name, GPUBENCH_PTX_THREADS="1", GPUBENCH_PTX_SMS="132")
        command = [program, *case.split(), "--backend=cuda", "--cold", "--warmup=0", "--samples=1"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"counts.py: {' '.join(command)}: status {done.returncode}\n{done.stderr}{done.stdout}")
        kernels = {}
        for line in out:
            counts = json.loads(line)
            kernel = counts.pop("kernel")
            if not kernel.startswith(NOT_OURS):
                add(kernels.setdefault(kernel, {}), counts)
    return kernels


def measure(program, only):
    for case in cases():
        if fnmatch.fnmatch(case, only):
            for kernel, counts in sorted(run(program, case).items()):
                yield {"point": case, "kernel": kernel, "counts": counts}


def compare(before, after):
    """A line for each count that differs."""
    for where in sorted(before.keys() | after.keys()):
        old, new = before.get(where, {}), after.get(where, {})
        for count in sorted(old.keys() | new.keys()):
            a, b = old.get(count, 0), new.get(count, 0)
            if a != b:
                change = f" ({100 * (b - a) / a:+.1f} %)" if a else ""
                yield f"{where[0]}: {where[1]}: {count}: {a} before, {b} now{change}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--check")
    parser.add_argument("--only", default="*")
    options = parser.parse_args()
    measured = measure(options.program, options.only)
    if not options.check:
        for line in measured:
            print(json.dumps(line))
        return 0
    with open(options.check) as file:
        kept = [json.loads(line) for line in file]
    before = {(k["point"], k["kernel"]): k["counts"] for k in kept if fnmatch.fnmatch(k["point"], options.only)}
    after = {(m["point"], m["kernel"]): m["counts"] for m in measured}
    differences = list(compare(before, after))
    print("\n".join(differences) if differences else f"counts of {len(after)} kernels as before")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
