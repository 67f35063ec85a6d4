#!/usr/bin/env python3
"""reached.py -- checks that the runs of a checker have executed each of our kernels.

usage: reached.py FILE...

FILE was written by runs of one build with GPUBENCH_PTX_REACHED, and lists all kernels of the
program.  A kernel is an instance of a template or a function, identified by source file and name,
and is reached if a run has executed it.  Fails if one of ours is not.
"""

import os
import sys


def short_path(path):
    """The path from cuda/ on if the file is ours.  A compiler's cache may name another folder."""
    ours = path[path.rfind("/cuda/") + 1 :]
    return ours if os.path.exists(ours) else path


def read(paths):
    """(file, name) -> True if it was executed."""
    reached = {}
    for path in paths:
        with open(path) as file:
            for line in file:
                what, _, rest = line.rstrip("\n").partition(" ")
                if what in ("reached", "unreached"):
                    place, name = rest.split("\t")
                    kernel = short_path(place), name
                    reached[kernel] = reached.get(kernel, False) or what == "reached"
    return reached


kernels = read(sys.argv[1:])
ours = {kernel: yes for kernel, yes in kernels.items() if kernel[0].startswith("cuda/")}
for missed in sorted(kernel for kernel, yes in ours.items() if not yes):
    print("not reached: %s: %s" % missed)
print("%d of %d kernels are executed by the tests" % (sum(ours.values()), len(ours)))
sys.exit(not ours or not all(ours.values()))
