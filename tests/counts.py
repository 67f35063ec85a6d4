#!/usr/bin/python3
"""Tests of scripts/counts.py and of the counts that it compares.

usage: tests/counts.py             check the comparison on edited copies of the stored counts
       tests/counts.py PROGRAM     also check counts of a gpubench-ptx under many schedules

Exit status 1 if a check fails.
"""
import contextlib
import copy
import io
import os
import re
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "scripts"))
sys.dont_write_bytecode = True
import counts  # noqa: E402

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
           r"make counts WRITE=1")
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


# ---- reproducibility ------------------------------------------------------------------------

# Variants that spin, divide their work among blocks, or follow pointers.
CASES = [
    "radix onesweep cub split-fused --count=20000",
    "bfs ccam csr-do --graph=gnp --vertices=512 --p=.05",
    "octree lock lf --count=1000",
    "lbvh apetrei --op=build --scene=soup --count=1000",
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


def main():
    failed = test_comparison()
    if len(sys.argv) > 1:
        failed += test_schedules(sys.argv[1])
    print("counts: %s" % (f"{failed} failed" if failed else "all passed"))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
