#!/usr/bin/python3
"""submit.py -- measures the GPU at hand for the table over GPUs in README.md.

    submit.py                    measure the points of scripts/counts.py, check the records
    submit.py --check FOLDER...  check stored records

They go to results/measured/<gpu>-<date>.  The program must be built from a commit without changes,
a record ok or skipped, and its clock not lowered in samples that count, unless the README.md of the
folder names the key.  Exit status: 0 ok, 1 a check failed, 2 usage or changed files, 3 no GPU, else
that of gpubench.  GPUBENCH is the program (default: ./gpubench).
"""
import datetime
import glob
import json
import os
import re
import subprocess
import sys

program = os.environ.get("GPUBENCH", "./gpubench")


def end(status, text):
    print("submit.py: " + text, file=sys.stderr)
    sys.exit(status)


def fault_of(line):
    """Why a run or a record should not stand in a table; None if it may."""
    if line["type"] == "run":
        tool = line.get("tool", {})
        return "built from changed files" if tool.get("dirty") or not tool.get("commit") else None
    if line["status"] not in ("ok", "skipped"):
        return "%s: %s" % (line["status"], line.get("reason"))
    lowered = line.get("gpu_state", {}).get("throttled_samples") or 0
    return "the clock was lowered in samples that count" if lowered > 10 else None  # ten are retaken


def check(folder):
    """Print the faults; return their number."""
    files, notes = sorted(glob.glob(folder + "/*.jsonl")), folder + "/README.md"
    marked = open(notes, encoding="utf-8").read() if os.path.exists(notes) else ""
    faults = [] if files else [folder + ": no *.jsonl"]
    for path in files:
        said = subprocess.run([program, "report", "--format=json", path], capture_output=True)
        faults += said.stderr.decode().splitlines()
        for line in map(json.loads, said.stdout.splitlines()):
            key, fault = line.get("key", line["run_id"]), fault_of(line)
            if fault and key not in marked:
                faults.append("%s: %s: %s" % (path, key, fault))
    sys.stderr.writelines(fault + "\n" for fault in faults)
    return len(faults)


def measure():
    here = json.loads(subprocess.check_output([program, "env"]))
    absent = here.get("cuda_absent") or here["gpus"][0].get("emulated") and "it is emulated"
    if absent:
        end(3, "there is no GPU to measure: " + absent)
    if here["tool"].get("dirty"):
        end(2, "the program was built from changed files: commit them and build again")
    gpu = re.sub("[^a-z0-9]+", "-", here["gpus"][0]["name"].lower().replace("nvidia ", ""))
    folder = "results/measured/%s-%s" % (gpu, datetime.date.today())
    os.makedirs(folder, exist_ok=True)
    points = subprocess.check_output([os.path.dirname(__file__) + "/counts.py", "--points"])
    for point in points.decode().splitlines():
        command = [program, *point.split(), "--backend=cuda", "--max-time=0.5", "--rel-ci=0.02",
                   "--warmup-time=0.2", "--resume", "--output=%s/points.jsonl" % folder]
        if status := subprocess.call(command):
            end(status, "gpubench ended with status %d" % status)
    if check(folder):
        sys.exit(1)
    print("Next: scripts/figures.py; commit README.md and %s; open a pull request." % folder)


if sys.argv[1:2] == ["--check"]:
    sys.exit(any([check(folder) for folder in sys.argv[2:]]))
if sys.argv[1:]:
    end(2, "usage:\n" + __doc__.split("\n\n")[1])
measure()
