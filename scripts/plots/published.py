"""paper: a published figure or table, and the same measured here."""

import json
import os

from . import style
from .records import Trouble, at, label, points, read, select, setup_names, word

PAPERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "results", "papers")
TIME_UNITS = {"s": 1e-9, "ms": 1e-6, "us": 1e-3, "ns": 1}
TIMES = ("time", "phases", "upload", "download", "host_time")


def read_table(name):
    paper, _, table = name.partition(":")
    try:
        with open(os.path.join(PAPERS, paper + ".json"), encoding="utf-8") as file:
            document = json.load(file)
    except FileNotFoundError:
        raise Trouble("no paper called " + paper) from None
    for item in document["tables"]:
        if item["id"] == table:
            return document, item
    raise Trouble(
        "%s has no %s; it has %s" % (paper, table, ", ".join(t["id"] for t in document["tables"]))
    )


def number(value):
    """A printed value as a number; None if it is none."""
    try:
        return float(value) if not isinstance(value, bool) else None
    except (TypeError, ValueError):
        return None


def wanted(table, row, column):
    """The parameters of the column's measurement in this row."""
    params = dict(table.get("set", {}))
    params.update(column.get("set", {}))
    for key, value in zip(table["columns"], row):
        if key.get("param") and value is not None:
            params[key["param"]] = value
    return params


def same(a, b):
    x, y = number(a), number(b)
    return word(a) == word(b) if x is None or y is None else x == y


def scaled(column):
    """record -> (value, low, high) in the column's unit."""
    path = column.get("value", "time.median")
    of_time = path.split(".")[0] in TIMES
    scale = column.get("scale")
    if scale is None:
        scale = TIME_UNITS.get(column.get("unit"), 1) if of_time else 1

    def value(record):
        middle = at(record, path)
        if not isinstance(middle, (int, float)):
            return None
        low, high = at(record, path.replace(".median", ".ci95")) or (None, None)
        return tuple((v or middle) * scale for v in (middle, low, high))

    return value


def measured(pooled, table, row, column):
    """(middle, low, high) of the column in a row, None if no record is of that point."""
    params = wanted(table, row, column)
    for point in pooled:
        if point.first.variant == column["variant"] and all(
            n not in point.first.params or same(point.first.params[n], v)
            for n, v in params.items()
        ):
            return point.pooled(scaled(column))
    return None


def by_setup(rows):
    """{name of a setup: its points}: "here" if there is one."""
    names, setups = setup_names(rows), {}
    for point in points(rows):
        name = label(point.first, names).partition(", ")[2] or "here"
        setups.setdefault(name, []).append(point)
    return setups


def curves(document, table, rows):
    """[(name, column number or None, [(middle, low, high) or None for each row])]"""
    found = []
    setups = by_setup([r for r in rows if r.bench == document["workload"]])
    for i, column in enumerate(table["columns"]):
        if column["role"] in ("key", "ratio"):
            continue
        printed = [number(r[i]) for r in table["rows"]]
        found.append((column["name"], "published", i, [v and (v, v, v) for v in printed]))
        for setup, pooled in setups.items() if column.get("variant") else ():
            here = [measured(pooled, table, r, column) for r in table["rows"]]
            if any(here):
                found.append((column["name"], "%s, %s" % (column["variant"], setup), i, here))
    return found


def paper(options):
    document, table = read_table(options.table)
    rows = [
        r
        for r in select(read(options.files), options.where)
        if r.bench == document["workload"]
    ]
    found = curves(document, table, rows)
    if not any(who != "published" for _, who, _, _ in found):
        raise Trouble("the records have nothing of " + options.table)
    columns = table["columns"]
    keys = [i for i, c in enumerate(columns) if c["role"] == "key"]
    line = len(keys) == 1 and all(number(r[keys[0]]) for r in table["rows"])
    xs = [number(r[keys[0]]) for r in table["rows"]] if line else list(range(len(table["rows"])))
    sheet = style.Sheet(options, 1, columns=1, height=80)
    ax = sheet.axes[0]
    values, shown = [], set()
    for name, who, column, three in found:
        have = [(x, t) for x, t in zip(xs, three) if t and t[0] > 0]
        if not have:
            continue
        values += [v for _, t in have for v in t]
        shown.add(column)
        here = who != "published"
        number_of = sheet.series(name + (who if here else ""))
        look = style.series(column % 8)
        look["marker"] = style.MARKS[number_of % 8]
        look["linestyle"] = ("-" if here else ":") if line else "none"
        if not here:
            look["markerfacecolor"] = "white"
        handle = ax.errorbar(
            [x for x, _ in have],
            [t[0] for _, t in have],
            yerr=[[max(t[0] - t[1], 0) for _, t in have], [max(t[2] - t[0], 0) for _, t in have]],
            elinewidth=0.6,
            **look,
        )
        sheet.add("%s: %s" % (name, who), handle)
    style.scale(ax, "y", values, style.PLAIN)
    units = sorted({columns[c].get("unit") or "" for c in shown} - {""})
    times = all(u in TIME_UNITS for u in units)
    ax.set_ylabel("%s (%s)" % ("time" if times else "value", ", ".join(units)))
    key_name = ", ".join(columns[i]["name"] for i in keys)
    if line:
        style.scale(ax, "x", xs)
        ax.set_xlabel(style.number_label(columns[keys[0]].get("param") or key_name, rows[0].unit))
    else:
        texts = [", ".join(word(r[i]) for i in keys if r[i] is not None) for r in table["rows"]]
        ax.set_xticks(xs, texts, rotation=35, ha="right")
        ax.set_xlabel(key_name)
    ax.grid(True)
    ax.set_title("%s, %s" % (document["paper"], table["label"]))
    sheet.note("bars: 95 % interval")
    return sheet
