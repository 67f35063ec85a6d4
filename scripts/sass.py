#!/usr/bin/python3
"""sass.py -- how many instructions ptxas makes of a kernel's PTX.

usage: sass.py BUILD... >results/sass.jsonl       BUILD: build/release, of nvcc

A line for each kernel and architecture, by cuobjdump: instructions in the text of its PTX and of
its SASS, registers of a thread and static shared memory of a block.  The ratio of the two turns
exact counts of PTX into issue slots (scripts/predict.py).  It is static, so right as far as ptxas
leaves loops alone.  Padding behind the last instruction is not counted.
"""
import collections
import json
import os
import re
import subprocess
import sys

STATEMENT = re.compile(r"\s*(@!?%p\d+\s+)?[a-z]")  # neither a directive, a label nor a brace
SASS = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+\s+)?(\w+)")


def dump(what, path):
    return subprocess.run(["cuobjdump", what, path], capture_output=True, text=True).stdout


def count_ptx(path):
    """kernel: instructions"""
    counts, kernel, depth = collections.Counter(), None, 0
    for line in dump("-ptx", path).splitlines():
        entry = re.search(r"\.entry (\w+)", line)
        if entry:
            kernel, depth = entry[1], 0
        # Inline PTX has braces of its own.
        was, depth = depth, depth + line.count("{") - line.count("}")
        if kernel and was and depth == 0:
            kernel = None
        elif kernel and depth and STATEMENT.match(line.lstrip("{\t ")):
            counts[kernel] += 1
    return counts


def count_sass(path):
    """(kernel, architecture): instructions"""
    counts, arch, kernel = {}, None, None
    for line in dump("-sass", path).splitlines():
        found = re.match(r"arch = (sm_\w+)", line)
        if found:
            arch = found[1]
        found = re.search(r"Function : (\w+)", line)
        if found:
            kernel = found[1], arch
            counts[kernel] = 0
        found = SASS.match(line)
        if found and found[2] != "NOP":
            counts[kernel] += 1
    # Each kernel ends in an unreachable branch to itself.
    return {where: count - 1 for where, count in counts.items()}


def resources(path):
    """(kernel, architecture): registers, bytes of shared memory"""
    found, arch, kernel = {}, None, None
    for line in dump("-res-usage", path).splitlines():
        header = re.match(r"arch = (sm_\w+)", line)
        if header:
            arch = header[1]
        header = re.match(r"\s*Function (\w+):", line)
        if header:
            kernel = header[1]
        usage = re.match(r"\s*REG:(\d+) STACK:\d+ SHARED:(\d+)", line)
        if usage:
            found[kernel, arch] = int(usage[1]), int(usage[2])
    return found


def demangled(names):
    """{name: name in the PTX executor's form, without CUB's namespace of architectures}"""
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True)
    text = done.stdout
    return dict(zip(names, re.sub(r"CUB_[0-9]+_SM_[0-9_]+::", "", text).splitlines()))


def objects(builds):
    for build in builds:
        for folder, _, names in sorted(os.walk(os.path.join(build, "cuda"))):
            sources = (name for name in sorted(names) if name.endswith(".cu.o"))
            yield from (os.path.join(folder, name) for name in sources)


def main():
    rows = {}
    for path in objects(sys.argv[1:]):
        ptx, used, file = count_ptx(path), resources(path), path.split("/cuda/")[-1][: -len(".o")]
        for (kernel, arch), sass in count_sass(path).items():
            if kernel in ptx:
                rows[file, kernel, arch] = (ptx[kernel], sass, *used[kernel, arch])
    names = demangled([kernel for _, kernel, _ in rows])
    if not rows:
        sys.exit("sass.py: no kernel in %s" % " ".join(sys.argv[1:]))
    members = ("file", "kernel", "arch", "ptx", "sass", "registers", "shared")
    for (file, kernel, arch), values in sorted(rows.items()):
        print(json.dumps(dict(zip(members, (file, names[kernel], arch, *values)))))


if __name__ == "__main__":
    main()
