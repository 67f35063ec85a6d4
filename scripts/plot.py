#!/usr/bin/python3
"""plot.py -- pictures from record files, for papers and slides (the page of `gpubench report
--format=html` has its own).

usage: plot.py sweep FILE... [--x PARAM] [--y time|rate|bandwidth]   a line per variant, intervals as bands
       plot.py roofline FILE...            items per second over the share of copy bandwidth
       plot.py ab BASE NEW                 each key's ratio, with the values of all launches
       plot.py versus VERSUS.json          speed-ups over the first machine, from `gpubench versus --format=json`
       plot.py paper PAPER:TABLE FILE...   a published figure or table from records of `repro PAPER:TABLE -o FILE`

-o PICTURE names the output (default: plot.svg; the ending decides the format).  Needs matplotlib:
Debian's python3-matplotlib, and so Debian's /usr/bin/python3.
"""

import argparse
import json
import math
import os
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("plot.py needs matplotlib for %s (Debian: python3-matplotlib)" % sys.executable)
matplotlib.use("Agg")
import matplotlib.pyplot as plt

PAPERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "results", "papers")
MARKERS = "osD^"  # the next one where colours begin again
TIME_UNITS = {"s": 1e-9, "ms": 1e-6, "us": 1e-3, "ns": 1}


def read_records(paths):
    """The records with times of real hardware, of all files."""
    records = []
    for path in paths:
        with open(path) as file:
            for number, line in enumerate(file, 1):
                try:
                    item = json.loads(line)
                except ValueError:
                    print("%s:%d: not JSON, left out" % (path, number), file=sys.stderr)
                    continue
                if item.get("type") == "record" and "time" in item and not item.get("emulated"):
                    records.append(item)
    if not records:
        sys.exit("no records with times in " + ", ".join(paths))
    return records


def at(record, path):
    for name in path.split("."):
        record = record.get(name) if isinstance(record, dict) else None
    return record


def variant(record):
    return record["backend"] + "/" + record["variant"]


# ---- sweeps -----------------------------------------------------------------------------------


def quantity(record, what):
    """(value, low, high) of a record: ms, items per second, or bytes per second."""
    time = record["time"]
    low, high = time.get("ci95") or (time["median"], time["median"])
    times = (time["median"], low or time["median"], high or time["median"])
    if what == "time":
        return tuple(t * 1e-6 for t in times)
    rate = at(record, "rates.items_per_s" if what == "rate" else "rates.bytes_per_s")
    if rate is None:
        return None
    return rate, rate * times[0] / times[2], rate * times[0] / times[1]


def varying(records):
    """Parameters with several values among the records that have them."""
    names = {name for r in records for name in r["params"]}
    values = {n: {json.dumps(r["params"][n]) for r in records if n in r["params"]} for n in names}
    return [n for n in sorted(names) if len(values[n]) > 1]


def put_legend(ax):
    """Below the axes if it is long, where it hides nothing."""
    names = ax.get_legend_handles_labels()[1]
    if len(names) <= 6:
        ax.legend(fontsize=7)
    else:
        ax.legend(fontsize=6, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.14))


def abscissa(records):
    """The numeric parameter with the most values; None if none varies."""
    counts = {}
    for name in varying(records):
        values = {r["params"][name] for r in records if name in r["params"]}
        if all(isinstance(v, (int, float)) for v in values):
            counts[name] = len(values)
    return max(sorted(counts), key=counts.get) if counts else None


def by_bench(records):
    """[(benchmark, its records)]"""
    benches = sorted({r["bench"] for r in records})
    return [(b, [r for r in records if r["bench"] == b]) for b in benches]


def plot_sweep(options):
    sweeps = by_bench(read_records(options.files))
    sweeps = [(bench, mine, options.x or abscissa(mine)) for bench, mine in sweeps]
    sweeps = [s for s in sweeps if s[2]]
    if not sweeps:
        sys.exit("no numeric parameter varies: nothing to put on the x axis")
    figure, axes = plt.subplots(1, len(sweeps), squeeze=False, figsize=(6.4 * len(sweeps), 4.4))
    for ax, (bench, mine, x) in zip(axes[0], sweeps):
        others = [n for n in varying(mine) if n != x]
        lines = {}
        for r in mine:
            value = quantity(r, options.y)
            if value and x in r["params"]:
                words = ["%s=%s" % (n, r["params"][n]) for n in others if n in r["params"]]
                lines.setdefault(" ".join([variant(r)] + words), []).append(
                    (r["params"][x],) + value
                )
        for i, name in enumerate(sorted(lines)):
            points = sorted(lines[name])
            xs, ys, lows, highs = zip(*points)
            (drawn,) = ax.plot(xs, ys, MARKERS[i // 10 % 4] + "-", markersize=4, label=name)
            ax.fill_between(xs, lows, highs, alpha=0.2, color=drawn.get_color())
        unit = next((at(r, "work.unit") for r in mine), None) or "items"
        xs = [point[0] for points in lines.values() for point in points]
        wide = min(xs) > 0 and max(xs) >= 4 * min(xs)
        ax.set(xscale="log" if wide else "linear", yscale="log", xlabel=x, title=bench)
        ax.set_ylabel({"time": "ms", "rate": unit + "/s", "bandwidth": "B/s"}[options.y])
        put_legend(ax)
        ax.grid(alpha=0.3, which="both")
    return figure


def plot_roofline(options):
    records = [
        r
        for r in read_records(options.files)
        if at(r, "rates.copy_share") and at(r, "rates.items_per_s")
    ]
    if not records:
        sys.exit("no record has a share of the copy bandwidth")
    panels = by_bench(records)
    figure, axes = plt.subplots(1, len(panels), squeeze=False, figsize=(5 * len(panels), 4.4))
    for ax, (bench, mine) in zip(axes[0], panels):
        for i, name in enumerate(sorted({variant(r) for r in mine})):
            points = [r for r in mine if variant(r) == name]
            ax.scatter(
                [at(r, "rates.copy_share") for r in points],
                [at(r, "rates.items_per_s") for r in points],
                s=18,
                marker=MARKERS[i // 10 % 4],
                label=name,
            )
        unit = next((at(r, "work.unit") for r in mine), None) or "items"
        ax.axvline(1, color="grey", linewidth=1)
        ax.set(xscale="log", yscale="log", xlabel="share of copy bandwidth", title=bench)
        ax.set_ylabel(unit + "/s")
        put_legend(ax)
        ax.grid(alpha=0.3, which="both")
    return figure


# ---- two builds -------------------------------------------------------------------------------


def left_out(records):
    """What keys leave out, { (benchmark, parameter): value }: parameters beside a key, not in it."""
    return {
        (r["bench"], name): value
        for r in records
        for name, value in r["params"].items()
        if " %s=" % name not in r["key"]
    }


def name_of(record, defaults):
    """The record's key; of an early file, whose keys have all parameters, as it is spelt today."""
    words = [
        "%s=%s" % (name, value)
        for name, value in record["params"].items()
        if " %s=" % name in record["key"] and defaults.get((record["bench"], name)) != value
    ]
    return " ".join([record["bench"] + "/" + variant(record)] + words)


def launches(records, defaults):
    """Each key's fastest sample of each launch, in ns."""
    values = {}
    for r in records:
        values.setdefault(name_of(r, defaults), []).append(min(r["time"]["samples"]))
    return values


def plot_ab(options):
    if len(options.files) != 2:
        sys.exit("ab needs two files, BASE and NEW")
    sides = [read_records([path]) for path in options.files]
    defaults = left_out(sides[0] + sides[1])
    base, new = (launches(records, defaults) for records in sides)
    keys = [k for k in base if k in new]
    if not keys:
        sys.exit("the two files have no key in common")
    figure, ax = plt.subplots(figsize=(8, 1 + 0.3 * len(keys)))
    for row, key in enumerate(keys):
        middle = sorted(base[key])[len(base[key]) // 2]
        for side, color, offset in ((base, "C0", -0.15), (new, "C1", 0.15)):
            ax.scatter(
                [v / middle for v in side[key]], [row + offset] * len(side[key]), s=9, color=color
            )
    ax.axvline(1, color="grey", linewidth=1)
    ax.set(yticks=range(len(keys)), yticklabels=keys, xlabel="time / median of base (blue)")
    ax.tick_params(axis="y", labelsize=6)
    ax.invert_yaxis()
    return figure


# ---- machines side by side --------------------------------------------------------------------


def read_versus(path):
    with open(path) as file:
        try:
            document = json.load(file)
        except ValueError:
            document = None
    if not isinstance(document, dict) or document.get("type") != "versus":
        sys.exit(path + " is not what `gpubench versus --format=json` prints")
    return document


def speed_ups(table, name):
    """[(row, speed-up, low, high)] of a column; without an interval low and high are the speed-up."""
    cells = [[c for c in row["cells"] if c["column"] == name][0] for row in table["rows"]]
    return [
        (i, c["speed_up"], c["low"] or c["speed_up"], c["high"] or c["speed_up"])
        for i, c in enumerate(cells)
        if c["speed_up"] is not None
    ]


def plot_versus(options):
    if len(options.files) != 1:
        sys.exit("versus needs one file, VERSUS.json")
    tables = read_versus(options.files[0])["tables"]
    tables = [t for t in tables if any(c["mean_cold_rows"] or c["mean_hot_rows"] for c in t["columns"])]
    if not tables:
        sys.exit("no measurement has a time on two machines")
    heights = [1 + 0.3 * len(t["rows"]) for t in tables]
    figure, axes = plt.subplots(
        len(tables),
        1,
        squeeze=False,
        figsize=(8, sum(heights)),
        height_ratios=heights,
        layout="constrained",
    )
    for ax, table in zip(axes[:, 0], tables):
        names = [c["name"] for c in table["columns"]]
        for k, name in enumerate(names[1:]):
            points = speed_ups(table, name)
            if not points:
                continue
            rows, values, lows, highs = zip(*points)
            errors = [
                [v - low for v, low in zip(values, lows)],
                [high - v for v, high in zip(values, highs)],
            ]
            ax.errorbar(
                values, rows, xerr=errors, fmt=MARKERS[k // 10 % 4], markersize=4, label=name
            )
        labels = [r["key"] + (" hot" if r["caches"] == "hot" else "") for r in table["rows"]]
        ax.axvline(1, color="grey", linewidth=1)
        ax.set(yticks=range(len(labels)), yticklabels=labels, xscale="log")
        ax.set_xlabel("speed-up over " + names[0])
        ax.tick_params(axis="y", labelsize=6)
        ax.invert_yaxis()
        ax.legend(fontsize=7)
        ax.grid(alpha=0.3, which="both", axis="x")
    return figure


# ---- published figures ------------------------------------------------------------------------


def read_table(name):
    paper, _, table = name.partition(":")
    path = os.path.join(PAPERS, paper + ".json")
    if not os.path.exists(path):
        sys.exit("no paper called " + paper)
    with open(path) as file:
        document = json.load(file)
    for item in document["tables"]:
        if item["id"] == table:
            return document, item
    sys.exit("%s has no %s; it has %s" % (paper, table, ", ".join(t["id"] for t in document["tables"])))


def same(a, b):
    return a == b or str(a) == str(b)


def measured(records, table, columns, row, column):
    """The column's value in a row, in its unit; None if no record is of that point."""
    wanted = dict(table.get("set", {}))
    wanted.update(column.get("set", {}))
    for key, value in zip(columns, row):
        if key.get("param") and value is not None:
            wanted[key["param"]] = value
    path = column.get("value", "time.median")
    scale = column.get("scale")
    if scale is None:
        times = path.split(".")[0] in ("time", "phases", "upload", "download", "host_time")
        scale = TIME_UNITS.get(column.get("unit"), 1) if times else 1
    for r in records:
        if variant(r) == column["variant"] and all(
            n not in r["params"] or same(r["params"][n], v) for n, v in wanted.items()
        ):
            value = at(r, path)
            if isinstance(value, (int, float)):
                return value * scale
    return None


def plot_paper(options):
    document, table = read_table(options.table)
    records = [r for r in read_records(options.files) if r["bench"] == document["workload"]]
    columns = table["columns"]
    keys = [i for i, c in enumerate(columns) if c["role"] == "key"]
    numeric = [i for i in keys if all(isinstance(r[i], (int, float)) for r in table["rows"])]
    labels = [", ".join(str(r[i]) for i in keys if r[i] is not None) for r in table["rows"]]
    line = len(numeric) == 1 and len(keys) == 1
    xs = [r[numeric[0]] for r in table["rows"]] if line else list(range(len(labels)))
    figure, ax = plt.subplots(figsize=(7.2, 4.6))
    drawn = 0
    for i, column in enumerate(columns):
        if column["role"] in ("key", "ratio"):
            continue
        here = (
            [measured(records, table, columns, r, column) for r in table["rows"]]
            if column.get("variant")
            else []
        )
        printed = [r[i] if isinstance(r[i], (int, float)) else None for r in table["rows"]]
        for values, style, suffix in ((here, "o-", " here"), (printed, "x:", " published")):
            points = [(x, v) for x, v in zip(xs, values) if v is not None and v > 0]
            if points:
                style = style if line else style[0]
                ax.plot(*zip(*points), style, color="C%d" % (i % 10), label=column["name"] + suffix)
                drawn += 1
    if not drawn:
        sys.exit("the records have nothing of " + options.table)
    ax.set_yscale("log")
    if line:
        ax.set(xscale="log" if max(xs) > 100 * min(xs) > 0 else "linear")
        ax.set_xlabel(columns[numeric[0]]["name"])
    else:
        ax.set_xticks(xs, labels, rotation=30, ha="right", fontsize=7)
    ax.set_title("%s %s" % (document["paper"], table["label"]))
    ax.legend(fontsize=7)
    ax.grid(alpha=0.3)
    return figure


def main():
    parser = argparse.ArgumentParser(description="pictures from record files")
    parser.add_argument("-o", "--output", default="plot.svg")
    kinds = parser.add_subparsers(dest="kind", required=True)
    sweep = kinds.add_parser("sweep")
    sweep.add_argument("--x", help="parameter on the x axis")
    sweep.add_argument("--y", choices=["time", "rate", "bandwidth"], default="time")
    paper = kinds.add_parser("paper")
    paper.add_argument("table", metavar="PAPER:TABLE")
    for kind, plot in (
        (sweep, plot_sweep),
        (kinds.add_parser("roofline"), plot_roofline),
        (kinds.add_parser("ab"), plot_ab),
        (kinds.add_parser("versus"), plot_versus),
        (paper, plot_paper),
    ):
        kind.add_argument("files", nargs="+", metavar="FILE")
        kind.add_argument("-o", "--output", default=argparse.SUPPRESS)
        kind.set_defaults(plot=plot)
    options = parser.parse_args()
    try:
        figure = options.plot(options)
        figure.savefig(options.output, bbox_inches="tight", dpi=150)
    except OSError as error:
        sys.exit("plot.py: %s" % error)
    print(options.output)


if __name__ == "__main__":
    main()
