#!/usr/bin/python3
"""counters.py -- what a GPU's own counters say of the kernels that counts.jsonl has counts of.

    counters.py PROGRAM >FILE.jsonl                 all points of results/counts.jsonl
    counters.py PROGRAM --only 'radix/*' >FILE      some of the keys

PROGRAM is a gpubench with CUDA.  Each point's first run is profiled by Nsight Compute (`ncu`, of the
CUDA Toolkit), whose clocks are left alone: one process a key, several at once, since ncu itself lets
only one profile at a time.  A line for each kernel: the sums over the launches that the counts have.
"""
import argparse
import concurrent.futures
import csv
import fnmatch
import io
import json
import os
import re
import subprocess
import sys

RESULTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results")
PROFILES = 6  # processes at once
MOST_LAUNCHES = 70  # a fifth of a second each

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


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--only", default="*")
    args = parser.parse_args()
    wanted = {k: p for k, p in points().items() if fnmatch.fnmatch(k, args.only)}
    with concurrent.futures.ThreadPoolExecutor(PROFILES) as pool:
        for lines in pool.map(lambda key: measure(args.program, key, *wanted[key]), wanted):
            for line in lines:
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
