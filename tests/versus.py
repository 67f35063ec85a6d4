#!/usr/bin/python3
"""Check `gpubench versus` against numbers computed here, from the same files, by other means.

usage: tests/versus.py GPUBENCH

A small real run is edited into launches of two machines, each with a GPU; the run lines say so.  Rows
come with many launches, too few, none on one side, failed, unverified and emulated ones, hot and cold.
Speed-ups: the median of all quotients; intervals: all ways to interleave two sides of launches are
counted.  Then faults are planted in what was printed, each of which has to be found.
"""
import copy
import csv
import io
import itertools
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema.py")
LEAST = 4  # launches a side for an interval
ENOUGH = ("ok", "noisy")


def run(*words, status=0):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout


# ---- records of two machines ------------------------------------------------------------------


def scaled(record, factor, rng):
    """The record with its times changed by the factor and some noise."""
    record = copy.deepcopy(record)
    samples = [round(s * factor * rng.uniform(1, 1.1)) for s in record["time"]["samples"]]
    time, before = record["time"], record["time"]["median"]
    time["samples"], time["median"] = samples, statistics.median(samples)
    record["rates"]["items_per_s"] *= before / time["median"]
    return record


def without_time(record, status, reason):
    record = {k: v for k, v in record.items() if k not in ("time", "rates")}
    return dict(record, status=status, reason=reason)


def as_cuda(record):
    return dict(record, backend="cuda", key=record["key"].replace("/cpu/", "/cuda/"))


def launches(lines, machine, count, factor, rng):
    """Whole files of `count` launches on a machine that takes `factor` times as long."""
    first, records = lines[0], lines[1:]
    for i in range(count):
        run_id = "%s%d" % (machine, i)
        line = copy.deepcopy(first)
        line.update(run_id=run_id, settings=dict(first["settings"], device=0))
        line["environment"] = {"NOTE": "edited for a test, measured nowhere"}
        line["host"]["cpu"] = "CPU " + machine
        line["host"]["hostname"] = "host-" + machine
        line["tool"]["commit"] = "c" if machine == "a" or i else "d"
        line["cuda"] = {"driver": "5" + machine}
        line["gpus"] = [{"id": 1, "name": "other"}, {"id": 0, "name": "GPU " + machine}]
        out = []
        for n, record in enumerate(records):
            cpu = scaled(record, factor * (1 + n), rng)
            cuda = as_cuda(scaled(record, 0.1 / factor, rng))
            if n == 0:
                out.append(dict(scaled(record, factor / 3, rng), cold=False))
            if n == 1 and machine == "b":  # too few on b
                cpu = cpu if i < 2 else without_time(cpu, "skipped", "too large")
            if n == 2 and machine == "b" and i == 1:
                cuda = without_time(cuda, "failed", "key 3 is out of order")
            if n == 3 and machine == "b":
                cuda = dict(cuda, emulated=True)
            if n == 4 and machine == "a":
                cuda = dict(cuda, status="unverified", verify={"result": "skipped"})
            out += [cpu] + ([] if n == 5 and machine == "b" else [cuda])
        yield [line] + [dict(r, run_id=run_id, seq=s) for s, r in enumerate(out)]


# ---- the same numbers by other means ----------------------------------------------------------


def tail(n, m):
    """{u: in how many interleavings of n and m values the statistic is u}"""
    counts = {}
    for places in itertools.combinations(range(n + m), n):
        u = sum(p - i for i, p in enumerate(places))
        counts[u] = counts.get(u, 0) + 1
    return counts


def speed_up(first, other):
    """(estimate, low, high) of first / other."""
    quotients = sorted(math.log(a / b) for a in first for b in other)
    estimate = math.exp(statistics.median(quotients))
    if min(len(first), len(other)) < LEAST:
        return estimate, None, None
    counts, below, k = tail(len(first), len(other)), 0, 0
    total = sum(counts.values())
    while below + counts[k] <= total * 0.025 * (1 + 1e-12):
        below += counts[k]
        k += 1
    if k == 0:
        return estimate, None, None
    return estimate, math.exp(quotients[k - 1]), math.exp(quotients[-k])


def expected(lines):
    """{(bench, backend, key, caches): {column: (state, values)}} of all lines."""
    runs = {line["run_id"]: line for line in lines if line["type"] == "run"}
    rows = {}
    for r in lines:
        if r["type"] != "record":
            continue
        line = runs[r["run_id"]]
        gpu = [g["name"] for g in line["gpus"] if g["id"] == line["settings"]["device"]]
        column = line["host"]["cpu"] if r["backend"] == "cpu" else gpu[0]
        row = rows.setdefault((r["bench"], r["backend"], r["key"], "cold" if r["cold"] else "hot"), {})
        row.setdefault(column, []).append(r)
    return {key: {c: cell(records) for c, records in row.items()} for key, row in rows.items()}


def cell(records):
    """(state, the fastest sample of each launch, items per second)"""
    if any(r["status"] == "failed" for r in records):
        return "failed", [], None
    good = [r for r in records if r["status"] in ENOUGH and not r["emulated"]]
    if not good:
        return ("emulated" if records[0]["emulated"] else records[0]["status"]), [], None
    values = sorted(min(r["time"]["samples"]) for r in good)
    return "ok", values, good[0]["work"]["items"] / statistics.median(values) * 1e9


def close(a, b):
    return a is b is None or None not in (a, b) and math.isclose(a, b, rel_tol=1e-9)


def differences(document, rows):
    """What the document says otherwise, as text."""
    seen = set()
    for table in document["tables"]:
        names = [c["name"] for c in table["columns"]]
        logs = {(name, caches): [] for name in names for caches in ("cold", "hot")}
        for row in table["rows"]:
            key = (table["bench"], table["backend"], row["key"], row["caches"])
            wanted = rows.get(key)
            if wanted is None or key in seen:
                yield "%s: no such row, or twice" % (key,)
                continue
            seen.add(key)
            first = wanted.get(names[0], ("absent", [], None))
            if [c["column"] for c in row["cells"]] != names:
                yield "%s: other columns" % (key,)
            for c in row["cells"]:
                state, values, rate = wanted.get(c["column"], ("absent", [], None))
                ratio = (None, None, None)
                if values and first[1] and c["column"] != names[0]:
                    ratio = speed_up(first[1], values)
                    logs[c["column"], row["caches"]].append(math.log(ratio[0]))
                time = statistics.median(values) if values else None
                here = (c["time_ns"], c["items_per_s"], c["speed_up"], c["low"], c["high"])
                if (c["state"], c["launches"]) != (state, len(values)) or not all(
                    map(close, here, (time, rate) + ratio)
                ):
                    yield "%s, %s: %s, not %s" % (key, c["column"], here, (time, rate) + ratio)
        for c, caches in itertools.product(table["columns"], ("cold", "hot")):
            mine, said = logs[c["name"], caches], c["mean_" + caches]
            mean = math.exp(statistics.fmean(mine)) if mine else None
            if not close(said, mean) or c["mean_%s_rows" % caches] != len(mine):
                yield "%s, %s: the mean is %s, not %s" % (c["name"], caches, said, mean)
    for key in rows.keys() - seen:
        yield "%s: missing" % (key,)


# ---- planted faults ---------------------------------------------------------------------------


def cells(document):
    for table in document["tables"]:
        for row in table["rows"]:
            yield from row["cells"]


def planted(document):
    """Documents that are wrong in one place."""
    for name in ("time_ns", "items_per_s", "speed_up", "low", "high", "launches"):
        wrong = copy.deepcopy(document)
        one = [c for c in cells(wrong) if c[name]][-1]
        one[name] *= 1.001 if name != "launches" else 2
        yield name, wrong
    wrong = copy.deepcopy(document)
    few = next(c for c in cells(wrong) if c["speed_up"] and c["low"] is None)
    few.update(low=few["speed_up"], high=few["speed_up"])
    yield "an interval of too few launches", wrong
    wrong = copy.deepcopy(document)
    next(c for c in cells(wrong) if c["state"] == "emulated").update(state="ok", time_ns=1)
    yield "the time of an emulator", wrong
    wrong = copy.deepcopy(document)
    wrong["tables"][0]["columns"][1]["mean_cold"] *= 1.001
    yield "mean", wrong
    wrong = copy.deepcopy(document)
    hot = [r for r in wrong["tables"][0]["rows"] if r["caches"] == "hot"]
    hot[0]["caches"] = "cold"
    yield "hot as cold", wrong


def main(gpubench):
    words = "radix cpu/lsd8 --count=100,200,300 --type=u32,u64 --threads=1 --samples=2 --warmup=0".split()
    with tempfile.TemporaryDirectory() as folder:
        real = os.path.join(folder, "real.jsonl")
        run(gpubench, *words, "-q", "-o", real)
        with open(real, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        rng, whole, paths = random.Random(7), [], []
        for machine, count, factor in (("a", 6, 1), ("b", 5, 0.7)):
            for i, launch in enumerate(launches(lines, machine, count, factor, rng)):
                paths.append(os.path.join(folder, "%s%d.jsonl" % (machine, i)))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.writelines(json.dumps(line) + "\n" for line in launch)
                whole += launch
        rows = expected(whole)
        twice = paths + paths[:1]  # the same launch again is no more evidence
        text = run(gpubench, "versus", "--format=json", *twice)
        table = run(gpubench, "versus", "--format=csv", *paths)
        printed = os.path.join(folder, "versus.json")
        with open(printed, "w", encoding="utf-8") as file:
            file.write(text)
        run(sys.executable, SCHEMA, "--versus", printed)
    document = json.loads(text)
    found = list(differences(document, rows))
    assert not found, "\n".join(found)
    mixes = [(m["column"], m["part"], m["values"]) for t in document["tables"] for m in t["mixes"]]
    assert mixes == [("CPU b", "commit", "d, c"), ("GPU b", "commit", "d, c")], mixes
    states = {c["state"] for c in cells(document)}
    assert states == {"ok", "absent", "failed", "emulated", "unverified"}, states
    passed = 1
    for name, wrong in planted(document):
        assert list(differences(wrong, rows)), "planted, and not found: " + name
        passed += 1
    lines = list(csv.DictReader(io.StringIO(table)))
    assert [(x["column"], x["state"], float(x["time_ns"] or 0)) for x in lines] == [
        (c["column"], c["state"], c["time_ns"] or 0) for c in cells(document)
    ]
    print("versus: %d passed, 0 failed" % (passed + 1))


if len(sys.argv) != 2:
    sys.exit("usage: tests/versus.py GPUBENCH")
main(sys.argv[1])
