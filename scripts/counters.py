#!/usr/bin/python3
"""counters.py -- what a GPU's own counters say of the kernels that counts.jsonl has counts of.

    counters.py PROGRAM >results/counters.jsonl     all points of results/counts.jsonl
    counters.py PROGRAM --only 'radix/*' >FILE      some of the keys
    counters.py --page >results/counters.md         what was counted, beside counts.jsonl

PROGRAM is a gpubench with CUDA.  Each point's first run is profiled by Nsight Compute (`ncu`, of the
CUDA Toolkit), whose clocks are left alone: one process a key, several at once, since ncu itself lets
only one profile at a time.  A line for each kernel: the sums over the launches that the counts have.
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

RESULTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results")
COUNTED = "counters.jsonl"  # of the page
PROFILES = 3  # processes at once
MOST_LAUNCHES = 70  # a third of a second each

L1 = "l1tex__t_%s_pipe_lsu_mem_global_op_%s.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared%s.sum"
# The counter's name in a line, and the metrics that make it.
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
    """`pass_kernel` of "void pass_kernel<key_u32, (bool)0>(pass<T3>)": what ncu's filter takes."""
    name = re.split(r"[<(]", kernel.removeprefix("void "))[0]
    return name.split("::")[-1]


def profile(program, key, params, launches):
    """The rows of ncu, kernel after kernel, in the order of their launches."""
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
        print(f"counters.py: {key}: nothing profiled\n{done.stdout[-500:]}{done.stderr[-500:]}", file=sys.stderr)
        return []
    return list(csv.DictReader(io.StringIO("\n".join(table))))[1:]  # after the row of units


def counters_of(rows):
    """Sums over launches."""
    number = lambda text: float(text.replace(",", "") or 0)
    total = lambda metrics: sum(number(row[m]) for row in rows for m in metrics)
    return {name: round(total(metrics)) for name, metrics in COUNTERS.items()}


def measure(program, key, params, launches):
    if sum(launches.values()) > MOST_LAUNCHES:
        return []
    kernels = {}
    for row in profile(program, key, params, launches):
        kernels.setdefault(row["Kernel Name"], []).append(row)
    return [{"key": key, "kernel": kernel, "launches": len(rows), "counters": counters_of(rows)}
            for kernel, rows in kernels.items()]


# ---- the page ------------------------------------------------------------------------------

HEAD = """# What a GPU counted, beside the exact counts

The counts of [counts.jsonl](counts.jsonl) are made without a GPU, by executing PTX. Here Nsight Compute has counted the same kernels at the same points on an {gpu}
(`scripts/counters.py`, build {commit}, [{file}]({file})); `scripts/counters.py --page` prints this page. A ratio is the GPU's count over ours: 1 if they are equal.
Kernels of one name in a run are added up. {left}

Requests and sectors of global memory, and atomic operations in shared memory, are properties of the program and its data: they should be equal. What a GPU counts
is SASS, ours is PTX: ptxas joins, removes and repeats instructions, so instructions, and requests to shared memory, differ by what it does.
"""
WHY = """
Where requests or sectors of global memory differ, the program's way depends on time:

- **look-back** (`pass_kernel` and `staged_pass_kernel` of the sorts, CUB's `DeviceRadixSortOnesweepKernel`, `split_kernel`): a tile reads its predecessors' words until it finds a final one;
- **races that do no harm** (`expand` of bfs `basic`, `csr-paper`, `ccam-paper`): several threads find the same vertex before any of them has marked it;
- **contention** (`insert_kernel` of octree `lock` and `lf`, `task_kernel` of `lf-shared`): who loses a compare-and-swap tries again, and under the executor's fixed schedule
  few threads race;
- **claims** (`search_kernel` of bfs `csr`, `csr-do`): which edge is first to reach a vertex;
- **atomic operations of several lanes in a sector** (`reduce_kernel` of cbt `descent`, the claims): the GPU counts more than the sector;
- **occupancy**: CUB's histogram kernel takes as many blocks as a GPU holds at once, which the executor does not know: it sees no registers.
"""
SHOWN = ["global_load.requests", "global_load.sectors", "global_store.requests", "global_store.sectors", "global_atomic.requests",
         "global_atomic.sectors", "shared_atomic.requests", "shared_load.wavefronts", "shared_store.wavefronts", "warp_instructions"]


def by_name(lines):
    """{(key, base name): (launches, sums of counters)}"""
    found = {}
    for line in lines:
        counted = line.get("counters") or line.get("counts")
        launches = line.get("launches") or counted.get("launches")
        if not launches:
            continue
        entry = found.setdefault((line["key"], base_name(line["kernel"])), [0, collections.Counter()])
        entry[0] += launches
        entry[1].update({name: counted.get(name, 0) for name in COUNTERS})
    return found


def ratio(ours, gpus, name):
    """Per launch; None if neither has any."""
    a, b = ours[1][name] / ours[0], gpus[1][name] / gpus[0]
    return None if a == 0 and b == 0 else b / a if a else float("inf")


def show(value):
    return "" if value is None else "1" if value == 1 else "more" if value == float("inf") else f"{value:.3f}"


def print_summary(rows):
    print("| counter | kernels | equal | within 1 % | within 10 % | median |\n|---|---|---|---|---|---|")
    for name in SHOWN:
        ratios = [r for r in (ratio(ours, gpus, name) for _, ours, gpus in rows) if r is not None]
        within = lambda share: sum(abs(r - 1) <= share for r in ratios)
        print(f"| {name} | {len(ratios)} | {within(0)} | {within(.01)} | {within(.1)} | {statistics.median(ratios):.3f} |")


def print_page():
    path = os.path.join(RESULTS, COUNTED)
    with open(path) as file:
        head, *lines = map(json.loads, file)
    with open(os.path.join(RESULTS, "counts.jsonl")) as file:
        counts = by_name(line for line in map(json.loads, file) if "key" in line)
    gpus = by_name(lines)
    rows = [(at, counts[at], gpus[at]) for at in counts if at in gpus]
    absent = sorted({key for key, _ in counts} - {key for key, _ in gpus})
    left = "Not profiled: " + ", ".join(f"`{key}`" for key in absent) + "." if absent else ""
    print(HEAD.format(gpu=head["gpu"], commit=head["commit"], file=COUNTED, left=left))
    print_summary(rows)
    print(WHY)
    print("## Kernels\n\n| key | kernel | " + " | ".join(SHOWN) + " |\n|---|---|" + "---|" * len(SHOWN))
    for (key, kernel), ours, theirs in rows:
        cells = [show(ratio(ours, theirs, name)) for name in SHOWN]
        print(f"| {key} | {kernel} | " + " | ".join(cells) + " |")


def about(program):
    """The first line of a file."""
    done = subprocess.run([program, "env", "--format=json"], capture_output=True, text=True, check=True)
    facts = json.loads(done.stdout)
    return {"gpu": facts["gpus"][0]["name"], "driver": facts["cuda"]["driver"], "commit": facts["tool"]["commit"]}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--only", default="*")
    parser.add_argument("--page", action="store_true")
    args = parser.parse_args()
    if args.page:
        return print_page()
    if not args.program:
        parser.error("a program or --page")
    print(json.dumps(about(args.program)), flush=True)
    wanted = {k: p for k, p in points().items() if fnmatch.fnmatch(k, args.only)}
    with concurrent.futures.ThreadPoolExecutor(PROFILES) as pool:
        for lines in pool.map(lambda key: measure(args.program, key, *wanted[key]), wanted):
            for line in lines:
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
