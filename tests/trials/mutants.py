#!/usr/bin/env python3
"""mutants.py -- breaks copies of the project's own kernels, one place at a time, and counts how
many of them the tests detect.

usage: mutants.py [--simt BUILD] [--ptx BUILD] [--count N] [--seed N] [--every N] [--only GLOB]
                  [--operator GLOB] [--jobs N] [--keep FILE] [--table]

Split a long series with --only 'cuda/lbvh/*.cu' or another --seed.  --keep FILE stores a line for
each mutant tried; these are not tried again.

A mutant differs from the correct program in one place of its device code: a removed barrier, a
relaxed release, a non-atomic update, a bound off by one, ...  With --simt it is built for our own
checker, then with ASan and UBSan, until it is detected by a wrong result, a report, a hang, or a
compiler's error in constant evaluation.  BUILD is where `make simt-all` has put the correct
programs, whose other objects are reused.

With --ptx each mutant is also compiled by nvcc and run by the PTX executor (tests/ptx).  BUILD is
where `make ptx-mutants` has put the correct program.  --table prints the numbers found by each
executor.

Each mutant also runs on the devices of sweeps.DEVICES whose points use it.

Not every surviving mutant is a gap: some are equivalent to the original (a redundant barrier, a
bound that another one implies).  Survivors are printed for inspection; survivors.txt has those
known to be equivalent, with the reason.
"""

import argparse
import concurrent.futures
import fnmatch
import functools
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, "tests/simt")
import mutation
import sweeps

COMMON = "-std=c++20 -I. -Itests/simt -g -w -x c++ -DGPUBENCH_SIMT=1 -DGB_HAVE_CUDA=1".split()
KINDS = {
    "check": ("g++", "-O1 -fno-tree-sra -fno-ipa-sra -fsanitize=thread", ""),
    "asan": (
        "g++",
        "-O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined",
        "-fsanitize=address,undefined",
    ),
}
NVCC = "-std=c++20 -I. -O3 -lineinfo -w -DGB_HAVE_CUDA=1 --no-compress".split()
LONGEST_S = 600

# name, pattern, replacement
OPERATORS = [
    ("barrier gone", r"\b(__syncthreads|gpu_cluster_sync|sync_all<\w+>)\(\);", ";"),
    ("syncwarp gone", r"\b__syncwarp\([^;]*\);", ";"),
    ("release relaxed", r"\bgpu_st_release\(", "gpu_st_relaxed("),
    ("acquire relaxed", r"\bgpu_ld_acquire\(", "gpu_ld_relaxed("),
    ("add relaxed", r"\bgpu_add\(", "atomicAdd("),
    ("cas relaxed", r"\bgpu_cas(_acquire|_release)?\(", "mutant_cas("),
    ("block's cas relaxed", r"\bgpu_cas_shared\(", "mutant_cas("),
    ("block's acquire gone", r"\bgpu_ld_acquire_shared\(", "*(volatile int32_t *)("),
    ("wait gone", r"\bgpu_wait_for_last_launch\(\);", ";"),
    ("add not atomic", r"\batomicAdd\(", "mutant_add("),
    ("or not atomic", r"\batomicOr\(", "mutant_or("),
    ("store gone", r"^(\t+)[\w>.-]+(\[[^=]*\])+(\.\w+)* = [^;]*;$", r"\1;"),
    ("< is <=", r"(?<=[\w)\]]) < (?=[\w(])", " <= "),
    (">= is >", r" >= ", " > "),
    ("+ 1 gone", r" \+ 1\b(?!\d)", ""),
    ("- 1 gone", r" - 1\b(?!\d)", ""),
    ("condition turned", r"\bif \((.*)\)$", r"if (!(\1))"),
    ("mask narrowed", r"\b(0xffffffffu|FULL_MASK|ALL_LANES|GPU_ALL_LANES)\b", "0x7fffffffu"),
    ("shift off by one", r" (<<|>>) (?=\w)", r" \1 1 + "),
    ("and is or", r" && ", " || "),
]

HELPERS = """
template <class T, class U, class V>
static __device__ inline T mutant_cas(T *p, U expected, V v)
{
	typedef unsigned long long word;
	if (sizeof(T) == 4)
		return (T)atomicCAS((unsigned *)p, (unsigned)expected, (unsigned)v);
	return (T)atomicCAS((word *)p, (word)expected, (word)v);
}
template <class T, class V> static __device__ inline T mutant_add(T *p, V v)
{
	const T old = *p;
	*p = (T)(old + (T)v);
	return old;
}
template <class T, class V> static __device__ inline T mutant_or(T *p, V v)
{
	const T old = *p;
	*p = (T)(old | (T)v);
	return old;
}
"""

SIGNS = [
    ("simt: ERROR: race", "race"),
    ("simt: ERROR: livelock", "livelock"),
    ("simt: ERROR", "report"),
    ("ptx: ERROR: livelock", "livelock"),
    ("ptx: ERROR", "report"),
    ("AddressSanitizer", "memory"),
    ("runtime error:", "undefined"),
]


def device_lines(text):
    """Numbers of the lines inside bodies of __global__ and __device__ functions."""
    pending, end = False, None
    for number, line in enumerate(text.splitlines()):
        if line == end or line == "}":
            pending, end = False, None
        elif end:
            yield number
        elif line.strip() == "{" and pending:
            end = line.replace("{", "}")
        elif re.search(r"\b__(device|global)__\b", line):
            pending = True


def sites(path):
    """All (path, line number, operator, mutated line, original line) of one file."""
    with open(path) as file:
        text = file.read()
    lines = text.splitlines()
    for number in device_lines(text):
        code = lines[number].split("/*")[0]
        if code.lstrip().startswith(("*", "#", "static_assert")):
            continue
        for name, pattern, replacement in OPERATORS:
            for match in re.finditer(pattern, code):
                changed = code[: match.start()] + match.expand(replacement) + code[match.end() :]
                yield path, number, name, changed, lines[number].strip()


def choose(all_sites, count, seed):
    """Choose count sites, cycling through the operators."""
    generator = random.Random(seed)
    by_operator = {}
    for site in all_sites:
        by_operator.setdefault(site[2], []).append(site)
    for group in by_operator.values():
        generator.shuffle(group)
    groups = list(by_operator.values())
    generator.shuffle(groups)
    chosen = []
    while len(chosen) < count and any(groups):
        for group in groups:
            if group and len(chosen) < count:
                chosen.append(group.pop())
    return chosen


def write_mutant(site, folder):
    path, number, _, changed, _ = site
    with open(path) as file:
        lines = file.read().splitlines()
    lines[number] = changed
    target = os.path.join(folder, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w") as file:
        file.write("\n".join(lines) + "\n")


def affected(build, path):
    """The .cu files that must be recompiled."""
    if path.endswith(".cu"):
        return [path]
    found = []
    top = home(build, "check" if build["simt"] else "ptx")
    for dependencies in glob.glob(os.path.join(top, "cuda", "**", "*.d"), recursive=True):
        with open(dependencies) as file:
            if path in map(os.path.normpath, file.read().split()):
                found.append(os.path.relpath(dependencies, top)[:-5] + ".cu")
    if not found:
        sys.exit("no object in %s depends on %s" % (top, path))
    return found


def compile_command(kind, folder, helpers):
    if kind == "ptx":
        target = "arch=compute_90,code=compute_90"
        return ["nvcc", "-I" + folder] + NVCC + ["-gencode", target, "-include", helpers]
    compiler, flags, _ = KINDS[kind]
    return [compiler, "-I" + folder] + COMMON + flags.split() + ["-include", helpers]


def link_command(kind):
    return ["g++"] if kind == "ptx" else [KINDS[kind][0]] + KINDS[kind][2].split()


def home(build, kind):
    """The folder of a kind's correct program; build: the emulator's, the other's, or none."""
    return build["ptx"] if kind == "ptx" else os.path.join(build["simt"], kind)


def build_mutant(build, kind, site, folder):
    """Compile and link.  Return the program's path, or None if the compiler refuses."""
    source = affected(build, site[0])
    top = home(build, kind)
    objects = glob.glob(os.path.join(top, "cuda", "**", "*.cu.o"), recursive=True)
    objects += ["@" + os.path.join(top, "objects")]
    helpers = os.path.join(folder, "helpers.h")
    with open(helpers, "w") as file:
        file.write('#include "cuda/gpu.h"\n' + HELPERS)
    for unit in source:
        right = os.path.join(top, unit + ".o")
        output = os.path.join(folder, unit[:-3].replace("/", "-") + ".o")
        mutated = os.path.join(folder, unit)
        text = mutated if os.path.exists(mutated) else unit
        command = compile_command(kind, folder, helpers) + ["-c", text, "-o", output]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return None
        objects = [output] + [o for o in objects if o != right]
    program = os.path.join(folder, "drive")
    command = link_command(kind) + objects + ["-o", program]
    subprocess.run(command, check=True, capture_output=True)
    return program


def verdict(program, arguments, settings, limit_s):
    """The symptom that a run shows, or None, and its processor seconds."""
    env = dict(os.environ, OMP_THREAD_LIMIT="1")
    env["ASAN_OPTIONS"] = "detect_leaks=0"
    for name, value in dict(settings, TIMEOUT=5).items():
        env["GPUBENCH_SIMT_" + name] = env["GPUBENCH_PTX_" + name] = str(value)
    command = [program, "--once"] + list(arguments)
    with tempfile.TemporaryFile("w+", errors="replace") as file:
        status, seconds = mutation.run(
            command, limit_s, env=env, stdout=file, stderr=subprocess.STDOUT)
        file.seek(0)
        output = file.read()
    return symptom_of(status, output), seconds


def symptom_of(status, output):
    """The symptom that a run shows, by its status, None for a hang, and its output."""
    if status is None:
        return "hang"
    for sign, word in SIGNS:
        if sign in output:
            first = re.search(
                r"(?:simt|ptx): ERROR: (.*)|(runtime error: .*)|(ERROR: Addr.*)", output)
            return word + (": " + first[0][:90] if first else "")
    if status == 0:
        return None
    return "wrong" if ": wrong" in output else "failed"


RUNS = {
    "check": [
        {},
        {"ORDER": "reverse", "BLOCKS": "reverse"},
        {"SEED": 1},
        {"SEED": 2, "PREEMPT": 8},
        {"CLUSTERS": 0},
    ],
    "asan": [{}],
    "ptx": [
        {},
        {"ORDER": "reverse", "BLOCKS": "reverse"},
        {"CLUSTERS": 0},
        {"SEED": 1},
        {"SEED": 2, "WEAK": 1},
        {"SEED": 3, "WEAK": 1},
    ],
}
EXECUTORS = {"simt": ["check", "asan"], "ptx": ["ptx"]}


@functools.cache
def seconds_of(program, words, settings):
    """Processor seconds that the correct program takes; None, with a message, if it fails."""
    word, seconds = verdict(program, words, settings, LONGEST_S)
    if not word:
        return seconds
    print("not used: %s %s: it says %s of the right program" % (program, settings, word))
    return None


def runs_of(kind, path):
    """(settings, words) of each run of a mutant of a file."""
    for settings in RUNS[kind]:
        yield settings, arguments_for(path)
    for _, limits, words in sweeps.DEVICES:
        words = words_of_device(words, path)
        if words:
            yield limits, words


def plan_runs(build, path):
    """(kind, settings, words, limit on processor seconds) of each run that the correct program
    passes."""
    for kind in RUNS:
        program = build.get("ptx" if kind == "ptx" else "simt") and home(build, kind) + "/drive"
        if not program or not os.path.exists(program):
            continue
        for settings, words in runs_of(kind, path):
            seconds = seconds_of(program, tuple(words), tuple(settings.items()))
            if seconds is not None:
                yield kind, settings, words, 60 + 10 * seconds


def variant_names():
    """The cuda variants, as (workload, name)."""
    with open("common/variants.def") as file:
        return re.findall(r'^CUDA_VARIANT\((\w+), \w+, "([^"]+)"', file.read(), re.MULTILINE)


def part_of(path):
    """(workload, variant): a cuda/<workload>/<variant>.cu is one variant; None means all."""
    workload, _, rest = path.removeprefix("cuda/").partition("/")
    if workload not in sweeps.workloads():
        return None, None
    variant = rest.removesuffix(".cu").replace("_", "-")
    is_one = rest.endswith(".cu") and (workload, variant) in variant_names()
    return workload, variant if is_one else None


def arguments_for(path):
    """Arguments of drive for a file."""
    workload, variant = part_of(path)
    return (["--only", variant] if variant else []) + sweeps.lines("quick", workload)


def words_of_device(words, path):
    """The arguments of drive for an entry of sweeps.DEVICES that concern a file; [] if none."""
    workload, variant = part_of(path)
    only = [words[i + 1] for i, word in enumerate(words) if word == "--only"]
    lines = [line for line in words if line.split()[0] in sweeps.workloads()]
    lines = [line for line in lines if workload in (None, line.split()[0])]
    if not lines or variant and variant not in only:
        return []
    flags = [word for word in words if word.startswith("--") and word != "--only"]
    return flags + [w for v in only if variant in (None, v) for w in ("--only", v)] + lines


def try_executor(build, plan, kinds, site, folder):
    """(kind, symptom) of the first detection, or None."""
    built = None
    for kind, settings, words, limit_s in plan:
        if kind not in kinds:
            continue
        if kind != built:
            program = build_mutant(build, kind, site, folder)
            built = kind
        if not program:
            return "compiler", "refused"
        word, _ = verdict(program, words, settings, limit_s)
        if word:
            weak = ", weak memory" if "WEAK" in settings else ""
            return kind, word + weak
    return None


def try_mutant(build, plans, site):
    """Each executor's verdict on a mutant."""
    folder = os.path.join(
        build["simt"] or build["ptx"], "mutants", threading.current_thread().name
    )
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    write_mutant(site, folder)
    return {
        executor: try_executor(build, plans[site[0]], kinds, site, folder)
        for executor, kinds in EXECUTORS.items()
        if build[executor]
    }


def describe(site):
    path, number, operator, changed, _ = site
    return "%s:%d: %s: %s" % (path, number + 1, operator, changed.strip())


def choose_every(all_sites, step):
    """Every step-th site of each file, beginning in the middle of a step."""
    by_file = {}
    for site in all_sites:
        by_file.setdefault(site[0], []).append(site)
    return [site for sites_of in by_file.values() for site in sites_of[step // 2 :: step]]


def print_table(sites_tried, kept, reasons):
    """By operator: numbers found by each executor, among mutants that both compilers accept."""
    rows = {}
    for site in sites_tried:
        found = kept.get(describe(site))
        if not found or set(found) != set(EXECUTORS):
            continue
        if any(f and f[0] == "compiler" for f in found.values()):
            continue
        simt, ptx = bool(found.get("simt")), bool(found.get("ptx"))
        weak = ptx and "weak" in found["ptx"][1]
        as_right = not simt and not ptx and reasons.of(site[0], site[2], site[4])
        for name in (site[2], "all"):
            row = rows.setdefault(name, [0] * 7)
            neither = not simt and not ptx
            for n, yes in enumerate((True, simt, ptx, simt and ptx, weak, neither, as_right)):
                row[n] += bool(yes)
    print("| mutant | tried | emulator | PTX | both | PTX, with weak memory alone | neither "
          "| of these equivalent |")
    print("|---|---|---|---|---|---|---|---|")
    for name in [o[0] for o in OPERATORS] + ["all"]:
        if name in rows:
            print("| %s | %s |" % (name, " | ".join(map(str, rows[name]))))


def main():
    parser = argparse.ArgumentParser(description="mutation test of the project's kernels")
    parser.add_argument("--simt", help="build of the emulator")
    parser.add_argument("--ptx", help="build of the PTX executor")
    parser.add_argument("--count", type=int, default=24, help="mutants (0: all)")
    parser.add_argument("--every", type=int, help="every N-th place of each file instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="*", help="mutate only files that match")
    parser.add_argument("--operator", default="*", help="only mutants that match")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--least", type=int, default=75,
                        help="required share of mutants found, in percent")
    parser.add_argument("--keep", help="file with a line for each mutant tried")
    parser.add_argument("--table", action="store_true", help="only print a table of FILE")
    options = parser.parse_args()
    build = {"simt": options.simt, "ptx": options.ptx}
    names = sweeps.workloads() + ["primitives"]
    paths = sorted(p for name in names for p in glob.glob("cuda/%s/**/*.*" % name, recursive=True))
    paths += ["cuda/gpu.h"]
    paths = [p for p in paths if not p.endswith("/cub.cu") and fnmatch.fnmatch(p, options.only)]
    all_sites = [
        site
        for path in paths
        for site in sites(path)
        if fnmatch.fnmatch(site[2], options.operator)
    ]
    if options.every:
        chosen = choose_every(all_sites, options.every)
    else:
        chosen = choose(all_sites, options.count or len(all_sites), options.seed)
    kept, reasons = mutation.read_kept(options.keep), mutation.Reasons()
    if options.table:
        print_table(chosen, kept, reasons)
        return 0
    sweeps.write_tiles()
    plans = {}
    for site in chosen:
        if site[0] not in plans and describe(site) not in kept:
            plans[site[0]] = list(plan_runs(build, site[0]))
    found = survived = 0

    with concurrent.futures.ThreadPoolExecutor(options.jobs, "mutant") as pool:
        tries = {
            pool.submit(try_mutant, build, plans, site): site
            for site in chosen
            if describe(site) not in kept
        }
        for done in concurrent.futures.as_completed(tries):
            site, results = tries[done], done.result()
            mutation.keep(options.keep, describe(site), results)
            reason = reasons.of(site[0], site[2], site[4])
            who = [result for result in results.values() if result]
            if who:
                found += 1
                for result in who:
                    print("%-8s %s\n         %s" % (result[0], describe(site), result[1]))
            elif reason:
                print("equivalent %s\n           %s" % (describe(site), reason))
            else:
                survived += 1
                print("SURVIVED %s" % describe(site))
            sys.stdout.flush()
    return mutation.share_of(found, survived, len(all_sites)) < options.least


if __name__ == "__main__":
    sys.exit(main())
