#!/usr/bin/python3
"""sass.py -- how many instructions ptxas makes of a kernel's PTX.

usage: sass.py BUILD... >results/sass.jsonl       BUILD: build/release, of nvcc
       sass.py --expansions >tests/ptx/expansions.inc

A line for each kernel and architecture, by cuobjdump: instructions in the text of its PTX and of
its SASS, registers of a thread and static shared memory of a block.  The ratio of the two turns
exact counts of PTX into issue slots (scripts/predict.py).  It is static, so right as far as ptxas
leaves loops alone.  Padding behind the last instruction is not counted.

The GPU has no instruction for a division or a root: ptxas expands each.  It calls a routine, for
rare operands only if they are floating-point numbers.  expansions.inc has the instructions beyond
the first, without the routine for rare operands.  The PTX executor adds them where they are
executed, and `ptx` contains them.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

STATEMENT = re.compile(r"\s*(@!?%p\d+\s+)?([a-z][\w.]*)")  # no directive, label or brace
SASS = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+\s+)?(\w+)")


def dump(what, path):
    return subprocess.run(["cuobjdump", what, path], capture_output=True, text=True).stdout


# ---- expansions ------------------------------------------------------------------------------

EXPANSIONS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                          "tests", "ptx", "expansions.inc")
TYPES = ("f32", "f64", "s16", "u16", "s32", "u32", "s64", "u64")
ARCH = "sm_90"
KERNEL = """
.visible .entry k%d(.param .u64 p)
{
.reg .u64 %%p;
.reg .b%s %%a, %%b, %%c;
ld.param.u64 %%p, [p];
ld.global.%s %%a, [%%p];
ld.global.%s %%b, [%%p+8];
%s %%c, %s;
st.global.%s [%%p], %%c;
ret;
}
"""


def expandable():
    """(opcode, its type, its operands)"""
    for type in TYPES:
        floating = type[0] == "f"
        for name in ("div.rn", "rcp.rn", "sqrt.rn") if floating else ("div", "rem"):
            yield "%s.%s" % (name, type), type, "%a" if name[0] in "rs" and floating else "%a, %b"


def measure_expansions():
    """{opcode: instructions beyond the first}"""
    cases = list(expandable())
    cases += [("add." + type, type, "%a, %b") for type in TYPES]  # one instruction each
    text = ".version 7.8\n.target %s\n.address_size 64\n" % ARCH
    for n, (opcode, type, operands) in enumerate(cases):
        text += KERNEL % (n, type[1:], type, type, opcode, operands, type)
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = (os.path.join(folder, name) for name in ("k.ptx", "k.cubin"))
        with open(ptx, "w") as file:
            file.write(text)
        subprocess.run(["ptxas", "-arch=" + ARCH, ptx, "-o", cubin], check=True)
        bodies = re.split(r"Function : k(\d+)", dump("-sass", cubin))
    length = {}
    for number, body in zip(map(int, bodies[1::2]), bodies[2::2]):
        found = [f for f in SASS.finditer(body) if f[2] != "NOP"]
        opcode, type, _ = cases[number]
        # Behind the end are routines, and an unreachable branch.
        end = next(n for n, f in enumerate(found) if f[2] == "EXIT" and not f[1])
        length[opcode] = end if type[0] == "f" else len(found) - 2
    return {opcode: length[opcode] - length["add." + type] for opcode, type, _ in expandable()}


def read_expansions():
    with open(EXPANSIONS) as file:
        return {m[1]: int(m[2]) for m in re.finditer(r'{ "([\w.]+)", (\d+) }', file.read())}


def print_expansions():
    print("/* Made by scripts/sass.py --expansions: instructions beyond the first, for %s. */"
          % ARCH)
    for opcode, extra in measure_expansions().items():
        print('{ "%s", %d },' % (opcode, extra))


# ---- kernels ---------------------------------------------------------------------------------


def count_ptx(path, extra):
    """kernel: instructions, with those that ptxas adds"""
    counts, kernel, depth = collections.Counter(), None, 0
    for line in dump("-ptx", path).splitlines():
        entry = re.search(r"\.entry (\w+)", line)
        if entry:
            kernel, depth = entry[1], 0
        # Inline PTX has braces of its own.
        was, depth = depth, depth + line.count("{") - line.count("}")
        if kernel and was and depth == 0:
            kernel = None
        elif kernel and depth and (statement := STATEMENT.match(line.lstrip("{\t "))):
            counts[kernel] += 1 + extra.get(statement[2], 0)
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
    if sys.argv[1:] == ["--expansions"]:
        return print_expansions()
    rows, extra = {}, read_expansions()
    for path in objects(sys.argv[1:]):
        ptx, used = count_ptx(path, extra), resources(path)
        file = path.split("/cuda/")[-1][: -len(".o")]
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
