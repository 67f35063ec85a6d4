#!/usr/bin/env python3
"""reached.py -- checks that the runs of a checker have executed each of our kernels.

usage: reached.py [NAME=]FILE...

FILE was written by runs of one build with GPUBENCH_PTX_REACHED or GPUBENCH_SIMT_REACHED.  Files
with the same NAME, the name of a checker, are read together.  A kernel is an instance of a template
or a function, identified by source file and name, and is reached if a run has executed it.  Fails
if a checker has not reached one of ours.  Kernels of a library, some of which serve other GPUs and
problems, are only counted.

The PTX executor lists all kernels of the program.  The emulator writes the addresses of those that
it launched; the others are the program's symbols that have the name of a kernel in cuda/.
"""

import glob
import os
import re
import subprocess
import sys

DECLARED = re.compile(
    r"__global__\s+void\s+(?:__launch_bounds__\((?:[^()]|\([^()]*\))*\)\s*)?(\w+)\("
)


def declared():
    """Name of a kernel -> the files of cuda/ that have one of that name."""
    found = {}
    paths = [p for end in ("cu", "h") for p in glob.glob("cuda/**/*." + end, recursive=True)]
    for path in paths:
        with open(path) as file:
            for name in DECLARED.findall(file.read()):
                found.setdefault(name, set()).add(path)
    return found


def base_name(kernel):
    """'void pass_kernel<key, 4>(pass<int>)' -> 'pass_kernel'"""
    return re.sub(r"^.* ", "", re.split(r"[<(]", kernel, maxsplit=1)[0])


def symbols(program):
    """Address -> (file, name) of each kernel of an emulator's program."""
    names = declared()
    listed = subprocess.run(
        ["nm", "-C", "--defined-only", program], capture_output=True, text=True, check=True
    ).stdout
    found = {}
    for line in listed.splitlines():
        address, kind, name = line.split(" ", 2)
        # A variable of a kernel has the kernel's name in front of "::".
        if kind in "tTwW" and base_name(name) in names and name.endswith(")"):
            found[address] = name
    # Per address, a line with it, then the places inlined there, innermost first.
    lines = subprocess.run(
        ["addr2line", "-i", "-a", "-e", program] + list(found),
        capture_output=True, text=True, check=True,
    ).stdout
    kernels = {}
    for (address, name), places in zip(found.items(), re.split(r"^0x", lines, flags=re.M)[1:]):
        place = places.splitlines()[-1].rpartition(":")[0]
        for file in names[base_name(name)]:
            # Not a host function of the same name.  Without variables, gcc's lines may name the
            # file that includes a header.
            if place.endswith("/" + file) or (file.endswith(".h") and "/cuda/" in place):
                kernels[int(address, 16)] = file, name
    return kernels


def short_path(path):
    """The path from cuda/ on if the file is ours.  A compiler's cache may name another folder."""
    ours = path[path.rfind("/cuda/") + 1 :]
    return ours if os.path.exists(ours) else path


def read(paths, tables):
    """(file, name) -> True if it was executed.  tables: symbols() of the programs read before."""
    reached, table = {}, {}
    for path in paths:
        with open(path) as file:
            for line in file:
                what, _, rest = line.rstrip("\n").partition(" ")
                if what in ("reached", "unreached"):
                    place, name = rest.split("\t")
                    kernel = short_path(place), name
                    reached[kernel] = reached.get(kernel, False) or what == "reached"
                elif what == "program":
                    if rest not in tables:
                        tables[rest] = symbols(rest)
                    table = tables[rest]
                    for kernel in table.values():
                        reached.setdefault(kernel, False)
                elif what == "launched" and int(rest, 16) in table:
                    reached[table[int(rest, 16)]] = True
    return reached


def is_ours(kernel):
    return kernel[0].startswith("cuda/")


def judge(checker, reached):
    """Print what a checker has reached.  True if it is not enough."""
    prefix = checker + ": " if checker else ""
    ours = {kernel: yes for kernel, yes in reached.items() if is_ours(kernel)}
    theirs = [yes for kernel, yes in reached.items() if not is_ours(kernel)]
    for kernel in sorted(kernel for kernel, yes in ours.items() if not yes):
        print("%snot reached: %s: %s" % ((prefix,) + kernel))
    print("%s%d of %d kernels are executed by the tests" % (prefix, sum(ours.values()), len(ours)))
    if theirs:
        print("%s%d of %d kernels of libraries" % (prefix, sum(theirs), len(theirs)))
    return not ours or not all(ours.values())


def judge_files(words):
    """words: [NAME=]FILE...  True if a checker has not reached enough."""
    by_checker, tables = {}, {}
    for word in words:
        checker, _, path = word.rpartition("=")
        by_checker.setdefault(checker, []).append(path)
    results = [judge(checker, read(paths, tables)) for checker, paths in by_checker.items()]
    return not results or any(results)


if __name__ == "__main__":
    sys.exit(judge_files(sys.argv[1:]))
