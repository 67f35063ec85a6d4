#!/usr/bin/env python3
"""code_hash.py COMPILE OBJECT...: which changes of the sources change the hashes of which variants.

COMPILE is a command of the compiler without files.  A few files are compiled in a tree of links with
one changed file, and their objects take the place of those of the build."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

compile_words, objects = shlex.split(sys.argv[1]), sys.argv[2:]
failures = []
FOLDERS = ("cli", "common", "cpu", "cuda", "datasets")
CSR_PAPER = "cuda/bfs/csr_paper.cu"
LSD8, LEAVES, OCBT = "cpu/radix/lsd8.c", "cpu/cbt/shared/leaves.c", "cpu/cbt/ocbt.c"
# The change, its file, the text before and after; the files to compile; the variants that differ.
CPU = [
    ("a comment", LSD8, "#include", "/* one\n * two */\n#include", [LSD8], []),
    ("a constant", LSD8, "dynamic, 16", "dynamic, 8", [LSD8], ["radix_cpu_lsd8"]),
    ("a comment in a header", "cpu/cbt/shared/leaves.h", "struct", "/* one\n * two */\nstruct",
     [LEAVES, OCBT], []),
    ("a member in a header", "cpu/cbt/shared/leaves.h", "uint64_t sum;", "uint64_t spare, sum;",
     [LEAVES, OCBT], ["cbt_cpu_ocbt"]),
]
CUDA = [
    ("a comment", CSR_PAPER, "#include", "/* one\n * two */\n#include", [CSR_PAPER], []),
    ("a constant", CSR_PAPER, "!= level)", "!= level + 1)", [CSR_PAPER],
     ["bfs_cuda_csr_paper", "bfs_cuda_csr_paper_early"]),
]


def hashes(paths, flags=""):
    words = [sys.executable, "scripts/code_hash.py", flags, *paths]
    text = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout
    return dict(re.findall(r'^const char (\w+)_code\[\] = "([0-9a-f]{32})"', text, re.M))


def place_of(source):
    """The number of the object of a source file."""
    end = "/" + re.sub(r"\.c$", "", source) + ".o"
    return next(i for i, name in enumerate(objects) if name.endswith(end))


def changed(file, old, new, sources):
    """The objects, with changed ones among them."""
    now = list(objects)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cp", "-rs", *(os.path.abspath(f) for f in FOLDERS), folder], check=True)
        os.symlink(os.path.abspath("build"), os.path.join(folder, "build"))
        os.remove(os.path.join(folder, file))
        with open(file, encoding="utf-8") as source:
            text = source.read()
        if old not in text:
            sys.exit("%s has no %r" % (file, old))
        with open(os.path.join(folder, file), "w", encoding="utf-8") as copy:
            copy.write(text.replace(old, new, 1))
        for source in sources:
            made = os.path.join(folder, "objects", source + ".o")
            os.makedirs(os.path.dirname(made), exist_ok=True)
            subprocess.run([*compile_words, "-w", "-c", source, "-o", made], cwd=folder, check=True)
            now[place_of(source)] = made
        return hashes(now)


before = hashes(objects)
if len(before) < 30 or hashes(objects, "-static") == before:
    failures.append("%d variants; flags do not matter" % len(before))
for what, file, old, new, sources, expected in CUDA if "nvcc" in sys.argv[1] else CPU:
    after = changed(file, old, new, sources)
    differ = sorted(name for name in before if before[name] != after.get(name))
    if differ != expected or len(after) != len(before):
        failures.append("%s of %s: %s differ" % (what, file, " ".join(differ) or "none"))
print("\n".join(failures) or "code hashes: %d variants" % len(before))
sys.exit(bool(failures))
