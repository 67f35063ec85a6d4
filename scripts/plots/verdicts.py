"""ab, versus, history: pictures of what the program compared.  The numbers are those of its JSON; nothing
is judged here but in ab, which shows every launch."""

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


def ab(options):
    """Each measurement's launches on both sides, over the median of the first."""
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
            look = style.series(side)
            look["linestyle"] = "none"
            (handle,) = ax.plot(
                [v / middle for v in values[side]], [row + offset] * len(values[side]), **look
            )
            sheet.add(options.files[side], handle)
    ax.axvline(1, color=style.GREY, linewidth=0.8)
    ax.set_yticks(range(len(pairs)), [name for name, _ in pairs])
    ax.set_xlabel("median of each launch / median of %s (1)" % options.files[0])
    ax.invert_yaxis()
    ax.grid(True, axis="x")
    return sheet


def values_of(point):
    return [r.record["time"]["median"] for r in point.rows]


def same_measurement(a, b):
    """The same variant, parameters and caches; a parameter that one side did not have yet does not
    count."""
    return (
        (a.bench, a.variant, a.setup["caches"]) == (b.bench, b.variant, b.setup["caches"])
        and all(a.params[n] == b.params[n] for n in a.params if n in b.params)
    )


def versus(options):
    """Speed-ups over the first machine."""
    tables = [
        t
        for t in read_document(options, "versus")["tables"]
        if any(c["mean_cold_rows"] or c["mean_hot_rows"] for c in t["columns"])
    ]
    if not tables:
        raise Trouble("no measurement has a time on two machines")
    heights = [14 + 4.5 * len(t["rows"]) for t in tables]
    sheet = style.Sheet(options, len(tables), columns=1, height=sum(heights))
    for ax, table in zip(sheet.axes, tables):
        names = [c["name"] for c in table["columns"]]
        values = [1]
        for k, name in enumerate(names[1:]):
            for row, cells in enumerate(table["rows"]):
                cell = [c for c in cells["cells"] if c["column"] == name][0]
                if cell["speed_up"] is None:
                    continue
                low, high = cell["low"] or cell["speed_up"], cell["high"] or cell["speed_up"]
                look = style.series(sheet.series(name))
                look["linestyle"] = "none"
                handle = ax.errorbar(
                    [cell["speed_up"]],
                    [row + 0.16 * (k - (len(names) - 2) / 2)],
                    xerr=style.bars(low, cell["speed_up"], high),
                    elinewidth=0.6,
                    **look,
                )
                sheet.add(name, handle)
                values += [low, high]
        labels = [r["key"] + (" hot" if r["caches"] == "hot" else "") for r in table["rows"]]
        ax.axvline(1, color=style.GREY, linewidth=0.8)
        ax.set_yticks(range(len(labels)), labels)
        style.scale(ax, "x", values, style.PLAIN)
        ax.set_xlabel("speed-up over %s (1)" % names[0])
        ax.invert_yaxis()
        ax.grid(True, axis="x")
    sheet.note("bars: 95 % interval")
    return sheet


def history(options):
    """The launches of each series in their order, the levels and the shifts between them."""
    series = [s for s in read_document(options, "history")["series"] if s["values_ns"]]
    if not series:
        raise Trouble("no series has a launch with a time")
    sheet = style.Sheet(options, len(series), height=50 * -(-len(series) // 2))
    for ax, one in zip(sheet.axes, series):
        values = [v * 1e-9 for v in one["values_ns"]]
        look = style.series(0)
        look["linestyle"] = "none"
        (handle,) = ax.plot(range(len(values)), values, **look)
        sheet.add("median of a launch", handle)
        cuts = [0, *(s["at"] for s in one["shifts"]), len(values)]
        for begin, end in zip(cuts, cuts[1:]):
            level = sorted(values[begin:end])[(end - begin) // 2]
            (handle,) = ax.plot([begin, end - 1], [level] * 2, color=style.COLORS[1])
            sheet.add("level", handle)
        for shift in one["shifts"]:
            handle = ax.axvline(shift["at"] - 0.5, color=style.GREY, linestyle="--", linewidth=0.8)
            sheet.add("shift, with its ratio and the commit after it", handle)
            ax.annotate(
                "%+.1f %% %s" % (100 * (shift["ratio"] - 1), (shift["commit"] or "")[:7]),
                (shift["at"] - 0.5, 1),
                xycoords=("data", "axes fraction"),
                xytext=(-2, -2),
                textcoords="offset points",
                rotation=90,
                fontsize=6,
                va="top",
                ha="right",
            )
        ax.set_title("%s\n%s" % (one["key"], one["machine"]), fontsize=6)
        ax.set_xlabel("launch, %s to %s" % (day(one["first"]), day(one["last"])))
        ax.set_ylabel("time")
        ax.xaxis.set_major_locator(style.MaxNLocator(integer=True))
        ax.yaxis.set_major_formatter(style.EngFormatter("s"))
        ax.grid(True, axis="y")
    return sheet


def day(started):
    return (started or "unknown")[:10]
