#!/usr/bin/python3
"""first_contact.py [FOLDER] -- what fifteen minutes on a GPU that never ran this tree can decide.

Each step writes files of its own into FOLDER (build/first-contact), so an interruption loses one.
GPUBENCH is the program (./gpubench); REHEARSE=1 GPUBENCH=./gpubench-ptx tries it without a GPU.
"""
import json
import os
import subprocess
import sys

from counts import POINTS

program, folder = os.environ.get("GPUBENCH", "./gpubench"), (sys.argv + ["build/first-contact"])[1]
tiny = ["--samples=1", "--warmup=0"] if "REHEARSE" in os.environ else []
os.makedirs(folder, exist_ok=True)


def run(limit, name, *command):
    """Run a command for at most `limit` seconds, with its output in FOLDER/NAME.txt."""
    with open(f"{folder}/{name}.txt", "a") as log:
        done = subprocess.run(["timeout", str(limit), *command], stdout=log, stderr=log)
    print(f"status {done.returncode}: {' '.join(command)}", flush=True)


def measure(limit, name, *arguments):
    output = f"--output={folder}/{name}.jsonl"
    run(limit, name, program, *arguments, *tiny, "--backend=cuda", "--overwrite", output)


# 1. Every variant at small sizes; one that hangs takes 20 seconds (2 minutes in all).
listed = json.loads(subprocess.check_output([program, "list", "--format=json"]))["benchmarks"]
for name in [f"{b['name']}/{v['name']}" for b in listed for v in b["variants"] if not v["absent"]]:
    if "/cuda/" in name:
        run(20, "check", program, "check", name)
# 2. A thousand verified results of kernels whose threads wait for each other (3 minutes).
many = ["--verify=all", "--hot", *([] if tiny else ["--samples=1000"])]
measure(90, "wide", "lbvh", "wide", "ploc", "--scene=knot", "--count=10k", *many)
measure(90, "csr", "bfs", "csr", "csr-do", "--graph=grid", "--vertices=4Ki", *many)
# 3. Code for sm_80 on a newer architecture (1 minute on 16 cores).
if not tiny:
    run(120, "sm80", "make", "SMS=80", "BUILD=build/sm80", "build/sm80/gpubench")
    run(60, "sm80", "build/sm80/gpubench", "check", "--backend=cuda")
# 4. README's table and preset quick (4 minutes).
measure(60, "readme", *"radix onesweep cub --count=1Mi,16Mi --values=none,u32".split())
measure(180, "quick", "run", "--preset=quick", "--max-time=0.3")
# 5. The times of the points of exact counts beside a bound by launches and sectors (the rest).
bound = {}
with open("results/counts.jsonl", encoding="utf-8") as lines:
    for line in map(json.loads, list(lines)[1:]):
        n, before = line["counts"], bound.get(line["key"], 0)
        sectors = n.get("global_load.sectors", 0) + n.get("global_store.sectors", 0)
        bound[line["key"]] = before + max(2e3 * n.get("launches", 0), sectors * 32 / 3e3)
for i, point in enumerate(POINTS):
    measure(20, f"point-{i}", *point.split(), "--max-time=0.1")
    file = f"{folder}/point-{i}.jsonl"
    for record in map(json.loads, open(file, "rb")) if os.path.exists(file) else ():
        if record.get("time") and record["key"] in bound:  # sort -n finds the largest
            print(f"{record['time']['median'] / bound[record['key']]:6.2f} times: {record['key']}")
