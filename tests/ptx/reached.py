#!/usr/bin/env python3
"""reached.py -- checks that the runs of a checker have executed each of our kernels.

usage: reached.py FILE...

FILE was written by runs of one build with GPUBENCH_PTX_REACHED, and lists all kernels of the
program.  A kernel is an instance of a template or a function, identified by source file and name,
and is reached if a run has executed it.  Fails if one of ours is not.  Kernels of a library, some
of which serve other GPUs and problems, are only counted.
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


def is_ours(kernel):
    return kernel[0].startswith("cuda/")


def judge(reached):
    """Print what was reached.  True if it is not enough."""
    ours = {kernel: yes for kernel, yes in reached.items() if is_ours(kernel)}
    theirs = [yes for kernel, yes in reached.items() if not is_ours(kernel)]
    for kernel in sorted(kernel for kernel, yes in ours.items() if not yes):
        print("not reached: %s: %s" % kernel)
    print("%d of %d kernels are executed by the tests" % (sum(ours.values()), len(ours)))
    print("%d of %d kernels of libraries" % (sum(theirs), len(theirs)))
    return not ours or not all(ours.values())


if __name__ == "__main__":
    sys.exit(judge(read(sys.argv[1:])))
