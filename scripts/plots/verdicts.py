"""paper, ab, versus, history: pictures of the program's comparisons.  Their numbers come from its
JSON; only ab reads records, and shows every launch."""

import json

from . import style
from .records import Trouble, label, points, read, select, varying


def read_document(options, kind):
    if len(options.files) != 1:
        raise Trouble("%s needs one file, which `gpubench %s --format=json` printed" % (kind, kind))
    path = options.files[0]
    with open(path, encoding="utf-8") as file:
        try:
            document = json.load(file)
        except ValueError:
            document = None
    if not isinstance(document, dict) or document.get("type") != kind:
        raise Trouble("%s is not what `gpubench %s --format=json` prints" % (path, kind))
    return document


def group(rows, *names):
    """Group the rows by their values under these names, in the order of first appearance."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def paper(options):
    """Published tables beside the values measured here."""
    tables = group(read_document(options, "repro")["cells"], "table")
    sheet = style.Sheet(options, len(tables), columns=1, height=80 * len(tables))
    for ax, ((name,), cells) in zip(sheet.axes, tables.items()):
        draw_table(sheet, ax, name, cells)
    sheet.note("bars: 95 % interval")
    return sheet


def draw_table(sheet, ax, name, cells):
    key_cells = (c for c in cells if c["role"] == "key")
    keys = [group(row, "column") for row in group(key_cells, "row").values()]
    names = [column for (column,) in keys[0]]
    columns = group((c for c in cells if c["role"] not in ("key", "ratio", "beside")), "column")
    first = [row[names[0],][0] for row in keys]
    line = len(names) == 1 and all(c["paper"] is not None for c in first)
    xs = [c["paper"] for c in first] if line else list(range(len(keys)))
    values, units = [], {}
    for number, ((column,), rows) in enumerate(columns.items()):
        printed = [(c["paper"],) * 3 for c in rows]
        here = [(c["here"], c["low"] or c["here"], c["high"] or c["here"]) for c in rows]
        for who, threes in (("published", printed), (rows[0]["variant"], here)):
            have = [(x, three) for x, three in zip(xs, threes) if three[0]]
            if not have:
                continue
            values += [v for _, three in have for v in three]
            units[rows[0]["unit"] or ""] = rows[0]["role"] == "time"
            look = {"color": style.COLORS[number % 8], "linestyle": "-" if line else "none"}
            if who == "published":
                look.update(markerfacecolor="white", linestyle=":" if line else "none")
            label_of = "%s: %s" % (column, who)
            sheet.marks(ax, label_of, [x for x, _ in have], [three for _, three in have], **look)
    if not values:
        raise Trouble("%s has no number" % name)
    style.scale(ax, "y", values, style.PLAIN)
    quantity = "time" if all(units.values()) else "value"
    ax.set_ylabel("%s (%s)" % (quantity, ", ".join(filter(None, sorted(units)))))
    key_name = ", ".join(names)
    if line:
        style.scale(ax, "x", xs)
        ax.set_xlabel(style.number_label(key_name, first[0]["unit"] or ""))
    else:
        texts = [", ".join(c["printed"] for (c,) in row.values() if c["printed"]) for row in keys]
        ax.set_xticks(xs, texts, rotation=35, ha="right")
        ax.set_xlabel(key_name)
    ax.grid(True)
    ax.set_title(name)


def ab(options):
    """The launches of each measurement on both sides, over the median of the first side."""
    if len(options.files) != 2:
        raise Trouble("ab needs two files, BASE and NEW")
    sides = [points(select(read([path]), options.where)) for path in options.files]
    names = varying([r for side in sides for p in side for r in p.rows])
    pairs = [
        (label(base.first, [*names, "caches"]), [values_of(base), values_of(new)])
        for base in sides[0]
        for new in sides[1]
        if same_measurement(base.first, new.first)
    ]
    if not pairs:
        raise Trouble("the two files have no measurement in common")
    sheet = style.Sheet(options, 1, columns=1, height=20 + 4.5 * len(pairs))
    ax = sheet.axes[0]
    for row, (_, values) in enumerate(pairs):
        middle = sorted(values[0])[len(values[0]) // 2]
        for side, offset in ((0, -0.15), (1, 0.15)):
            threes = [(v / middle,) * 3 for v in values[side]]
            at = [row + offset] * len(threes)
            sheet.marks(ax, options.files[side], at, threes, across=True, linestyle="none")
    ax.axvline(1, color=style.GREY, linewidth=0.8)
    ax.set_yticks(range(len(pairs)), [name for name, _ in pairs])
    ax.set_xlabel("median of each launch / median of %s (1)" % options.files[0])
    ax.invert_yaxis()
    ax.grid(True, axis="x")
    return sheet


def values_of(point):
    return [r.record["time"]["median"] for r in point.rows]


def same_measurement(a, b):
    """True for the same variant, parameters and caches; a parameter that one side does not have
    does not count."""
    return (
        (a.bench, a.variant, a.setup["caches"]) == (b.bench, b.variant, b.setup["caches"])
        and all(a.params[n] == b.params[n] for n in a.params if n in b.params)
    )


def versus(options):
    """Speed-ups over the first machine."""
    machines = group(read_document(options, "versus")["cells"], "bench", "backend", "machine")
    tables = [
        group(cells, "key", "caches")
        for cells in machines.values()
        if any(cell["speed_up"] for cell in cells)
    ]
    if not tables:
        raise Trouble("no measurement has a time on two machines")
    heights = [14 + 4.5 * len(t) for t in tables]
    sheet = style.Sheet(options, len(tables), columns=1, height=sum(heights))
    for ax, table in zip(sheet.axes, tables):
        names = [cell["column"] for cell in next(iter(table.values()))]
        values = [1]
        for k, name in enumerate(names[1:]):
            for row, cells in enumerate(table.values()):
                speed_up, low, high = (cells[k + 1][m] for m in ("speed_up", "low", "high"))
                if speed_up is None:
                    continue
                three = speed_up, low or speed_up, high or speed_up
                at = row + 0.16 * (k - (len(names) - 2) / 2)
                sheet.marks(ax, name, [at], [three], across=True, linestyle="none")
                values += three[1:]
        labels = [key + (" hot" if caches == "hot" else "") for key, caches in table]
        ax.axvline(1, color=style.GREY, linewidth=0.8)
        ax.set_yticks(range(len(labels)), labels)
        style.scale(ax, "x", values, style.PLAIN)
        ax.set_xlabel("speed-up over %s (1)" % names[0])
        ax.invert_yaxis()
        ax.grid(True, axis="x")
    sheet.note("bars: 95 % interval")
    return sheet


def history(options):
    """The launches of each series in order, with the levels and the shifts between them."""
    document = read_document(options, "history")
    series = group(document["launches"], "key", "machine", "caches")
    shifts = group(document["shifts"], "key", "machine", "caches")
    if not series:
        raise Trouble("no series has a launch with a time")
    sheet = style.Sheet(options, len(series), height=50 * -(-len(series) // 2))
    for ax, (name, launches) in zip(sheet.axes, series.items()):
        values = [launch["time_ns"] * 1e-9 for launch in launches]
        threes = [(v, v, v) for v in values]
        sheet.marks(ax, "median of a launch", range(len(values)), threes, linestyle="none")
        cuts = [0, *(shift["launch"] for shift in shifts.get(name, ())), len(values)]
        for begin, end in zip(cuts, cuts[1:]):
            level = sorted(values[begin:end])[(end - begin) // 2]
            (handle,) = ax.plot([begin, end - 1], [level] * 2, color=style.COLORS[1])
            sheet.add("level", handle)
        for shift in shifts.get(name, ()):
            at = shift["launch"] - 0.5
            handle = ax.axvline(at, color=style.GREY, linestyle="--", linewidth=0.8)
            sheet.add("shift, with its ratio and the commit after it", handle)
            ax.annotate(
                "%+.1f %% %s" % (100 * (shift["ratio"] - 1), (shift["commit"] or "")[:7]),
                (at, 1),
                xycoords=("data", "axes fraction"),
                xytext=(-2, -2),
                textcoords="offset points",
                rotation=90,
                fontsize=6,
                va="top",
                ha="right",
            )
        ax.set_title("%s\n%s" % name[:2], fontsize=6)
        first, last = day(launches[0]["started"]), day(launches[-1]["started"])
        ax.set_xlabel("launch, %s to %s" % (first, last))
        ax.set_ylabel("time")
        ax.xaxis.set_major_locator(style.MaxNLocator(integer=True))
        ax.yaxis.set_major_formatter(style.EngFormatter("s"))
        ax.grid(True, axis="y")
    return sheet


def day(started):
    return (started or "unknown")[:10]
