#!/usr/bin/python3
"""joins.py GPUBENCH -- reports over many files take time in proportion to their records.

The processor time of 1200 files of 20 records is compared with that of 300: four times as long, not
sixteen, as it would be if each record were compared with all others.  The first half of the files
is of another benchmark than the second.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

FEW, MANY, MOST = 300, 1200, 9  # the ratio of their times, which other programs disturb
COMMANDS = [["report", "--format=csv"], ["report", "--format=html"], ["report", "--format=junit"],
            ["report", "--runs=pooled"], ["compare", "--by=machine"]]


def write(path, launch, bench):
    name = "%016x" % launch
    started = "2026-11-%02dT%02d:%02d:00Z" % (1 + launch // 60, launch % 24, launch % 60)
    lines = [{"type": "run", "schema": 2, "run_id": name, "started": started,
              "tool": {"commit": "%012x" % (launch // 3)}, "host": {"hostname": "h", "cpu": "C"}}]
    for seq in range(20):
        ns = 1000 * (100 + seq) + launch % 7
        lines.append({"type": "record", "schema": 2, "run_id": name, "seq": seq, "bench": bench,
                      "backend": "cpu", "variant": "best", "params": {"count": 100 + seq},
                      "key": "%s/cpu/best count=%d" % (bench, 100 + seq), "status": "ok",
                      "verify": {"result": "pass"}, "time": {"median": ns, "samples": [ns]}})
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(map(json.dumps, lines)) + "\n")


def seconds(command, folder, count):
    """Processor time of the command over the first `count` files."""
    files = sorted(os.listdir(folder))[:count]
    words = [os.path.join(folder, f) for f in files]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.argv[1], *command, *words], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 6):  # 6: there is one machine
        sys.exit("joins: %s: %s" % (" ".join(command), done.stderr))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


failed = 0
with tempfile.TemporaryDirectory() as scratch:
    few, many = os.path.join(scratch, "few"), os.path.join(scratch, "many")
    for folder, count in (few, FEW), (many, MANY):
        os.mkdir(folder)
        for launch in range(count):
            write("%s/%05d.jsonl" % (folder, launch), launch,
                  "radix" if 2 * launch < count else "bfs")
    for command in COMMANDS:
        short, long = seconds(command, few, FEW), seconds(command, many, MANY)
        if long > MOST * max(short, 0.02):
            print("joins: %s: %.2f s for %d files, %.2f s for %d" %
                  (" ".join(command), short, FEW, long, MANY))
            failed += 1
print("joins: %d passed, %d failed" % (len(COMMANDS) - failed, failed))
sys.exit(bool(failed))
