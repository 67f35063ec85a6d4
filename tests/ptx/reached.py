#!/usr/bin/env python3
"""reached.py -- checks that the tests have executed each of our kernels.

usage: reached.py FILE...

FILE was written by runs of one build with GPUBENCH_PTX_REACHED.  A kernel is identified by source
file and name, and is reached if a run has executed it.  Fails if one of ours is not reached.
Kernels of a library, some of which serve other GPUs and problems, are only counted, but some must
be reached.
"""

import os
import sys


def read(paths):
    """(file, name) -> True if it was executed."""
    reached = {}
    for path in paths:
        with open(path) as file:
            for line in file:
                words = line.rstrip("\n").split(" ", 3)
                if words[0] == "kernel" and len(words) == 4:
                    kernel = os.path.relpath(words[2]), words[3]
                    reached[kernel] = reached.get(kernel, False) or words[1] == "reached"
    return reached


def is_ours(kernel):
    return kernel[0].startswith("cuda/")


def main():
    reached = read(sys.argv[1:])
    ours = {kernel: yes for kernel, yes in reached.items() if is_ours(kernel)}
    theirs = [yes for kernel, yes in reached.items() if not is_ours(kernel)]
    for kernel in sorted(kernel for kernel, yes in ours.items() if not yes):
        print("not reached: %s: %s" % kernel)
    print("%d of %d kernels are executed by the tests" % (sum(ours.values()), len(ours)))
    print("%d of %d kernels of libraries" % (sum(theirs), len(theirs)))
    return not ours or not all(ours.values()) or (theirs and not any(theirs))


if __name__ == "__main__":
    sys.exit(main())
