#!/usr/bin/env python3
"""reached.py -- how many of our kernels have the tests executed?

usage: reached.py FILE...

FILE: what GPUBENCH_PTX_REACHED made of some runs of one build.  A kernel is one of a source file and
a name; it is reached if one of the runs has executed it.  Fails below LEAST percent, and if a
kernel that is not reached has no reason here.  Those of a library, which brings what it needs for other
GPUs and problems, are counted apart.
"""

import os
import sys

LEAST = 97

# part of the line -> why no test reaches the kernel
REASONS = {}


def read(paths):
    """(file, name) -> whether it was executed."""
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


def reason_of(kernel):
    found = [why for part, why in REASONS.items() if part in " ".join(kernel)]
    return found[0] if found else None


def main():
    everything = read(sys.argv[1:])
    reached = {kernel: yes for kernel, yes in everything.items() if is_ours(kernel)}
    peers = [yes for kernel, yes in everything.items() if not is_ours(kernel)]
    missing = sorted(kernel for kernel, yes in reached.items() if not yes)
    for kernel in missing:
        print("not reached: %s: %s: %s" % (*kernel, reason_of(kernel) or "NO REASON IS KNOWN"))
    count = len(reached) - len(missing)
    print("%d of %d kernels are executed by the tests" % (count, len(reached)))
    print("%d of %d kernels of libraries" % (sum(peers), len(peers)))
    return not reached or 100 * count < LEAST * len(reached) or not all(map(reason_of, missing))


if __name__ == "__main__":
    sys.exit(main())
