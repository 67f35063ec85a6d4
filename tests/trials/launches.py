#!/usr/bin/python3
"""launches.py [--median] FILE...: the fastest sample of each launch, or its median, as gates use,
for the trials of docs/gates.md.

The files have one or more launches each, in the order of measurement, of one or more benchmarks.
Prints a line about the machine, then a line for each key and method: these, a tab, and the launches
in ns.
"""
import json
import sys

launches = {}
machine = ""
median = "--median" in sys.argv
for path in sys.argv[1 + median:]:
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if line["type"] == "run":
                machine = "%s, %s cores, commit %s, from %s" % (
                    line["host"]["cpu"], line["host"]["cores"], line["tool"]["commit"],
                    machine.partition(" from ")[2] or line["started"])
            elif "time" in line:
                samples = line["time"]["samples"]
                key = "%s (%d samples, %s)" % (line["key"], len(samples),
                                               "cold" if line["cold"] else "hot")
                launches.setdefault(key, []).append(line["time"]["median"] if median
                                                    else min(samples))
print("#", machine)
for key, values in launches.items():
    print(key, " ".join("%d" % value for value in values), sep="\t")
