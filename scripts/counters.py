#!/usr/bin/python3
"""counters.py -- a GPU's own counters for the kernels that counts.jsonl has counts of.

    counters.py PROGRAM >results/counters.jsonl     all points of results/counts.jsonl
    counters.py PROGRAM --only 'radix/*' >FILE      points whose key matches
    counters.py PROGRAM --lacking FILE... >>FILE    points that no FILE has, rays first
    counters.py --page >docs/counters.md            the page that compares them with counts.jsonl
    counters.py --page --all                        and every kernel at every point

PROGRAM is a gpubench with CUDA.  Nsight Compute (`ncu`, part of the CUDA Toolkit) profiles each
point's first run and leaves the clocks alone.  ncu runs one profile at a time, so every key has a
process of its own, and several processes run at once.  Each kernel gives one line: the sums over
the launches that the counts cover, and the commit.
"""
import argparse
import collections
import concurrent.futures
import csv
import fnmatch
import io
import json
import os
import re
import statistics
import subprocess
import sys

import model
import predict

RESULTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results")
COUNTED = "counters.jsonl"  # the records behind the page
PROFILES = 3  # processes at once
MOST_LAUNCHES = 70  # points with more launches take too long

L1 = "l1tex__t_%s_pipe_lsu_mem_global_op_%s.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared%s.sum"
# The name of each counter in a line, and the metrics that are added up for it.
COUNTERS = {
    "warp_instructions": ["smsp__inst_executed.sum"],
    "active_lanes": ["smsp__thread_inst_executed.sum"],
    "global_load.requests": [L1 % ("requests", "ld")],
    "global_load.sectors": [L1 % ("sectors", "ld")],
    "global_store.requests": [L1 % ("requests", "st")],
    "global_store.sectors": [L1 % ("sectors", "st")],
    "global_atomic.requests": [L1 % ("requests", "atom"), L1 % ("requests", "red")],
    "global_atomic.sectors": [L1 % ("sectors", "atom"), L1 % ("sectors", "red")],
    "shared_load.requests": ["smsp__inst_executed_op_shared_ld.sum"],
    "shared_store.requests": ["smsp__inst_executed_op_shared_st.sum"],
    "shared_atomic.requests": ["smsp__inst_executed_op_shared_atom.sum"],
    "shared_load.wavefronts": [WAVEFRONTS % "_op_ld"],
    "shared_store.wavefronts": [WAVEFRONTS % "_op_st"],
    "shared.wavefronts": [WAVEFRONTS % ""],
    "dram.read_bytes": ["dram__bytes_read.sum"],
    "dram.written_bytes": ["dram__bytes_write.sum"],
    "ns": ["gpu__time_duration.sum"],
}


def points():
    """{key: (params, {kernel: launches})} of results/counts.jsonl"""
    found = {}
    with open(os.path.join(RESULTS, "counts.jsonl")) as file:
        for line in map(json.loads, file):
            if "launches" in line.get("counts", {}):
                _, launches = found.setdefault(line["key"], (line["params"], {}))
                launches[line["kernel"]] = line["counts"]["launches"]
    return found


def base_name(kernel):
    """`pass_kernel` of "void pass_kernel<key_u32, (bool)0>(pass<T3>)": the name to filter by."""
    name = re.split(r"[<(]", kernel.removeprefix("void "))[0]
    return name.split("::")[-1]


def profile(program, key, params, launches):
    """The rows of ncu, kernel by kernel, in the order of their launches."""
    benchmark, backend, variant = key.split()[0].split("/")
    names = "|".join(sorted(set(map(base_name, launches))))
    metrics = ",".join(m for ms in COUNTERS.values() for m in ms)
    command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base",
               "--metrics", metrics, "-k", f"regex:^({names})$", "-c", str(sum(launches.values())),
               program, benchmark, f"{backend}/{variant}"]
    command += [f"--{name}={value}" for name, value in params.items()]
    command += ["--cold", "--warmup=0", "--samples=1", "--no-verify", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    table = [line for line in done.stdout.splitlines() if line.startswith('"')]
    if len(table) < 3:
        print(f"counters.py: {key}: nothing profiled\n{done.stdout[-500:]}{done.stderr[-500:]}",
              file=sys.stderr)
        return []
    return list(csv.DictReader(io.StringIO("\n".join(table))))[1:]  # after the row of units


def counters_of(rows):
    """Sums over launches."""
    number = lambda text: float(text.replace(",", "") or 0)
    total = lambda metrics: sum(number(row[m]) for row in rows for m in metrics)
    return {name: round(total(metrics)) for name, metrics in COUNTERS.items()}


def measure(program, commit, key, params, launches):
    if sum(launches.values()) > MOST_LAUNCHES:
        return []
    kernels = {}
    for row in profile(program, key, params, launches):
        kernels.setdefault(row["Kernel Name"], []).append(row)
    return [{"key": key, "kernel": kernel, "launches": len(rows), "commit": commit,
             "counters": counters_of(rows)}
            for kernel, rows in kernels.items()]


# ---- the page ------------------------------------------------------------------------------

HEAD = """# Exact counts compared with a GPU's counters

This page checks the exact counts of [counts.jsonl](../results/counts.jsonl), which are made without
a GPU by executing PTX, against the counters of an {gpu}. Nsight Compute profiled the same kernels
at {profiled} of {points} points ([{file}](../results/{file}), builds {commit}). The median ratio is
1 for global memory requests and sectors. The last table has the kernels that differ, with the
reason.

`scripts/counters.py --page` prints this page from the stored file; `--page --all` also prints every
kernel at every point and names the points that are not profiled. `scripts/counters.py PROGRAM`
profiles again.

## By counter

A ratio is the GPU's count divided by ours; kernels of one name in a run are added up. Global memory
requests and sectors should be equal. Instructions and shared-memory accesses differ, because the
GPU executes SASS, in which ptxas has joined, removed and repeated instructions of the PTX.
"""
WHY = """## Kernels that differ

The table has the kernels with a global memory count or a count of atomic operations in shared
memory that is more than 10 % off, and their lowest and highest ratio. The shared-memory wavefronts
of CUB's histogram kernel also differ because its grid depends on the occupancy."""
# A reason for differences, and the kernels that it explains: globs of benchmark/variant and kernel.
REASONS = [
    ("look-back: a tile polls its predecessors", [
        ("radix/onesweep", "*pass_kernel"), ("octree/*", "*pass_kernel"),
        ("radix/cub", "DeviceRadixSortOnesweepKernel")]),
    ("harmless races: several threads find a vertex", [
        ("bfs/*", "expand")]),
    ("claims: timing decides which edge reaches a vertex first; shared sectors", [
        ("bfs/csr*", "search_kernel")]),
    ("shared sectors: lanes that update one sector count several times", [
        ("cbt/descent*", "reduce_kernel")]),
    ("contention: the GPU repeats failed compare-and-swaps, the executor has few", [
        ("octree/l*", "insert_kernel"), ("octree/lf-shared", "task_kernel")]),
    ("occupancy: the grid has as many blocks as a GPU holds, and the executor sees no registers", [
        ("octree/morton", "long_kernel")]),
    ("64-bit additions in shared memory: the GPU repeats a compare-and-swap", [
        ("radix/split-fused", "count_kernel")]),
]
UNEXPLAINED = "unexplained"
SHOWN = ["global_load.requests", "global_load.sectors", "global_store.requests",
         "global_store.sectors", "global_atomic.requests", "global_atomic.sectors",
         "shared_atomic.requests", "shared_load.wavefronts", "shared_store.wavefronts",
         "warp_instructions"]
# Counts that depend on the path through a kernel, and not on ptxas.
PATH = SHOWN[:7]


def by_name(lines):
    """{(key, base name): (launches, sums of counters)}"""
    found = {}
    for line in lines:
        counted = line.get("counters") or line.get("counts")
        launches = line.get("launches") or counted.get("launches")
        if not launches:
            continue
        name = base_name(line["kernel"])
        entry = found.setdefault((line["key"], name), [0, collections.Counter()])
        entry[0] += launches
        entry[1].update({name: counted.get(name, 0) for name in COUNTERS})
    return found


def ratio(ours, gpus, name):
    """The GPU's count over ours, per launch; None if both are 0."""
    a, b = ours[1][name] / ours[0], gpus[1][name] / gpus[0]
    return None if a == 0 and b == 0 else b / a if a else float("inf")


def show(value):
    if value is None:
        return ""
    return "1" if value == 1 else "more" if value == float("inf") else f"{value:.3f}"


def print_summary(rows):
    print("| counter | kernels | equal | within 1 % | within 10 % | median |\n"
          "|---|---|---|---|---|---|")
    for name in SHOWN:
        ratios = [r for r in (ratio(ours, gpus, name) for _, ours, gpus in rows) if r is not None]
        within = lambda share: sum(abs(r - 1) <= share for r in ratios)
        print(f"| {name} | {len(ratios)} | {within(0)} | {within(.01)} | {within(.1)} |"
              f" {statistics.median(ratios):.3f} |")
    print()


def reason_of(variant, kernel):
    for reason, kernels in REASONS:
        if any(fnmatch.fnmatch(variant, v) and fnmatch.fnmatch(kernel, k) for v, k in kernels):
            return reason
    return UNEXPLAINED


def print_reasons(rows):
    """Print the kernels whose path differs on the GPU, by the reason."""
    found = {}
    for (key, kernel), ours, gpus in rows:
        benchmark, _, variant = key.split()[0].split("/")
        for name in PATH:
            value = ratio(ours, gpus, name)
            if value is not None and abs(value - 1) > .1:
                reason = reason_of(f"{benchmark}/{variant}", kernel)
                variants, values = found.setdefault((reason, benchmark, kernel), (set(), []))
                variants.add(variant)
                values.append(value)
    print("| reason | kernel | variants | ratios |\n|---|---|---|---|")
    for reason in [reason for reason, _ in REASONS] + [UNEXPLAINED]:
        for (of, benchmark, kernel), (variants, values) in found.items():
            if of == reason:
                names = ", ".join(sorted(variants))
                print(f"| {reason} | `{kernel}` | {benchmark} {names} |"
                      f" {min(values):.2f} to {max(values):.2f} |")


def print_kernels(rows, absent):
    predict.say("## Every kernel")
    predict.say("Not profiled: " + ", ".join(f"`{key}`" for key in absent) + ".")
    predict.head("key", "kernel", *SHOWN)
    for (key, kernel), ours, theirs in rows:
        predict.row(key, kernel, *(show(ratio(ours, theirs, name)) for name in SHOWN))


def print_page(everything):
    path = os.path.join(RESULTS, COUNTED)
    with open(path) as file:
        head, *lines = map(json.loads, file)
    newer = {line["key"]: line["commit"] for line in lines if line["commit"] not in head["commit"]}
    counts = by_name(model.read("counts.jsonl")[1:])
    counts.update(by_name(line for line in model.read(model.BEFORE[0])
                          if line["key"] not in newer))
    gpus = by_name(lines)
    rows = [(at, counts[at], gpus[at]) for at in counts if at in gpus]
    keys, profiled = {key for key, _ in counts}, {key for key, _ in gpus}
    predict.say(HEAD.format(gpu=head["gpu"], file=COUNTED,
                            commit=" and ".join([head["commit"], *sorted(set(newer.values()))]),
                            profiled=len(keys & profiled), points=len(keys)))
    print_summary(rows)
    predict.say(WHY)
    print_reasons(rows)
    if everything:
        print()
        print_kernels(rows, sorted(keys - profiled))


def lacking(wanted, files):
    """The points that no file has, those of rays first, whose counts tell most."""
    had = set()
    for path in files:
        if os.path.exists(path):
            with open(path) as file:
                had |= {json.loads(line).get("key") for line in file if line.endswith("\n")}
    left = sorted(wanted.keys() - had, key=lambda key: ("op=trace" not in key, key))
    return {key: wanted[key] for key in left}


def about(program):
    """The first line of a file: the machine and the build."""
    done = subprocess.run([program, "env", "--format=json"], capture_output=True, text=True,
                          check=True)
    facts = json.loads(done.stdout)
    return {"gpu": facts["gpus"][0]["name"], "driver": facts["cuda"]["driver"],
            "commit": facts["tool"]["commit"]}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--only", default="*")
    parser.add_argument("--lacking", nargs="+", metavar="FILE")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    if args.page:
        return print_page(args.all)
    if not args.program:
        parser.error("give a PROGRAM or --page")
    head = about(args.program)
    print(json.dumps(head), flush=True)
    wanted = {k: p for k, p in points().items() if fnmatch.fnmatch(k, args.only)}
    if args.lacking:
        wanted = lacking(wanted, args.lacking)
    with concurrent.futures.ThreadPoolExecutor(PROFILES) as pool:
        jobs = [pool.submit(measure, args.program, head["commit"], key, *at)
                for key, at in wanted.items()]
        for job in concurrent.futures.as_completed(jobs):
            for line in job.result():
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
