#!/usr/bin/env python3
"""words.py -- compares nvcc's code for each word of cuda/gpu.h with a stored table.

usage: words.py [--write | --self-test]

words.cu has a kernel for each word.  It is compiled for sm_75 and sm_90 and must match words.txt,
which has the instructions that access memory, wait or read a special register.  Registers are
renamed, to p<n> if they hold the kernel's n-th parameter, and qualifiers are sorted: scope, order
and operands matter, spelling and the compiler's numbering do not.

--write prints a new table.  --self-test plants faults in copies of gpu.h: each must be found in
the words that it affects and in no other.
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile

NVCC = os.environ.get("NVCC", "nvcc")
TABLE = os.path.join(os.path.dirname(__file__), "words.txt")
SOURCE = "tests/ptx/words.cu"
HEADER = "cuda/gpu.h"
ARCHITECTURES = [75, 90]
SHOWN = re.compile(
    r"(@!?%?\w+ )?(ld|st|atom|red|membar|fence|bar|barrier|mapa|nanosleep|trap|cp"
    r"|griddepcontrol|mma)\b"
    r"(?!\.param)"
    r"|mov\.\w+ %\w+, %(cluster|globaltimer)"
)
REGISTER = re.compile(r"%(?:r|rd|rs|p|f|fd)\d+\b")

# The correct text, the planted fault, the affected words, and the architecture if it is not 90.
FAULTS = [
    ('"acquire.gpu"', '"acquire.cta"', "gpu_ld_acquire gpu_cas_acquire gpu_grid_sync"),
    ('(gpu_st_release, "release")', '(gpu_st_release, "relaxed")', "gpu_st_release"),
    ('(gpu_cas, "acq_rel.gpu")', '(gpu_cas, "acq_rel.cta")', "gpu_cas"),
    ('(gpu_cas_release, "release', '(gpu_cas_release, "relaxed', "gpu_cas_release"),
    ("atom.acq_rel.gpu.add", "atom.relaxed.gpu.add", "gpu_add gpu_grid_sync"),
    (
        '"r"((unsigned)expected), "r"((unsigned)v)',
        '"r"((unsigned)v), "r"((unsigned)expected)',
        "gpu_cas gpu_cas_acquire gpu_cas_release",
    ),
    ("ld.acquire.cta.shared", "ld.relaxed.cta.shared", "gpu_ld_acquire_shared"),
    ("atom.acq_rel.cta.shared", "atom.relaxed.cta.shared", "gpu_cas_shared"),
    ('"l"(shared), "r"(rank)', '"l"(shared), "r"(rank + 1)', "gpu_cluster_map"),
    ("cluster.arrive.release", "cluster.arrive.relaxed", "gpu_cluster_sync"),
    ("%%cluster_ctarank", "%%cluster_ctaid.x", "gpu_cluster_rank"),
    ('"griddepcontrol.wait;"', '""', "gpu_wait_for_last_launch"),
    ("cp.async.wait_group %0;", "cp.async.wait_group 0;", "gpu_wait_for_copies"),
    ('"cp.async.commit_group;"', '""', "gpu_end_copies"),
    (".s32.and.popc", ".s32.xor.popc", "gpu_mma_and_popc"),
    (".s32.xor.popc", ".s32.and.popc", "gpu_mma_and_popc", 75),
    ("ones_b, 0, b[1]", "ones_b, 0, b[0]", "gpu_mma_and_popc", 75),
    ("@mine atom.shared.add", "atom.shared.add", "gpu_add_shared_if"),
]


def compile_words(architecture, folder="."):
    """The PTX, with `folder` searched for headers first."""
    command = [NVCC, "-arch=sm_%d" % architecture, "-std=c++20", "-I" + folder, "-I.", "--ptx"]
    with tempfile.NamedTemporaryFile("r", suffix=".ptx") as output:
        subprocess.run(command + [SOURCE, "-o", output.name], check=True)
        return output.read()


def spelled_alike(line):
    """One space, and an opcode's qualifiers in alphabetical order."""
    line = re.sub(r",(?=\S)", ", ", re.sub(r"\s+", " ", line))
    opcode = re.match(r"(@!?%?\w+ )?(\w+)((?:\.\w+)+)", line)
    if not opcode:
        return line
    qualifiers = "".join("." + q for q in sorted(opcode[3][1:].split(".")))
    return line[: opcode.start(3)] + qualifiers + line[opcode.end(3) :]


def lines_of(body, parameters):
    """The instructions of a kernel that SHOWN selects, with registers renamed."""
    names = {}
    new = itertools.count()
    for line in re.findall(r"^\s+(.*;)$", body, re.MULTILINE):
        loaded = re.match(r"ld\.param\.\w+\s+(%\w+), \[(\w+)\];", line)
        copied = re.match(r"cvta\.\S+\s+(%\w+), (%\w+);", line)
        if loaded:
            names[loaded[1]] = "p%d" % parameters.index(loaded[2])
        elif copied and copied[2] in names:
            names[copied[1]] = names[copied[2]]
        line = spelled_alike(line)
        if SHOWN.match(line):
            for register in REGISTER.findall(line):
                if register not in names:
                    names[register] = "r%d" % next(new)
            yield REGISTER.sub(lambda m: names[m[0]], line)


def words_in(ptx):
    """Word of each type -> its instructions as one string."""
    found = {}
    for entry in re.finditer(r"\.entry (\w+)\((.*?)\)\s*\{(.*?)^\}", ptx, re.MULTILINE | re.DOTALL):
        parameters = re.findall(r"\.param \S+ (?:\S+ )*?(\w+)(?:,|\s*$)", entry[2], re.MULTILINE)
        found[entry[1]] = " ".join(lines_of(entry[3], parameters))
    return found


def table_of(folder=".", architectures=ARCHITECTURES):
    return {
        "sm_%d %s" % (a, word): text
        for a in architectures
        for word, text in words_in(compile_words(a, folder)).items()
    }


def kept():
    with open(TABLE) as file:
        rows = [line.rstrip("\n").split(": ", 1) for line in file if not line.startswith("#")]
    return {row[0]: row[1] if len(row) > 1 else "" for row in rows}


def differences(made, table):
    return [key for key in sorted(made.keys() | table.keys()) if made.get(key) != table.get(key)]


def check():
    table = kept()
    made = table_of()
    different = differences(made, table)
    for key in different:
        print("%s\n  kept: %s\n  now:  %s" % (key, table.get(key), made.get(key)))
    print("%d words as kept, %d not" % (len(made) - len(different), len(different)))
    return bool(different)


def plant(fault, folder):
    right, wrong, words, architecture = (*fault, 90)[:4]
    with open(HEADER) as file:
        text = file.read()
    if right not in text:
        return "%s is not in %s" % (right, HEADER)
    os.makedirs(os.path.join(folder, "cuda"), exist_ok=True)
    with open(os.path.join(folder, HEADER), "w") as file:
        file.write(text.replace(right, wrong))
    made = table_of(folder, [architecture])
    table = {key: text for key, text in kept().items() if key in made}
    found = {re.sub(r"_u(32|64)$", "", key.split()[-1]) for key in differences(made, table)}
    return "" if found == set(words.split()) else "%s: differ: %s" % (wrong, sorted(found))


def self_test():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for fault in FAULTS:
            why = plant(fault, folder)
            failed += bool(why)
            if why:
                print("not found as it should be: " + why)
    print("%d faults planted in %s, %d not found" % (len(FAULTS), HEADER, failed))
    return bool(failed)


def write():
    print("# Made by words.py --write: what nvcc makes of each word of cuda/gpu.h.")
    for key, text in table_of().items():
        print("%s: %s" % (key, text))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else check())
