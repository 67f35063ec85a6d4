"""Record files as series: equal measurements are pooled, different ones are never joined.

A point is a variant with its parameters in one setup: machine, host, build, cache mode.  The
launches of a point are pooled to one value with an interval.  A different setup is a series of its
own, whose name says what differs.
"""

import fnmatch
import json
import sys
from dataclasses import dataclass, field

# The parts of a setup, in the order in which they name a series; the first that tell it suffice.
SETUP = ("machine", "host", "commit", "compiler", "caches")

# With 95 % confidence, a median lies between the k-th and the (n+1-k)-th of n or more values
# (binomial, p = 1/2): (n, k).
ORDER = ((6, 1), (9, 2), (12, 3), (15, 4), (17, 5), (20, 6), (23, 7), (25, 8), (28, 9), (30, 10))


class Trouble(Exception):
    """An error for the user, in one line."""


@dataclass
class Row:
    """One record, with the setup of its run."""

    record: dict
    setup: dict
    machine: tuple = ()

    @property
    def bench(self):
        return self.record["bench"]

    @property
    def variant(self):
        return self.record["backend"] + "/" + self.record["variant"]

    @property
    def params(self):
        return self.record["params"]

    @property
    def unit(self):
        """Unit of the items."""
        return at(self.record, "work.unit") or "items"


@dataclass
class Point:
    """A variant at a point in one setup: the rows of its launches."""

    rows: list = field(default_factory=list)

    @property
    def first(self):
        return self.rows[0]

    def pooled(self, value):
        """(middle, low, high): of one launch its value and interval; of several the median of their
        values and its 95 % interval, or the range of the values if they are fewer than six."""
        values = [v for v in (value(r.record) for r in self.rows) if v]
        if len(values) < 2:
            return values[0] if values else None
        middles = sorted(v[0] for v in values)
        n = len(middles)
        k = max((k for least, k in ORDER if least <= n), default=1)
        middle = (middles[(n - 1) // 2] + middles[n // 2]) / 2
        return middle, middles[k - 1], middles[n - k]


def at(record, path):
    for name in path.split("."):
        record = record.get(name) if isinstance(record, dict) else None
    return record


def machine_of(record, run):
    """The machine of the record's back end: its name, and what tells apart others of that name."""
    host = run.get("host") or {}
    if record["backend"] != "cpu":
        device = at(run, "settings.device") or 0
        gpu = next((g for g in run.get("gpus") or [] if g.get("id") == device), {})
        return gpu.get("name") or "unknown GPU", (gpu.get("uuid") or "")[:12]
    gib = host.get("memory_bytes") and -(-host["memory_bytes"] // 2**30)
    parts = (host.get("sockets"), "sockets"), (host.get("cores"), "cores"), (gib, "GiB")
    return host.get("cpu") or "unknown CPU", ", ".join("%s %s" % p for p in parts if p[0])


def name_machines(rows):
    """Distinguish machines that share a name by adding what differs to it."""
    machines = {row.machine for row in rows}
    for row in rows:
        shared = sum(name == row.machine[0] for name, _ in machines) > 1
        row.setup["machine"] = ", ".join(filter(None, row.machine[: 1 + shared]))


def setup_of(record, run):
    return {
        "machine": machine_of(record, run)[0],
        "host": at(run, "host.hostname") or "",
        "commit": at(run, "tool.commit") or "",
        "compiler": at(run, "tool.compiler") or "",
        "caches": "cold caches" if record.get("cold", True) else "hot caches",
    }


def add_rates(record):
    """Add the rates that follow from the record's time."""
    time, work = at(record, "time.median"), record.get("work") or {}
    if isinstance(time, (int, float)) and time > 0:
        rates = {
            "items_per_s": record.get("harmonic_items_per_s") or work.get("items", 0) / time * 1e9,
            "bytes_per_s": work.get("bytes", 0) / time * 1e9,
        }
        record["rates"] = {name: value for name, value in rates.items() if value}
    return record


def lines_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            try:
                item = json.loads(line)
            except ValueError:
                item = None
            if isinstance(item, dict) and item.get("schema") == 1:
                raise Trouble("%s:%d: schema 1 is no longer read" % (path, number))
            if isinstance(item, dict):
                yield item
            elif line.strip():
                print("%s:%d: not a record, left out" % (path, number), file=sys.stderr)


def why_not(record):
    """Why the record has no time that can be shown; None if it has one."""
    if not isinstance(at(record, "time.median"), (int, float)) or not record["time"]["median"] > 0:
        return "without a time"
    if record.get("emulated"):
        return "emulated"
    if at(record, "verify.result") not in (None, "pass"):
        return "unverified"
    return None


def read(paths):
    """The rows of all files with verified times of real hardware; report the number of other
    records on standard error."""
    runs, records, left = {}, [], {}
    for path in paths:
        for item in lines_of(path):
            if item.get("type") == "run":
                runs[item.get("run_id")] = item
            elif item.get("type") == "record" and isinstance(item.get("params"), dict):
                records.append(add_rates(item))
    rows = []
    for record in records:
        why = why_not(record)
        if why:
            left[why] = left.get(why, 0) + 1
        else:
            run = runs.get(record.get("run_id"), {})
            rows.append(Row(record, setup_of(record, run)))
            rows[-1].machine = machine_of(record, run)
    for why, count in sorted(left.items()):
        print("left out: %d records %s" % (count, why), file=sys.stderr)
    if not rows:
        raise Trouble("no records with times in " + ", ".join(paths))
    name_machines(rows)
    return rows


def word(value):
    """A parameter's value as the command line spells it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "%g" % value if isinstance(value, float) else str(value)


def select(rows, wheres):
    """The rows that match every "NAME=GLOB[,GLOB...]"; NAME is a parameter, variant, bench or a
    part of the setup.  A variant without a parameter that others of its benchmark have (such as
    threads) stays."""
    for where in wheres or []:
        name, sign, globs = where.partition("=")
        if not sign:
            raise Trouble("--where=%s: not NAME=VALUE[,VALUE...]" % where)
        benches = {r.bench for r in rows if value_of(r, name) is not None}
        if not benches:
            raise Trouble("--where=%s: no record has a %s" % (where, name))
        rows = [r for r in rows if r.bench in benches and is_one_of(value_of(r, name), globs)]
        if not any(value_of(r, name) is not None for r in rows):
            raise Trouble("--where=%s: no record is left" % where)
    return rows


def is_one_of(value, globs):
    return value is None or any(fnmatch.fnmatchcase(word(value), g) for g in globs.split(","))


def value_of(row, name):
    """Value of a parameter, `variant`, `bench` or a part of the setup; None if there is none."""
    if name in ("variant", "bench"):
        return getattr(row, name)
    return row.params.get(name, row.setup.get(name))


def varying(rows):
    """Parameters with several values among the rows of variants that have them, in the order of the
    options; none counts as a value."""
    names = dict.fromkeys(n for r in rows for n in r.params)
    having = {(r.bench, r.variant, n) for r in rows for n in r.params}
    return [
        n
        for n in names
        if len({word(r.params.get(n)) for r in rows if (r.bench, r.variant, n) in having}) > 1
    ]


def setup_names(rows):
    """The parts of the setup that tell the rows' setups apart."""
    names, seen = [], {tuple(r.setup.values()) for r in rows}
    if len(seen) == 1:
        return names
    for name in SETUP:
        i = SETUP.index(name)
        if len({s[i] for s in seen}) > 1:
            names.append(name)
            if len({tuple(s[SETUP.index(n)] for n in names) for s in seen}) == len(seen):
                break
    return names


def points(rows):
    """Pool the rows: [Point], in the order of the file."""
    pooled = {}
    for row in rows:
        key = (row.bench, row.variant, json.dumps(row.params, sort_keys=True), *row.setup.values())
        pooled.setdefault(key, Point()).rows.append(row)
    return list(pooled.values())


def by_bench(rows):
    """[(benchmark, its rows)]"""
    return [(b, [r for r in rows if r.bench == b]) for b in dict.fromkeys(r.bench for r in rows)]


def series_of(row, names):
    """("cpu/best", "threads=2", "AMD EPYC"): the variant and what else names a series."""
    words = [row.variant]
    for name in names:
        value = value_of(row, name)
        if value is not None and name not in ("variant", "bench"):
            words.append(value if name in SETUP else "%s=%s" % (name, word(value)))
    return tuple(w for w in words if w)


def label(row, names):
    return ", ".join(series_of(row, names))


# ---- quantities -------------------------------------------------------------------------------


def seconds(record):
    """(time, low, high) of the median, in seconds."""
    time = record["time"]
    low, high = time.get("ci95") or (None, None)
    return tuple((t or time["median"]) * 1e-9 for t in (time["median"], low, high))


def rate(record, path="rates.items_per_s"):
    """Items, or bytes, per second with the interval of the time; None if unknown."""
    middle = at(record, path)
    if not middle:
        return None
    time, low, high = seconds(record)
    return middle, middle * time / high, middle * time / low


def bandwidth(record):
    return rate(record, "rates.bytes_per_s")


QUANTITIES = {"time": seconds, "rate": rate, "bandwidth": bandwidth}


def ratio(over, under):
    """Ratio of two (middle, low, high), with the widest interval that the two allow."""
    return over[0] / under[0], over[1] / under[2], over[2] / under[1]
