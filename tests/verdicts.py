#!/usr/bin/python3
"""verdicts.py GPUBENCH [ROUNDS] -- checks every verdict of `repro all --from` on stored records by
an independent computation from the records' samples and results/papers/*.json.

The records are taken as stored, and then in ROUNDS rounds with a made-up record for every cell and
random changes: times scaled, fewer samples, intervals removed, results doubtful or lost, other
machines.  The two must always agree, and the rounds, four times as many if need be, must see each
verdict on several claims, and claims that only a lost row leaves undecided.  At the end verdicts
are changed on purpose, and each change must be found.
"""
import functools
import glob
import json
import math
import os
import random
import subprocess
import sys
import tempfile

top = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
program = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 4
papers = [json.load(open(path)) for path in sorted(glob.glob(top + "/results/papers/*.json"))]
TIMES = ("time.", "phases.", "host_time.", "upload", "download", "create", "first_call")
NS = {"s": 1e-9, "ms": 1e-6, "us": 1e-3, "ns": 1}
UNTESTABLE = "cannot be tested here"


def run(*words):
    return subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


catalogue = json.loads(run("list", "--format=json"))
defaults = {b["name"]: {p["name"]: p.get("default") for p in b["parameters"]}
            for b in catalogue["benchmarks"]}
left_out = {b["name"]: {p["name"]: p.get("left_out_of_keys") for p in b["parameters"]}
            for b in catalogue["benchmarks"]}


# ---- records -------------------------------------------------------------------------------

def stored():
    """The lines of variants in the tables, and one record of each other variant, for fill()."""
    lines = {}
    for path in sorted(glob.glob(top + "/results/measured/*/*.jsonl")):
        with open(path, encoding="utf-8") as file:
            for line in map(json.loads, file):
                if "params" in line: # without those that the benchmark has lost
                    known = defaults[line["bench"]]
                    line["params"] = {n: v for n, v in line["params"].items() if n in known}
                lines.setdefault((line["run_id"], line.get("seq")), line)
    used = {(p["workload"], c.get("variant")) for p in papers for t in p["tables"]
            for c in t["columns"]}
    others = {variant_of(line): line for line in lines.values() if "time" in line}
    return [line for line in lines.values() if line["type"] == "run" or
            variant_of(line) in used or others.get(variant_of(line)) is line]


def variant_of(line):
    return line["bench"], line["backend"] + "/" + line["variant"]


def alter(lines, rng, number):
    """The lines with random changes that a verdict may depend on; the GPU goes by the round."""
    cores = sorted({2, 16} | {c["needs"]["cores"] - less for p in papers for c in p["claims"]
                              for less in (0, 1) if "cores" in c.get("needs", ())})
    lost, spread = rng.choice((0, 0, 0.2)), rng.choice((0.02, 1))
    lines = [json.loads(json.dumps(line)) for line in lines
             if line["type"] == "run" or rng.random() >= lost]
    names = ("", "NVIDIA GeForce RTX 2070", "NVIDIA GeForce GTX 1070", "Adreno 730",
             "NVIDIA GeForce RTX 2070 Laptop GPU")
    name = names[number % len(names)]
    for line in lines:
        if line["type"] == "run" and rng.random() < 0.3:
            line["host"]["cores"] = line["host"]["usable_cpus"] = rng.choice(cores)
        for gpu in line.get("gpus", ()):
            gpu["name"], gpu["uuid"] = name or gpu["name"], "one"
        if "time" not in line:
            continue
        scale_times(line, math.exp(rng.gauss(0, rng.choice((0, 0.02, spread)))))
        for series in (line["time"], *line.get("phases", {}).values()):
            if rng.random() < 0.05:
                series.pop("ci95", None)
                series["samples"] = series["samples"][:rng.randint(1, 4)]
                series["median"] = quantile(series["samples"], 0.5)
                if series is line["time"]:
                    line["verify"].update(overwritten=0, changed=0)
        if rng.random() < 0.3:
            line["upload"] = line["download"] = 0
        if rng.random() < 0.01 and line["status"] == "ok":
            line["status"] = "doubtful"
    return lines


def key_of(record):
    words = ["/".join(record[name] for name in ("bench", "backend", "variant"))]
    for name, usual in left_out[record["bench"]].items():
        value = record["params"].get(name)
        if value is not None and not same(value, usual):
            words.append("%s=%s" % (name, value if isinstance(value, str) else "%.15g" % value))
    return " ".join(words)


def fill(lines, rng):
    """The lines and a record for every cell whose variant, or another of its back end, has one."""
    templates = {}
    runs = {line["run_id"]: line for line in lines if line["type"] == "run"}
    for line in lines:
        if ("time" in line and "emulated" not in line and runs[line["run_id"]].get("gpus")
                and key_of(line) == line["key"]):
            templates[variant_of(line)] = line
    made = {}
    for paper in papers:
        for table in paper["tables"]:
            power, spread, noise = rng.choice((0, 1, 1, 1.1)), rng.choice((0, 1, 3)), rng.choice(
                (0.001, 0.05))
            # Quotients that claims name.
            middles = [1] + [m ** sign for c in paper["claims"] for sign in (-1, 1)
                             if c["table"] == table["id"] and "low" in (c["test"] or {})
                             for m in [(c["test"]["low"] + c["test"]["high"]) / 2]]
            for column in (c for c in table["columns"] if "variant" in c):
                backend, variant = column["variant"].split("/")
                template = templates.get((paper["workload"], column["variant"])) or next(
                    (t for (bench, _), t in sorted(templates.items())
                     if bench == paper["workload"] and t["backend"] == backend), None)
                base = rng.choice(middles) * math.exp(rng.gauss(0, spread))
                for row in table["rows"] if template else ():
                    wanted = wanted_by(table, column, row)
                    if not wanted.keys() <= template["params"].keys():
                        continue
                    new = {**json.loads(json.dumps(template)), "variant": variant}
                    new["params"].update(defaults_of(new), **wanted)
                    size = max((v for v in row if isinstance(v, (int, float))), default=1)
                    new["work"]["items"] = size
                    scale_times(new, base * size ** power * math.exp(rng.gauss(0, noise))
                                * 1000 / template["time"]["median"])
                    new["key"] = key_of(new)
                    new["seq"] = made.get(new["key"], {"seq": 10 ** 6 + len(made)})["seq"]
                    made[new["key"]] = new
    return lines + list(made.values())


def wanted_by(table, column, row):
    """The parameters that a cell names."""
    wanted = {**table.get("set", {}), **column.get("set", {})}
    for key, value in zip(table["columns"], row):
        if "param" in key and value is not None:
            wanted[key["param"]] = value
    return wanted


def defaults_of(record):
    """The record's own parameters at their defaults, except the threads."""
    return {name: value if is_unused(record, name) else type(value)(defaults[record["bench"]][name])
            for name, value in record["params"].items() if name != "threads"}


def is_unused(record, name):
    """True for the values of keys alone, which have none."""
    return name == "values" and record["params"]["type"] != "pairs"


def scale_times(record, factor):
    for series in (record["time"], *record.get("phases", {}).values()):
        series["samples"] = [x * factor for x in series["samples"]]
        series["median"] *= factor
        if "ci95" in series:
            series["ci95"] = [x * factor for x in series["ci95"]]
    if "harmonic_items_per_s" in record:
        record["harmonic_items_per_s"] /= factor
    record.pop("elapsed_s", None)


class Stored:
    def __init__(self, lines):
        self.runs = {line["run_id"]: line for line in lines if line["type"] == "run"}
        replaced = {(r["run_id"], r["seq"]) for r in
                    (line.get("replaces") for line in lines) if r}
        self.of = {}
        for line in lines:
            if line["type"] == "record" and (line["run_id"], line["seq"]) not in replaced:
                self.of.setdefault(variant_of(line), []).append(line)

    def find(self, bench, variant, wanted):
        """The last record with a time, else the last, whose parameters are those wanted, or the
        defaults.  Unless wanted, the threads are as many as the machine has."""
        found = None
        for record in self.of.get((bench, variant), ()):
            params = record["params"]
            for name, value in params.items():
                if name == "threads" and name not in wanted:
                    value = value == self.runs[record["run_id"]]["host"]["usable_cpus"]
                    if not value:
                        break
                elif (not same(value, wanted.get(name, defaults[bench].get(name)))
                      and not is_unused(record, name)):
                    break
            else:
                if "time" in record or not (found and "time" in found):
                    found = record
        return found

    def machines(self, records):
        """The hosts of the records, and the GPUs of those that used one."""
        hosts, gpus = set(), set()
        for record in records:
            line = self.runs[record["run_id"]]
            host = line["host"]
            hosts.add(tuple(str(host.get(k)) for k in ("cpu", "cpu_family", "cpu_model", "cores",
                                                       "sockets", "l3_bytes"))
                      + (round(host["memory_bytes"] / 2 ** 30),))
            if record["backend"] != "cpu":
                gpus.add((line["gpus"][0]["name"], line["gpus"][0].get("uuid")))
        return hosts, gpus


@functools.lru_cache(None, typed=True)
def same(a, b):
    try:
        return math.isclose(float(a), float(b), rel_tol=1e-12)
    except (TypeError, ValueError):
        return str(a) == str(b) or (isinstance(a, bool) and str(b) == ("yes" if a else "no"))


# ---- statistics ----------------------------------------------------------------------------

def quantile(values, p):
    values = sorted(values)
    at = (len(values) - 1) * p
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def student(df, level=0.95):
    """t with P(|T| < t) = level, by bisection on Simpson's sum of the density."""
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)

    def inside(t, n=400):
        h = t / n
        total = sum((1 if k in (0, n) else 4 if k % 2 else 2)
                    * (1 + (k * h) ** 2 / df) ** (-(df + 1) / 2) for k in range(n + 1))
        return 2 * scale * total * h / 3

    low, high = 1.0, 13.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) < level else (low, middle)
    return low


T = {}


def mean_interval(values):
    n = len(values)
    if n < 2:
        return math.nan, math.nan
    mean = sum(values) / n
    half = math.sqrt(sum((x - mean) ** 2 for x in values) / (n - 1) / n)
    half *= T.setdefault(n, student(n - 1))
    return max(mean - half, 0), mean + half


def ranks(values):
    """The order statistics that bound the median with 95 %; None if there are too few values."""
    n = len(values)
    below, k = 0.0, 0
    while below + math.comb(n, k) / 2 ** n <= 0.025:
        below += math.comb(n, k) / 2 ** n
        k += 1
    return (sorted(values)[k - 1], sorted(values)[n - k]) if k else None


def series_interval(series, mean):
    values = series["samples"]
    if mean:
        return mean_interval(values)
    if "ci95" in series:
        bounds = ranks(values) or series["ci95"]
        low, high = series["ci95"]
        slack = 1e-9 * high
        if low > bounds[0] + slack or high < bounds[1] - slack:
            sys.exit("verdicts: ci95 %s is narrower than that of the samples" % series["ci95"])
        return low, high
    low, high = mean_interval(values)
    return min(low, series["median"]), max(high, series["median"])


# ---- cells ---------------------------------------------------------------------------------

NONE = (math.nan,) * 3


def at(record, path):
    for name in path.split("."):
        record = record.get(name) if isinstance(record, dict) else None
    return record


def value_of(column, record):
    """A column's value in a record, with its interval: (value, low, high)."""
    path = column.get("value", "time.median")
    timed = path.startswith(TIMES)
    scale = column.get("scale", NS.get(column.get("unit"), 1) if timed else 1)
    mean = path.endswith(".mean")
    if "emulated" in record and (column["role"] == "time" or not path.startswith("metrics.")):
        return NONE
    if path == "rates.items_per_s":
        if "time" not in record:
            return NONE
        t = record["time"]["median"]
        x = record.get("harmonic_items_per_s", record["work"]["items"] / (t * 1e-9))
        low, high = series_interval(record["time"], False)
        return tuple(x * v * scale for v in (1, t / high, t / low if low else math.inf))
    holder = at(record, path.rsplit(".", 1)[0]) if "." in path else None
    if path in ("upload", "download"):
        holder = record.get("transfers", {}).get(path)
    if timed and isinstance(holder, dict):
        low, high = series_interval(holder, mean)
        x = sum(holder["samples"]) / len(holder["samples"]) if mean else holder["median"]
        for name in ("upload", "download"):
            moved = record.get(name, 0)
            if not moved or not column.get("scope") or record["backend"] == "cpu":
                continue
            x += moved
            series = record.get("transfers", {}).get(name)
            bounds = series_interval(series, False) if series else (math.nan, math.nan)
            low, high = low + bounds[0], high + bounds[1]
    else:
        x = at(record, path)
        if x is None:
            return NONE
        low = high = math.nan
        if column["role"] in ("size", "share"):
            low = high = x
    if column["role"] == "rate" and timed:
        items = record["work"]["items"] * 1e9
        x, low, high = items / x, items / high, items / low if low else math.inf
    return x * scale, low * scale, high * scale


def over(a, b):
    divide = lambda p, q: p / q if q else (math.inf if p > 0 else math.nan)
    return divide(a[0], b[0]), divide(a[1], b[2]), divide(a[2], b[1])


class Table:
    def __init__(self, paper, table, records):
        self.columns = {c["name"]: (i, c) for i, c in enumerate(table["columns"])}
        self.rows, self.paper, self.table, self.records = table["rows"], paper, table, records
        self.found = {}

    def printed(self, row, name):
        return self.rows[row][self.columns[name][0]]

    def record(self, row, name):
        if (row, name) not in self.found:
            column = self.columns[name][1]
            self.found[row, name] = "variant" in column and self.records.find(
                self.paper["workload"], column["variant"],
                wanted_by(self.table, column, self.rows[row]))
        return self.found[row, name]

    def terms(self, name):
        return self.columns[name][1].get("of", [name])

    def cell(self, row, name):
        if "of" in self.columns[name][1]:
            records = [r for r in (self.record(row, term) for term in self.terms(name)) if r]
            if any(len(each) > 1 for each in self.records.machines(records)):
                return NONE
            return over(*(self.cell(row, term) for term in self.terms(name)))
        record = self.record(row, name)
        return value_of(self.columns[name][1], record) if record else NONE


# ---- claims --------------------------------------------------------------------------------

def meets(paper, needs, record, run):
    if record["backend"] == "cpu":
        return min(run["host"]["cores"], run["host"]["usable_cpus"]) >= needs.get("cores", 0)
    name = run["gpus"][0]["name"]
    classes = [paper["gpu_classes"][c] for c in needs.get("gpu", ())]
    return all(any(w in name for w in words if w[0] != "!")
               and not any(w[1:] in name for w in words if w[0] == "!") for words in classes)


K = {}


def wider(q, count):
    """The (value, low, high) with an interval of which `count` hold together with 95 %."""
    k = K.setdefault(count, student(200, 1 - 0.05 / count) / student(200))
    return q if not q[0] > 0 else (q[0], *(q[0] * (v / q[0]) ** k for v in q[1:]))


def judged(quantities, low, high, count):
    """The verdict on (value, low, high), of `count` rows, that must all be within bounds."""
    if any(q[1] > high or q[2] < low for q in (wider(q, count) for q in quantities)):
        return "not held"
    return "held" if all(q[1] >= low and q[2] <= high for q in quantities) else "undecided"


def top_of(quantities):
    known = not any(math.isnan(v) for q in quantities for v in q)
    return tuple(max(q[i] for q in quantities) if known or i == 0 else math.nan for i in range(3))


def verdict_on(t, claim, partly):
    """The verdict; `partly` collects the claims that only a row without a value leaves open."""
    test = claim["test"]
    if not test:
        return UNTESTABLE
    kind = test["kind"]
    meant = [r for r in range(len(t.rows))
             if all(any(same(t.printed(r, key), v) for v in values)
                    for key, values in test.get("where", {}).items())]
    if kind == "bits":
        return "held" if test["bits"] == test["value"] * test["of_bits"] else "not held"
    columns = [test["column"]] + ([test["than"]] if "than" in test else [])
    used = [term for c in columns for term in t.terms(c)]

    def quantity(row):
        cells = [t.cell(row, c) for c in columns]
        return over(*cells) if len(cells) > 1 else cells[0]

    def measured(rows):
        return [r for r in rows if not math.isnan(quantity(r)[0])
                and all(t.record(r, c)["status"] not in ("doubtful", "unverified") for c in used)]

    rows = measured(meant)
    compares = kind in ("flat", "linear", "increasing", "decreasing")
    if not rows or (compares and len(rows) < 2 < 1 + len(meant)):
        return UNTESTABLE
    records = [t.record(r, c) for r in rows for c in used]
    if not all(meets(t.paper, claim.get("needs", {}), record, t.records.runs[record["run_id"]])
               for record in records):
        return UNTESTABLE
    if any(len(each) > 1 for each in t.records.machines(records)):
        return UNTESTABLE
    q = {r: quantity(r) for r in range(len(t.rows))}
    others = measured(r for r in range(len(t.rows)) if r not in meant)
    if kind == "maximum-at":
        if len(rows) < len(meant) or not others:
            return UNTESTABLE
        lost = len(t.rows) - len(rows) - len(others)
    else:
        lost = len(meant) - len(rows)
    verdict = verdict_of_rows(t, test, q, meant, rows, others)
    # A row that has no value may be outside the bounds, and changes a mean over all rows.
    if lost and (verdict == "held" or (verdict == "not held" and kind in ("flat", "linear"))):
        partly.add((claim["table"], claim["id"]))
        return "undecided"
    return verdict


def verdict_of_rows(t, test, q, meant, rows, others):
    """The verdict by the quantities of the rows that have one."""
    kind, compares = test["kind"], "tolerance" in test
    least, most = -math.inf, math.inf
    if kind == "maximum-at":
        return judged([over(q[r], top_of([q[m] for m in meant])) for r in others], least, 1,
                      len(rows) + len(others))
    if kind == "up-to":
        largest = top_of([q[r] for r in rows])
        if len(rows) < len(meant):
            largest = (*largest[:2], math.inf)
        return judged([largest], test["low"], test["high"], len(rows))
    if compares:
        share = test["tolerance"]
    if kind in ("increasing", "decreasing"):
        pairs = []
        step = 1 - share if kind == "increasing" else 1 + share
        for group in {t.printed(r, test["group"]) if "group" in test else None for r in meant}:
            own = [r for r in meant if "group" not in test or t.printed(r, test["group"]) == group]
            known = [(i, r) for i, r in enumerate(own) if r in rows]
            for (i, a), (k, b) in zip(known, known[1:]):
                pairs.append(tuple(v / step ** (k - i - 1) for v in over(q[b], q[a])))
        bounds = (step, most) if kind == "increasing" else (least, step)
        return judged(pairs, *bounds, len(rows)) if pairs else UNTESTABLE
    if kind == "linear":
        by = {r: t.printed(r, test["against"]) for r in rows}
        q = {r: tuple(v / by[r] for v in q[r]) for r in rows}
    mean = tuple(sum(q[r][i] for r in rows) / len(rows) for i in range(3)) if compares else None
    if kind == "linear":
        return judged([over(q[r], mean) for r in rows], 1 - share, 1 + share, len(rows))
    if kind == "flat":
        low = max(q[r][1] for r in rows) - min(q[r][2] for r in rows)
        high = max(q[r][2] for r in rows) - min(q[r][1] for r in rows)
        if any(math.isnan(v) for r in rows for v in q[r]):
            low = high = math.nan
        x = max(q[r][0] for r in rows) - min(q[r][0] for r in rows)
        return judged([over((x, max(low, 0), high), mean)], least, share, len(rows))
    bound = test.get("factor", 1) if "than" in test else test.get("value")
    side = kind.split("-")[1]
    if side == "within":
        return judged([q[r] for r in rows], test["low"], test["high"], len(rows))
    up = side == "above"
    if any(v[2] <= bound if up else v[1] >= bound for v in (wider(q[r], len(rows)) for r in rows)):
        return "not held"
    held = all(q[r][1] > bound if up else q[r][2] < bound for r in rows)
    return "held" if held else "undecided"


def recomputed(lines, partly):
    records = Stored(lines)
    verdicts = {}
    for paper in papers:
        tables = {table["id"]: Table(paper, table, records) for table in paper["tables"]}
        for claim in paper["claims"]:
            name = "%s:%s" % (paper["paper"], claim["table"])
            verdicts[name, claim["id"]] = verdict_on(tables[claim["table"]], claim, partly)
    return verdicts


def printed(lines):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
        file.flush()
        report = json.loads(run("repro", "all", "--from=" + file.name, "--format=json"))
    return {(c["table"], c["id"]): c["verdict"] for c in report["claims"]}


def differences(one, other):
    return ["%s %s: %r, recomputed %r" % (*name, one.get(name), other.get(name))
            for name in sorted(one.keys() | other.keys()) if one.get(name) != other.get(name)]


def main():
    original = stored()
    seen, partly = {}, set()
    kinds = {("%s:%s" % (p["paper"], c["table"]), c["id"]): c["test"] and c["test"]["kind"]
             for p in papers for c in p["claims"]}
    missed = set(kinds.values()) - {None}
    rng = random.Random(8)
    number = 0

    def lacks():
        """The verdicts and the kinds of test that the rounds have not seen often enough."""
        counts = {v: len(seen.get(v, ())) for v in ("held", "not held", "undecided")}
        return missed | {v for v, n in {**counts, "open": len(partly)}.items() if n < 4}

    while number <= rounds or (lacks() and number <= 4 * rounds):
        lines = alter(fill(original, rng), rng, number) if number else original
        said, own = printed(lines), recomputed(lines, partly)
        faults = differences(said, own)
        if faults:
            sys.exit("verdicts: round %d:\n%s" % (number, "\n".join(faults)))
        for name, verdict in own.items():
            seen.setdefault(verdict, set()).add(name)
            missed -= {kinds[name]} if verdict != UNTESTABLE else set()
        number += 1
    if lacks():
        sys.exit("verdicts: %d rounds saw too few of %s" % (number, ", ".join(sorted(lacks()))))
    for name in said:
        if not differences({**said, name: "held" if said[name] != "held" else "not held"}, own):
            sys.exit("verdicts: a changed verdict on %s %s was not found" % name)
    counts = ", ".join("%d %s" % (len(v), k) for k, v in sorted(seen.items()))
    print("verdicts: %d claims agree in %d rounds; with a verdict at least once: %s; open for a "
          "lost row: %d" % (len(said), number, counts, len(partly)))


main()
