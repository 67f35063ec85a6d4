#!/usr/bin/env python3
"""growth.py -- finds indices of our kernels that 32 bits do not hold at the largest sizes.

usage: growth.py FOLDER [WORKLOAD...]
       growth.py --self-test

FOLDER/drive is the variants' program on the PTX executor.  Each line of POINTS runs at a size and
at four times that size, and every 32-bit integer that addresses of global memory depend on is
extrapolated to the line's largest size (growth.cc), in proportion at most.  Fails if one would be
too large there.  Numbers above 2^28 at the small size are taken for bit patterns, and so are those
that grow from above 2^20 by far more than the size.  A kernel that both sizes do not reach is not
judged.
"""

import math
import os
import subprocess
import sys
import tempfile

FACTOR = 4
PATTERN = 1 << 28
# (words with {}, a size, the largest size).  Sizes of kronecker are scales: powers of 4.
POINTS = [
    ("radix --count={} --type=u32,u64,f32,pairs", 1 << 14, 1 << 30),
    ("--wide radix --count={} --type=u32,pairs", 1 << 14, 1 << 33),
    ("octree --count={} --dist=plummer --bucket=1,16", 3000, 64_000_000),
    ("--tiles octree --count={} --dist=plummer --bucket=1,16", 3000, 1 << 25),
    ("lbvh --scene=terrain --primitives={}", 3000, 30_000_000),
    ("lbvh --op=trace --scene=terrain --primitives={} --rays=9", 3000, 30_000_000),
    ("lbvh --op=trace --rays-kind=primary,bounce --scene=terrain --primitives=1000 --rays={}",
     16, 2048),
    ("bfs --graph=kronecker --scale={} --sources=1 --result=both", 7, 24),
    ("bfs --graph=road --vertices={} --sources=1 --result=both", 1 << 10, 1 << 24),
    ("cbt --op=reduce,decode,cycle --ids=sum --shape=random --fill=.3 --depth={}", 10, 30),
    ("stream --count={}", 1 << 15, 1 << 33),
]


def values(program, words, size):
    """{(kernel, statement's line in the PTX): (source line, bits, value, statement)}"""
    line = words.format(size)
    options = [w for w in line.split(" ") if w in ("--wide", "--tiles")]
    points = " ".join(w for w in line.split(" ") if w not in options)
    with tempfile.NamedTemporaryFile("r") as file:
        subprocess.run(
            [program, "--once", *options, points], check=True,
            env=dict(os.environ, GPUBENCH_PTX_GROWTH=file.name), stdout=subprocess.DEVNULL)
        rows = [row.rstrip("\n").split("\t") for row in file]
    return {(kernel, int(ptx)): (where, int(bits), int(value), statement)
            for kernel, ptx, where, bits, value, statement in rows}


def sizes(words, size, largest):
    """The two sizes to run, and how many times the second the largest is."""
    if "--scale=" in words or "--depth=" in words:
        return size, size + 2, 2.0 ** (largest - size - 2)
    if "--rays={}" in words:
        return size, size * 2, (largest / size / 2) ** 2
    return size, size * FACTOR, largest / size / FACTOR


def too_large(small, large, times):
    """The values that are too large at `times` the larger size: (predicted, kernel, row)."""
    for key in sorted(small.keys() & large.keys()):
        where, bits, value, statement = large[key]
        growth = value / max(small[key][2], 1)
        exponent = min(math.log(growth, FACTOR), 1) if growth > 1.5 else 0
        predicted = value * times**exponent
        most = 1 << 20 if growth > 1.5 * FACTOR else PATTERN
        if predicted >= 2**bits and small[key][2] < most:
            yield predicted, key[0], large[key]


def self_test():
    row = lambda value, bits=32: {("k", 1): ("a.cu:1", bits, value, "add.s32")}
    assert not list(too_large(row(100), row(400), 1e6))
    assert len(list(too_large(row(1000), row(4000), 2e6))) == 1
    assert len(list(too_large(row(1000, 31), row(4000, 31), 6e5))) == 1
    assert not list(too_large(row(1000), row(4000), 6e5))
    assert not list(too_large(row(1000), row(1000), 1e9))  # does not grow
    assert not list(too_large(row(1 << 30), row(1 << 33), 1e9))
    assert not list(too_large(row(1 << 22), row(1 << 25), 1e9))
    assert len(list(too_large(row(1 << 22), row(1 << 24), 1e9))) == 1
    print("growth.py: an index that is too large is found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    program, chosen, faults = os.path.join(sys.argv[1], "drive"), set(sys.argv[2:]), 0
    for words, size, largest in POINTS:
        if chosen and not chosen.intersection(words.split()):
            continue
        first, second, times = sizes(words, size, largest)
        small, large = values(program, words, first), values(program, words, second)
        found = list(too_large(small, large, times))
        print("%s: %d integers in addresses, %d too large at %s" % (
            words, len(small.keys() & large.keys()), len(found), f"{largest:,}"))
        for predicted, kernel, (where, bits, value, statement) in found:
            print("    %s: %s in %s: %d at %s, about %.3g at %s: more than %d bits" % (
                where, statement, kernel, value, second, predicted, largest, bits))
        faults += len(found)
    sys.exit(faults > 0)


main()
