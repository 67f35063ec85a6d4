#!/usr/bin/python3
"""cheats.py PROGRAM [cuda | PLUG-IN [short]] -- no cheat gets a time, and honest variants do.

PROGRAM is gpubench-cheats, whose variants include those of tests/cheats/.  Each must be failed or
doubtful in the measurements that tests/cheats/expected.txt names, for the reasons given there.
Without verification each that gains something is faster than the honest variant, and without
isolation some escape: tests of the cheats.  `cuda` selects the cheats for the emulator.  With a
plug-in, PROGRAM is gpubench, which runs its cheats in processes of their own; `short` judges some
of them once.
RUN="hot long" in the environment selects measurements.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

program = os.path.realpath(sys.argv[1])
plugin = sys.argv[2] if sys.argv[2:] and sys.argv[2] != "cuda" else None
backend = "cuda" if "cuda" in sys.argv[2:] else "cpu"
is_short = "short" in sys.argv[3:]
SHORT = "behind child libc in-flush takeover secret verifier early-answer late-output".split()
table = os.path.join(os.path.dirname(os.path.realpath(__file__)), "cheats", "expected.txt")

REASONS = {
    # The verifier.
    "wrong": "not a permutation|out of order|^byte|last_level|hardly divides",
    "same": "has no variations",
    "memo": "results are remembered",
    "batch": "some runs of a batch",
    "outside": "there is work outside|it works before|still at work|another process|"
               "reads its input at",
    "clock": "by the variant's clock|clocks disagree",
    "threads": "threads are at work",
    "input": "input was changed",
    "process": "no process",
    "answer": "an answer that is not the program's",
    "result": "names no result",
}
# Measurements: benchmark, honest variant, other arguments.
RUNS = {
    "cold": "radix best --count=100k,1M --max-time=0.3",
    "second": "radix best --count=100k,1M --max-time=0.3",
    "long": "radix best --count=1M --max-time=0.3",
    "hot": "radix best --count=1M --hot --max-time=0.3",
    "batch": "radix best --count=4k --hot --max-time=0.3",
    "many": "radix best --count=100k --samples=300",
    "one": "radix best --count=4M --threads=1 --max-time=0.3",
    # They spoil the input of those after them, so that each has a process.
    "input": "radix best --count=1M --max-time=0.3",
    "in-place": "radix best --count=1M --max-time=0.3",
    "large": "radix best --count=4M --max-time=0.3",
    "reduce": "cbt serial --op=reduce --depth=22 --fill=0.5 --max-time=0.3",
    "leaves": "cbt serial --op=bitfield --depth=22 --fill=0.5 --max-time=0.3",
    "full": "cbt serial --op=bitfield --depth=20 --shape=full --max-time=0.3",
    "build": "lbvh apetrei --primitives=50k --threads=1 --max-time=0.3",
    "hot-copy": "stream copy --count=64M --threads=1 --hot --max-time=0.3",
    "cuda": "stream copy --count=10000,100000 --samples=60",
    "cuda-batch": "stream copy --count=1000 --hot --samples=20",
}


def expected():
    """Cheat -> measurements, reasons, whether it gains, measurements that are open, those in
    which it may work honestly, and those in which it escapes without isolation."""
    rows = {}
    with open(table, encoding="utf-8") as lines:
        for line in lines:
            if line[0] == "#":
                continue
            name, runs, gains, reasons = line.split()
            where, name = name.split("/") if "/" in name else ("cpu", name)
            if is_short and name not in SHORT:
                continue
            if where == backend or (where == "plugin" and plugin):
                rows[name] = (re.sub("[?=!]", "", runs).split(","),
                              "|".join(REASONS[r] for r in reasons.split(",")), gains,
                              *(re.findall(r"([\w-]+)[?=!]*" + re.escape(mark), runs)
                                for mark in "?=!"))
    return rows


CHEATS = expected()


def measure(run, cheats, *more):
    """Exit status, the honest records, those of each cheat, and the starred variants."""
    bench, honest, *arguments = RUNS[run].split()
    if is_short:
        arguments = [a.replace("--max-time=0.3", "--max-time=0.1") for a in arguments]
    if plugin:
        honest = "honest" if bench == "radix" else honest
        arguments.append("--plugin=" + plugin)
    if "--no-verify" in more:
        arguments = [a for a in arguments if not a.startswith("--samples")]
    names = [honest] + ["cheat-" + c for c in cheats]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "records.jsonl")
        done = subprocess.run(
            [program, bench, *(backend + "/" + n for n in names), *arguments, *more,
             "--timeout=20", "-q", "-o", file], capture_output=True, text=True, check=False)
        with open(file, encoding="utf-8") as lines:
            records = [r for r in map(json.loads, lines) if r["type"] == "record"]
        text = subprocess.run([program, "report", file], capture_output=True, text=True,
                              check=False).stdout
    by_name = {n: [r for r in records if r["variant"] == n] for n in names}
    assert all(by_name.values()), done.stderr
    return (done.returncode, by_name.pop(honest), {n[6:]: r for n, r in by_name.items()},
            set(re.findall(r"/cheat-(\S+) \*", text)))


def middle(record):
    return statistics.median(record["time"]["samples"])


def escapes(cheat, run, records, honest):
    """The keys of records that have no fault, or not one of those expected."""
    for record, other in list(zip(records, honest))[run == "second":]:
        if run in CHEATS[cheat][4] and record["status"] == other["status"] == "ok" and (
                middle(record) > 0.7 * middle(other)):
            continue
        if record["status"] not in ("failed", "doubtful") or not re.search(
                CHEATS[cheat][1], record.get("reason", "")):
            yield "%s: %s %s %s" % (run, record["key"], record["status"], record.get("reason", ""))


def is_busy(records):
    """Other programs take so much of the processors that clocks prove little."""
    return any(middle(r) > 1.5 * min(r["time"]["samples"]) for r in records if r["status"] == "ok")


def judge(run, cheats, tries=5):
    """Cheat -> how it escaped.  A busy machine may hide it, so that it has some tries, the last
    ones after a wait; if the machine is still busy in the last, nothing is known."""
    if tries < 4:
        time.sleep(20)
    status, honest, records, starred = measure(run, cheats)
    starred -= {c for c in cheats if run in CHEATS[c][4]}  # with an honest time
    found = {c: list(escapes(c, run, records[c], honest)) for c in cheats}
    found = {c: f + ["starred"] * (c in starred) for c, f in found.items() if f or c in starred}
    assert (status != 0) == any(r["status"] != "ok" for r in sum(records.values(), honest)), status
    if any(r["status"] != "ok" for r in honest):  # a busy machine may disturb an honest variant
        honest = measure(run, [])[1]
    assert all(r["status"] == "ok" for r in honest), [r.get("reason") for r in honest]
    again = [c for c in found if run not in CHEATS[c][3]]
    if again and tries > 1:
        found = {c: f for c, f in found.items() if c not in again} | judge(run, again, tries - 1)
    if tries == 1 and is_busy(honest):
        return {c: ["busy: " + h for h in f] for c, f in found.items()}
    return found


def least(records):
    return min(records[-1].get("time", {}).get("samples", [float("inf")]))


def control(run, cheats):
    """Without verification, cheats have times, and those that gain are faster."""
    cheats = [c for c in cheats if CHEATS[c][2] != "0"]
    for _ in range(4):
        _, honest, records, _ = measure(run, cheats, "--no-verify", "--samples=8")
        cheats = [c for c in cheats if least(records[c]) >
                  (0.8 * least(honest) if CHEATS[c][2] == "+" else 1e12)]
        if not cheats:
            return
    sys.exit("cheats: %s: no gain from %s" % (run, ", ".join(cheats)))


def escape(run, cheats):
    """In the runner's process, each of them has a time that is too short."""
    for cheat in cheats if plugin else []:
        for _ in range(4):
            _, honest, records, _ = measure(run, [cheat], "--no-isolate")
            if records[cheat][-1]["status"] == "ok" and (
                    middle(records[cheat][-1]) < 0.7 * middle(honest[-1])):
                break
        else:
            sys.exit("cheats: %s: %s is caught without isolation" % (run, cheat))


def main():
    more = ["--plugin=" + plugin] if plugin else []
    listed = subprocess.run([program, "list", "--format=json", *more], capture_output=True,
                            text=True, check=True).stdout
    listed = set(re.findall(r'"%s/cheat-([^"]+)"' % backend, listed))
    missing = set(CHEATS) - listed if is_short else listed ^ set(CHEATS)
    assert not missing, missing
    escapes_of, faults = {}, 0
    for run in os.environ.get("RUN", "long" if is_short else " ".join(RUNS)).split():
        cheats = [c for c in CHEATS if run in CHEATS[c][0]]
        if not cheats:
            continue
        for cheat, how in judge(run, cheats).items():
            is_open = run in CHEATS[cheat][3] or how[0].startswith("busy: ")
            faults += not is_open
            escapes_of.setdefault(cheat, []).extend(h + " (open)" * is_open for h in how)
        if not is_short:
            control(run, cheats)
            escape(run, [c for c in cheats if run in CHEATS[c][5]])
    print("cheats: %d of %d are caught" % (len(CHEATS) - len(escapes_of), len(CHEATS)))
    for cheat, how in escapes_of.items():
        print("%s\n\t%s" % (cheat, "\n\t".join(how)))
    sys.exit(faults > 0)


with tempfile.TemporaryDirectory() as left:  # for files that cheats leave
    os.environ["TMPDIR"] = left
    main()
