#!/usr/bin/env python3
"""words.py -- the instructions that nvcc makes of each word of cuda/gpu.h, against a kept table.

usage: words.py [--write | --self-test]

words.cu has a kernel for each word.  It is compiled for sm_75 and sm_90, with the words as this nvcc
takes them and as it takes them before CUDA 12.8 (GPU_WORDS_BY_HAND): both have to be what words.txt
says.  Of each kernel the instructions are shown that touch memory, wait or read a special register.
Registers are renamed, p<n> where they hold the kernel's n-th parameter, and qualifiers sorted: scope,
order and operands count, spelling and the compiler's numbering do not.

--write prints a new table.  --self-test plants faults in copies of gpu.h: each has to be found, in
the words that it concerns and in no other.
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
HALVES = {"nvcc": [], "by hand": ["-DGPU_WORDS_BY_HAND"]}
BUILT_IN_SINCE = (12, 8)  # before it, both halves are the words by hand
ARCHITECTURES = [75, 90]
SHOWN = re.compile(
    r"(@!?%?\w+ )?(ld|st|atom|red|membar|fence|bar|barrier|mapa|nanosleep|trap|prefetch|cp|griddepcontrol|mma)\b"
    r"(?!\.param)"
    r"|mov\.\w+ %\w+, %(cluster|globaltimer)"
)
REGISTER = re.compile(r"%(?:r|rd|rs|p|f|fd)\d+\b")

# What is planted, in which half, the words that then differ, and the architecture if it is not 90.
# Built-in words are of "nvcc".
FAULTS = [
    ("by hand", '"acquire.gpu"', '"acquire.cta"', "gpu_ld_acquire gpu_cas_acquire gpu_grid_sync"),
    ("by hand", '(gpu_st_release, "release")', '(gpu_st_release, "relaxed")', "gpu_st_release"),
    ("by hand", '(gpu_cas, "acq_rel.gpu")', '(gpu_cas, "acq_rel.cta")', "gpu_cas"),
    ("by hand", '(gpu_cas_release, "release', '(gpu_cas_release, "relaxed', "gpu_cas_release"),
    ("by hand", "atom.acq_rel.gpu.add", "atom.relaxed.gpu.add", "gpu_add gpu_grid_sync"),
    (
        "by hand",
        '"r"((unsigned)expected), "r"((unsigned)v)',
        '"r"((unsigned)v), "r"((unsigned)expected)',
        "gpu_cas gpu_cas_acquire gpu_cas_release",
    ),
    (
        "nvcc",
        "v, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE",
        "v, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK",
        "gpu_st_release",
    ),
    ("nvcc", "(p, v, __NV_ATOMIC_ACQ_REL", "(p, v, __NV_ATOMIC_RELAXED", "gpu_add gpu_grid_sync"),
    ("nvcc", "ld.acquire.cta.shared", "ld.relaxed.cta.shared", "gpu_ld_acquire_shared"),
    ("nvcc", "atom.acq_rel.cta.shared", "atom.relaxed.cta.shared", "gpu_cas_shared"),
    ("nvcc", "_release, __NV_ATOMIC_RELEASE", "_release, __NV_ATOMIC_RELAXED", "gpu_cas_release"),
    (
        "nvcc",
        "_acquire, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_ACQUIRE",
        "_acquire, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED",
        "gpu_cas_acquire",
    ),
    ("nvcc", '"l"(shared), "r"(rank)', '"l"(shared), "r"(rank + 1)', "gpu_cluster_map"),
    ("nvcc", "cluster.arrive.release", "cluster.arrive.relaxed", "gpu_cluster_sync"),
    ("nvcc", "%%cluster_ctarank", "%%cluster_ctaid.x", "gpu_cluster_rank"),
    ("nvcc", '"griddepcontrol.wait;"', '""', "gpu_wait_for_last_launch"),
    ("nvcc", "cp.async.wait_group %0;", "cp.async.wait_group 0;", "gpu_wait_for_copies"),
    ("nvcc", '"cp.async.commit_group;"', '""', "gpu_end_copies"),
    ("nvcc", ".s32.and.popc", ".s32.xor.popc", "gpu_mma_and_popc"),
    ("nvcc", ".s32.xor.popc", ".s32.and.popc", "gpu_mma_and_popc", 75),
    ("nvcc", "ones_b, 0, b[1]", "ones_b, 0, b[0]", "gpu_mma_and_popc", 75),
    ("nvcc", "@mine atom.shared.add", "atom.shared.add", "gpu_add_shared_if"),
]


def compile_words(half, architecture, folder="."):
    """The PTX, with `folder` searched for headers first."""
    command = [NVCC, "-arch=sm_%d" % architecture, "-std=c++20", "-I" + folder, "-I.", "--ptx"]
    with tempfile.NamedTemporaryFile("r", suffix=".ptx") as output:
        subprocess.run(command + HALVES[half] + [SOURCE, "-o", output.name], check=True)
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
    """The instructions of a kernel that are shown, with registers renamed."""
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
    """Word of each type -> its instructions, one text."""
    found = {}
    for entry in re.finditer(r"\.entry (\w+)\((.*?)\)\s*\{(.*?)^\}", ptx, re.MULTILINE | re.DOTALL):
        parameters = re.findall(r"\.param \S+ (?:\S+ )*?(\w+)(?:,|\s*$)", entry[2], re.MULTILINE)
        found[entry[1]] = " ".join(lines_of(entry[3], parameters))
    return found


def table_of(half, folder=".", architectures=ARCHITECTURES):
    return {
        "sm_%d %s" % (a, word): text
        for a in architectures
        for word, text in words_in(compile_words(half, a, folder)).items()
    }


def kept():
    with open(TABLE) as file:
        rows = [line.rstrip("\n").split(": ", 1) for line in file if not line.startswith("#")]
    return {row[0]: row[1] if len(row) > 1 else "" for row in rows}


def differences(made, table):
    return [key for key in sorted(made.keys() | table.keys()) if made.get(key) != table.get(key)]


def check():
    table = kept()
    wrong = 0
    for half in HALVES:
        made = table_of(half)
        different = differences(made, table)
        wrong += len(different)
        for key in different:
            print("%s, %s\n  kept: %s\n  now:  %s" % (key, half, table.get(key), made.get(key)))
        print("%s: %d words as kept, %d not" % (half, len(made) - len(different), len(different)))
    return wrong != 0


def plant(fault, folder):
    half, right, wrong, words, architecture = (*fault, 90)[:5]
    with open(HEADER) as file:
        text = file.read()
    if right not in text:
        return "%s is not in %s" % (right, HEADER)
    os.makedirs(os.path.join(folder, "cuda"), exist_ok=True)
    with open(os.path.join(folder, HEADER), "w") as file:
        file.write(text.replace(right, wrong))
    made = table_of(half, folder, [architecture])
    table = {key: text for key, text in kept().items() if key in made}
    found = {re.sub(r"_u(32|64)$", "", key.split()[-1]) for key in differences(made, table)}
    return "" if found == set(words.split()) else "%s: differ: %s" % (wrong, sorted(found))


def has_built_in_words():
    text = subprocess.run([NVCC, "--version"], capture_output=True, text=True, check=True).stdout
    release = re.search(r"release (\d+)\.(\d+)", text)
    return (int(release[1]), int(release[2])) >= BUILT_IN_SINCE


def self_test():
    built_in = has_built_in_words()
    faults = [f for f in FAULTS if built_in or "__NV_ATOMIC" not in f[1]]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for fault in faults:
            why = plant(fault, folder)
            failed += bool(why)
            if why:
                print("not found as it should be: " + why)
    print("%d faults planted in %s, %d not found" % (len(faults), HEADER, failed))
    if not built_in:
        print("%d left out: this nvcc has no such built-in words" % (len(FAULTS) - len(faults)))
    return bool(failed)


def write():
    print("# Made by words.py --write: what nvcc makes of each word of cuda/gpu.h.")
    for key, text in table_of("nvcc").items():
        print("%s: %s" % (key, text))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else check())
