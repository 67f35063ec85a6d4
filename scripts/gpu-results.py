#!/usr/bin/python3
"""gpu-results.py TAR... -- stores what scripts/gpu-suite.sh measured, and prints what surprised.

    gpu-results.py build/gpu/*.tar              fold them in and print the surprises
    gpu-results.py --dry-run build/gpu/*.tar    only print; also takes tars of the emulator

Records go to results/measured/<gpu>-<date>/, with the launches of `ab` as two files and a summary
for each stage.  Files that are there may gain lines, but not lose any.  Counters of kernels
that have none, if the GPU is the same, go to results/counters.jsonl.  Pages are printed again;
scripts/figures.py says which tables the new records do not cover.

Surprises, the largest of each kind first:

    failed      a result that failed or is doubtful, or a step that failed or was stopped
    slower      a variant that `ab` finds slower than its old version
    further     a time outside the interval of its prediction (scripts/predict.py)
    reversed    two variants at a point whose order, by disjoint intervals, is not the predicted one
    throttled   samples during which the GPU had lowered its clocks
    noisy       half the 95 % interval exceeds a tenth of the median
    mixed       a file of several machines' GPUs: no table can show it

A tar with other files than the suite's, a cut one, or one of another GPU than the others gets one
line and status 2; nothing is stored then.
"""
import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

import counters
import model
import predict

TOP = os.path.dirname(model.RESULTS)
MOST_BYTES, MOST_FILES = 64 << 20, 1000  # of a tar
MEMBER = re.compile(r"(\w+)/([A-Za-z0-9_][\w.-]*)")
KINDS = ("failed", "slower", "further", "reversed", "throttled", "noisy", "mixed")
BAD = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError,
       tarfile.TarError)

# ---- reading -------------------------------------------------------------------------------


def members(path):
    """{(stage, name): bytes} of a tar of the suite."""
    size = os.stat(path).st_size
    if not os.path.isfile(path) or size > MOST_BYTES:
        raise ValueError("not a file of at most %d MiB" % (MOST_BYTES >> 20))
    with open(path, "rb") as file:
        file.seek(max(size - 1024, 0))
        if size % 512 or file.read() != bytes(1024):
            raise ValueError("not a tar, or cut short")
    found = {}
    with tarfile.open(path, "r:") as tar:
        for member in tar:
            name = MEMBER.fullmatch(member.name)
            if not (name and member.isreg() and not member.issparse() and member.size < size and
                    len(found) < MOST_FILES):
                raise ValueError("not the suite's: %.80r" % member.name)
            found[name.groups()] = tar.extractfile(member).read()
    return found


def lines_of(data):
    """The JSON lines; the last one may have been cut off."""
    return [json.loads(line) for line in data.decode().split("\n")[:-1]]


class Results:
    """What several tars hold, by the names that it is stored under."""

    def __init__(self):
        self.files, self.runs, self.records = {}, [], []
        self.counters, self.verdicts, self.steps = [], [], []
        self.gpu, self.uuids = None, {}

    def add(self, path):
        for (stage, name), data in sorted(members(path).items()):
            if name == "summary":
                self.steps += [(stage, line) for line in data.decode().splitlines()]
                self.store(stage + ".summary", data)
            elif stage == "counters" and name.endswith(".jsonl"):
                self.counters += lines_of(data)
                if any("key" in line and not (line["key"] in counters.points() and
                                              line["kernel"] and line["commit"] and
                                              line["launches"] and line["counters"])
                       for line in self.counters):
                    raise ValueError("counters of no known point")
                self.see_gpu({line["gpu"] for line in self.counters if "gpu" in line})
                self.store(name, data)
            elif stage == "ab" and name.endswith(".jsonl"):
                side = "ab-%s.jsonl" % name.split(".")[-2]
                self.see(data, None)
                self.store(side, self.files.get(side, b"") + data[:data.rfind(b"\n") + 1])
            elif stage == "ab" and name.endswith(".json") and data:
                self.verdicts += json.loads(data)["keys"]
            elif name.endswith(".jsonl") and data:
                if name in self.files:
                    raise ValueError("two files %s" % name)
                self.see(data, name)
                self.store(name, data[:data.rfind(b"\n") + 1])

    def store(self, name, data):
        self.files[name] = data

    def see(self, data, name):
        """Take the runs of a file, and its records unless the name is None."""
        lines = lines_of(data)
        runs = [line for line in lines if line["type"] == "run"]
        self.see_gpu({gpu["name"] for run in runs for gpu in run.get("gpus", [])
                      if gpu["id"] == run["settings"].get("device", 0)})
        if not all(re.match(r"\d{4}-\d\d-\d\dT", run["started"]) for run in runs):
            raise ValueError("a run without a date")
        if not all(isinstance(line["key"], str) for line in lines if line["type"] == "record"):
            raise ValueError("a record without a key")
        self.runs += runs
        self.uuids[name] = {gpu.get("uuid") for run in runs for gpu in run.get("gpus", [])}
        gone = {(r["replaces"]["run_id"], r["replaces"]["seq"]) for r in lines if "replaces" in r}
        self.records += [(name, r) for r in lines if name and r["type"] == "record"
                         and (r["run_id"], r["seq"]) not in gone]

    def see_gpu(self, names):
        for name in sorted(names):
            if self.gpu not in (None, name):
                raise ValueError("of another GPU, %s and not %s" % (name, self.gpu))
            self.gpu = name

    def emulated(self):
        return any(gpu.get("emulated") for run in self.runs for gpu in run.get("gpus", []))


def known_gpu(name):
    """The name in gpus.json, or None."""
    return max((n for n in model.read("gpus.json")["gpus"] if n in name), key=len, default=None)


# ---- surprises -----------------------------------------------------------------------------


def pairs_at_points(rows):
    """The pairs of records that differ in the variant alone."""
    points = {}
    for row in rows:
        record = row[0]
        at = record["bench"], record["key"].partition(" ")[2]
        points.setdefault(at, []).append(row)
    return [pair for at in points.values() for pair in itertools.combinations(at, 2)
            if pair[0][0]["variant"] != pair[1][0]["variant"]]


def predictor_of(results):
    """By the GPU's own constants, if they are among the results."""
    p = predict.Predictor()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "new"))
        with open(os.path.join(folder, "new", model.CALIBRATION), "wb") as file:
            file.write(results.files.get(model.CALIBRATION, b'{"gpus": [{"name": ""}]}\n'))
        p.calibrated.update(model.calibrations(p.points, p.compiled, p.gpus, folder))
    return p


def against_prediction(p, records, gpu):
    """Times outside their intervals, and pairs in the other order."""
    rows = []
    counted = {point.key: point.kernels for point in p.points if not point.calibrates}
    for record in records:
        if record["status"] == "ok" and record.get("cold") and record["key"] in counted:
            us, _ = p.predict(counted[record["key"]], gpu)
            rows.append((record, record["time"]["median"] / 1e3, us))
    for record, measured, us in rows:
        low, high = p.interval(us, gpu)
        if not low <= measured <= high:
            factor = predict.factors([measured / us])[0]
            yield ("further", factor, "%s: %s, predicted %s (%s), %.2f times" % (
                record["key"], predict.show(measured), predict.show(us),
                predict.show_interval((low, high)), measured / us))
    for a, b in pairs_at_points(rows):
        a, b = sorted((a, b), key=lambda row: row[1])
        if a[2] > b[2] and a[0]["time"]["ci95"][1] < b[0]["time"]["ci95"][0]:
            yield ("reversed", b[1] / a[1], "%s: %s, and %s %s; predicted %s and %s" % (
                a[0]["key"], predict.show(a[1]), b[0]["variant"], predict.show(b[1]),
                predict.show(a[2]), predict.show(b[2])))


def of_record(name, record):
    where = "%s (%s)" % (record["key"], name)
    if record["status"] in ("failed", "doubtful"):
        yield "failed", 1, "%s: %s: %s" % (where, record["status"], record.get("reason", ""))
        return
    state, time = record.get("gpu_state", {}), record.get("time")
    if state.get("throttled_samples") or state.get("throttled_s"):
        yield ("throttled", state.get("throttled_s", 0), "%s: %d samples, %g s" % (
            where, state.get("throttled_samples", 0), state.get("throttled_s", 0)))
    if time and "ci95" in time:
        half = (time["ci95"][1] - time["ci95"][0]) / 2 / time["median"]
        if half > 0.1:
            yield "noisy", half, "%s: %s +- %.0f %%, %d samples" % (
                where, predict.show(time["median"] / 1e3), 100 * half,
                len(time.get("samples", [])))


def surprises(results):
    found = [s for name, record in results.records for s in of_record(name, record)]
    last = {(stage, line.split()[0]): line for stage, line in results.steps
            if line and not line.startswith("#")}
    found += [("failed", 2, "step %s of %s" % (" ".join(line.split()), stage))
              for (stage, _), line in last.items() if not line.endswith(" ok")]
    found += [("slower", key["ratio"] or 0, "%s: %.2f times its old time" % (
        key["key"], key["ratio"] or 0)) for key in results.verdicts if key["verdict"] == "slower"]
    found += [("mixed", len(uuids), "%s: %d GPUs" % (name, len(uuids)))
              for name, uuids in results.uuids.items() if name and len(uuids) > 1]
    if not results.emulated():
        gpu = known_gpu(results.gpu)
        if gpu:
            found += against_prediction(predictor_of(results),
                                        [record for _, record in results.records], gpu)
        else:
            print("nothing is predicted for %s: results/gpus.json lacks it" % results.gpu)
    return sorted(found, key=lambda s: (KINDS.index(s[0]), -s[1]))


# ---- storing -------------------------------------------------------------------------------


def folder_of(results):
    gpu = known_gpu(results.gpu) or re.sub("^nvidia ", "", results.gpu.lower())
    slug = re.sub("[^a-z0-9]+", "-", gpu.lower()).strip("-")
    return os.path.join(model.RESULTS, "measured",
                        "%s-%.10s" % (slug, min(run["started"] for run in results.runs)))


def store(results, folder):
    """Write the files whole; refuse before the first one if one was changed."""
    for name, data in results.files.items():
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                if not set(file.read().splitlines()) <= set(data.splitlines()):
                    raise ValueError("%s is there, with other contents" % path)
    os.makedirs(folder, exist_ok=True)
    for name, data in results.files.items():
        if data:
            path = os.path.join(folder, name)
            with open(path + ".part", "wb") as file:
                file.write(data)
            os.replace(path + ".part", path)


def add_counters(results):
    """Append the lines of points without counters, and return their number."""
    path = os.path.join(model.RESULTS, "counters.jsonl")
    head, *kept = model.read("counters.jsonl")
    had = {line["key"] for line in kept}
    new = [line for line in results.counters if "key" in line and line["key"] not in had]
    if not new or head["gpu"] != results.gpu:
        return 0
    with open(path, "a") as file:
        file.writelines(json.dumps(line) + "\n" for line in new)
    return len(new)


def print_pages(folder):
    pages = {"predictions": ["predict.py"], "literature": ["literature.py"],
             "counters": ["counters.py", "--page"]}
    for page, (script, *options) in pages.items():
        text = subprocess.run([sys.executable, os.path.join(TOP, "scripts", script), *options],
                              check=True, capture_output=True, text=True).stdout
        with open(os.path.join(TOP, "docs", page + ".md"), "w") as file:
            file.write(text)
    subprocess.run([os.path.join(TOP, "scripts", "figures.py"), folder], check=False)


def main(arguments=None):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("tar", nargs="+")
    options = parser.parse_args(arguments)
    results, path = Results(), ""
    try:
        for path in options.tar:
            results.add(path)
        path = ", ".join(options.tar)
        if not results.gpu or results.emulated() and not options.dry_run:
            raise ValueError("no GPU made these records")
        found = surprises(results)
        if not options.dry_run:
            folder = folder_of(results)
            store(results, folder)
            added = add_counters(results)
    except BAD as fault:
        print("gpu-results.py: %s: %s" % (path, " ".join(str(fault).split())), file=sys.stderr)
        return 2
    print("%d records of %s; %d surprises" % (len(results.records), results.gpu, len(found)))
    for kind, _, text in found:
        print("%-9s  %s" % (kind, text))
    if options.dry_run:
        return 0
    print("stored in %s; %d lines of counters added" % (os.path.relpath(folder), added))
    timed = {r["key"] for name, r in results.records if name == "points.jsonl" and "time" in r}
    points = [p for p in model.read_points() if not p.calibrates]
    print("%d of the %d points of the model are there; scripts/model.py has %s" % (
        sum(p.key in timed for p in points), len(points), model.MEASURED))
    print_pages(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
