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
    tables = {}
    for cell in read_document(options, "versus")["cells"]:
        table = tables.setdefault((cell["bench"], cell["backend"], cell["machine"]), {})
        table.setdefault((cell["key"], cell["caches"]), []).append(cell)
    tables = [t for t in tables.values() if any(c["speed_up"] for row in t.values() for c in row)]
    if not tables:
        raise Trouble("no measurement has a time on two machines")
    heights = [14 + 4.5 * len(t) for t in tables]
    sheet = style.Sheet(options, len(tables), columns=1, height=sum(heights))
    for ax, table in zip(sheet.axes, tables):
        names = [cell["column"] for cell in next(iter(table.values()))]
        values = [1]
        for row, cells in enumerate(table.values()):
            for k, cell in enumerate(cells[1:]):
                if cell["speed_up"] is None:
                    continue
                low, high = cell["low"] or cell["speed_up"], cell["high"] or cell["speed_up"]
                look = style.series(sheet.series(cell["column"]))
                look["linestyle"] = "none"
                handle = ax.errorbar(
                    [cell["speed_up"]],
                    [row + 0.16 * (k - (len(names) - 2) / 2)],
                    xerr=style.bars(low, cell["speed_up"], high),
                    elinewidth=0.6,
                    **look,
                )
                sheet.add(cell["column"], handle)
                values += [low, high]
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
    """The launches of each series in their order, the levels and the shifts between them."""
    document = read_document(options, "history")
    launches, shifts = by_series(document["launches"]), by_series(document["shifts"])
    if not launches:
        raise Trouble("no series has a launch with a time")
    sheet = style.Sheet(options, len(launches), height=50 * -(-len(launches) // 2))
    for ax, (name, rows) in zip(sheet.axes, launches.items()):
        values = [row["time_ns"] * 1e-9 for row in rows]
        look = style.series(0)
        look["linestyle"] = "none"
        (handle,) = ax.plot(range(len(values)), values, **look)
        sheet.add("median of a launch", handle)
        cuts = [0, *(s["launch"] for s in shifts.get(name, [])), len(values)]
        for begin, end in zip(cuts, cuts[1:]):
            level = sorted(values[begin:end])[(end - begin) // 2]
            (handle,) = ax.plot([begin, end - 1], [level] * 2, color=style.COLORS[1])
            sheet.add("level", handle)
        for shift in shifts.get(name, []):
            at = shift["launch"]
            handle = ax.axvline(at - 0.5, color=style.GREY, linestyle="--", linewidth=0.8)
            sheet.add("shift, with its ratio and the commit after it", handle)
            ax.annotate(
                "%+.1f %% %s" % (100 * (shift["ratio"] - 1), (shift["commit"] or "")[:7]),
                (at - 0.5, 1),
                xycoords=("data", "axes fraction"),
                xytext=(-2, -2),
                textcoords="offset points",
                rotation=90,
                fontsize=6,
                va="top",
                ha="right",
            )
        ax.set_title("%s\n%s" % name[:2], fontsize=6)
        ax.set_xlabel("launch, %s to %s" % (day(rows[0]["started"]), day(rows[-1]["started"])))
        ax.set_ylabel("time")
        ax.xaxis.set_major_locator(style.MaxNLocator(integer=True))
        ax.yaxis.set_major_formatter(style.EngFormatter("s"))
        ax.grid(True, axis="y")
    return sheet


def by_series(rows):
    groups = {}
    for row in rows:
        groups.setdefault((row["key"], row["machine"], row["caches"]), []).append(row)
    return groups


def day(started):
    return (started or "unknown")[:10]
