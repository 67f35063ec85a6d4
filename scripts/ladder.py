#!/usr/bin/python3
"""ladder.py BENCHMARK POINT ELEMENTS [LABEL] -- prints the steps of a benchmark's CUDA variants.
ladder.py BENCHMARK OURS... LIBRARY -- prints counts of variants beside each other.

    ladder.py radix count=65536 65536          from the published variant to the fastest one
    ladder.py radix small onesweep cub         at each point of the library
    ladder.py lbvh 'op=trace scene=knot count=32768 rays=256' 65536 trace

A step is a sentence in the head of a variant's file: "step 2 of 5: one kernel per bit." or, for one
of several ladders, "step 2 of 3 (trace): a stack per ray."  A library has "yardstick: CUB."
Launches, bytes (32 for each sector of global memory that a warp touches) and warp instructions are
those of results/counts.jsonl at the point.  Bytes and instructions are printed per element;
instructions also times 32, the lanes of a warp.  The file and function are those of the kernel with
the most instructions.
"""
import glob
import json
import os
import re
import sys

STEP = re.compile(r"(?:step (\d+) of \d+|yardstick)(?: \((\w+)\))?: (.*?)\.(?:\s|$)", re.DOTALL)


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def steps(benchmark, label):
    """(number, variant, idea) of each step, a library last."""
    for path in sorted(glob.glob(f"cuda/{benchmark}/*.cu")):
        head = re.sub(r"\n ?\*", "", text_of(path).partition("*/")[0])
        for number, of, idea in STEP.findall(head):
            if of == label:
                variant = os.path.basename(path)[:-3].replace("_", "-")
                yield int(number or 99), variant, re.sub(r"\s+", " ", idea)


def file_of(kernel, start):
    """The file that defines a kernel: the variant's, or the nearest one that it includes."""
    queue = [start]
    for path in queue:
        text = text_of(path)
        if re.search(r"__global__[^;{}]*\b" + kernel + r"\(", text):
            return path.removeprefix("cuda/")
        near = re.findall(r'^#include "(cuda/[^"]*)"', text, re.MULTILINE)
        if path.endswith(".h"):
            near += [source for source in sorted(glob.glob(os.path.dirname(path) + "/*.cu"))
                     if f'"{path}"' in text_of(source)]
        queue += [other for other in near if other not in queue]
    return None


def counted(key):
    """The kernels at a key, with their counts."""
    lines = map(json.loads, text_of("results/counts.jsonl").splitlines()[1:])
    return [(re.match(r"(?:void )?([\w:]+)", line["kernel"])[1].split("::")[-1], line["counts"])
            for line in lines if line["key"] == key and line["kernel"] != "(run)"]


def totals(kernels):
    """Launches, thousands of warp instructions, of sectors of global memory, and of barriers, and
    dependent loads."""
    total = lambda *names: sum(counts.get(name, 0) for _, counts in kernels for name in names)
    return (total("launches"), total("warp_instructions") / 1000,
            total("global_load.sectors", "global_store.sectors", "global_atomic.sectors") / 1000,
            total("barriers") / 1000, total("chain"))


def row(benchmark, point, elements, step):
    number, variant, idea = step
    kernels = counted(f"{benchmark}/cuda/{variant} {point}")
    cells = ["-"] * 4
    if kernels:
        launches, instructions, sectors, *_ = totals(kernels)
        main = max(kernels, key=lambda kernel: kernel[1]["warp_instructions"])[0]
        file = file_of(main, f"cuda/{benchmark}/{variant.replace('-', '_')}.cu")
        cells = [f"{file}: `{main}`" if file else f"`{main}`", launches,
                 f"{32000 * sectors / elements:.1f}", f"{32000 * instructions / elements:.1f}"]
    where, *counts = cells
    cells = [number if number < 99 else "-", f"`cuda/{variant}`", idea, where, *counts]
    return "| " + " | ".join(map(str, cells)) + " |"


def beside(benchmark, *variants):
    names = ("launches", "k instructions", "k sectors", "k barriers", "chain")
    keys = dict.fromkeys(json.loads(line)["key"]
                         for line in text_of("results/counts.jsonl").splitlines()[1:])
    print("| point | " + " | ".join(names) + " |")
    print("| :--- |" + " ---: |" * len(names))
    points = [key.partition(" ")[2] for key in keys
              if key.startswith(f"{benchmark}/cuda/{variants[-1]} ")]
    for point in sorted(points, key=lambda point: int(re.search(r"count=(\d+)", point)[1])):
        sums = [totals(counted(f"{benchmark}/cuda/{variant} {point}")) for variant in variants]
        if any(launches for launches, *_ in sums[:-1]):
            print(f"| {point} | " + " | ".join(
                " / ".join(f"{of[i]:.{places}f}" if of[0] else "-" for of in sums)
                for i, places in enumerate((0, 0, 1, 1, 0))) + " |")


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__.strip())
    benchmark, point, elements, label = (sys.argv + [""])[1:5]
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    if not elements.isdigit():
        beside(benchmark, *sys.argv[2:])
        return
    print("| step | variant | idea | main kernel | launches | bytes | instructions |")
    print("| ---: | :--- | :--- | :--- | ---: | ---: | ---: |")
    for step in sorted(steps(benchmark, label)):
        print(row(benchmark, point, int(elements), step))


main()
