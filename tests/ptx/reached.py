#!/usr/bin/env python3
"""reached.py -- how many of our kernels have the tests executed?

usage: reached.py FILE...

FILE: what GPUBENCH_PTX_REACHED made of some runs of one build.  A kernel is one of a source file and
a name; it is reached if one of the runs has executed it.  Fails below LEAST percent, and if a
kernel that is not reached has no reason here.
"""

import os
import sys

LEAST = 97

# part of the line -> why no test reaches the kernel
REASONS = {
    "EmptyKernel": "CUB asks for its attributes and never launches it",
}


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


def reason_of(kernel):
    found = [why for part, why in REASONS.items() if part in " ".join(kernel)]
    return found[0] if found else None


def main():
    reached = read(sys.argv[1:])
    missing = sorted(kernel for kernel, yes in reached.items() if not yes)
    for kernel in missing:
        print("not reached: %s: %s: %s" % (*kernel, reason_of(kernel) or "NO REASON IS KNOWN"))
    count = len(reached) - len(missing)
    print("%d of %d kernels are executed by the tests" % (count, len(reached)))
    return not reached or 100 * count < LEAST * len(reached) or not all(map(reason_of, missing))


if __name__ == "__main__":
    sys.exit(main())
