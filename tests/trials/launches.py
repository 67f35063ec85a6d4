#!/usr/bin/python3
"""launches.py [--median] FILE...: the fastest sample of each launch, or its median, as gates use,
for the trials of docs/gates.md.

The files have one or more launches each, in the order of measurement, of one or more benchmarks.
Prints a line about the machine, then a line for each key and cache mode: these, a tab, and the
launches in ns.  If each FILE.jsonl is one launch and has a FILE.ms, the length of the launch in ms,
a line also says how long a key takes, and a launch beside its keys.
"""
import json
import os
import statistics
import sys

launches = {}  # by key: (ns, seconds that the key took)
beside = []
machine = ""
median = "--median" in sys.argv
for path in sys.argv[1 + median:]:
    keys_s = 0
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if line["type"] == "run":
                machine = "%s, %s cores, commit %s, from %s" % (
                    line["host"]["cpu"], line["host"]["cores"], line["tool"]["commit"],
                    machine.partition(" from ")[2] or line["started"])
            elif line["status"] == "ok":
                ns = line["time"]["median"] if median else min(line["time"]["samples"])
                key = "%s (%s" % (line["key"], "cold" if line["cold"] else "hot")
                launches.setdefault(key, []).append((ns, line["elapsed_s"]))
                keys_s += line["elapsed_s"]
    length = path[:-len("jsonl")] + "ms"
    if os.path.exists(length):
        with open(length, encoding="utf-8") as file:
            beside.append(int(file.read()) / 1000 - keys_s)
print("#", machine)
if beside:
    print("# %.3f s beside the keys" % statistics.median(beside))
for key, values in launches.items():
    took = ", %.3f s" % statistics.median(s for _, s in values) if beside else ""
    print(key + took + ")", " ".join("%d" % ns for ns, _ in values), sep="\t")
