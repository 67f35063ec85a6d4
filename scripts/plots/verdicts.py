"""paper, ab, machines: pictures of the program's comparisons.  Their numbers come from its
JSON; only ab reads records, and shows every launch."""

import json
import os
import sys

from . import style
from .records import Trouble, label, points, read, select, varying


PRINTED = {"repro": "repro", "machines": "compare --by=machine"}


def read_document(options, kind):
    if len(options.files) != 1:
        raise Trouble("%s needs one file, which `gpubench %s --format=json` printed"
                      % (kind, PRINTED[kind]))
    path = options.files[0]
    with open(path, encoding="utf-8") as file:
        try:
            document = json.load(file)
        except ValueError:
            document = None
    if not isinstance(document, dict) or document.get("type") != kind:
        raise Trouble("%s is not what `gpubench %s --format=json` prints" % (path, PRINTED[kind]))
    return document


def group(rows, *names):
    """Group the rows by their values under these names, in the order of first appearance."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def paper(options):
    """Yield (suffix of the file's name, picture) of each published table beside the values measured
    here; a single table has no suffix."""
    tables = group(read_document(options, "repro")["cells"], "table")
    empty = 0
    for (name,), cells in tables.items():
        sheet = draw_table(options, name, cells)
        if sheet:
            yield "-" + name.replace(":", "-") if len(tables) > 1 else "", sheet
            continue
        empty += 1
        print("left out: %s has no number" % name, file=sys.stderr)
    if empty == len(tables):
        raise Trouble("%s: no table has a number" % options.files[0])


class Table:
    """A paper's table: the places of its rows on the x axis and in panels, and its columns."""

    def __init__(self, cells):
        keys = [c for c in cells if c["role"] == "key"]
        self.rows = list(dict.fromkeys(c["row"] for c in cells))
        self.key = {name: {c["row"]: c for c in some} for (name,), some in
                    group(keys, "column").items()}
        self.columns = group([c for c in cells if c["role"] != "key"], "column")
        varying = [n for n in self.key if len({self.value(n, r) for r in self.rows}) > 1]
        numbers = [n for n in varying if all(c["paper"] is not None for c in self.key[n].values())]
        count = lambda n: len({self.value(n, r) for r in self.rows})
        self.x = max(numbers or varying, key=count, default=None)
        self.panel_keys = []
        for name in sorted(varying, key=lambda n: n not in numbers):
            if name != self.x and not self.follows(name):
                self.panel_keys.append(name)
        # Words in step with x, such as scenes with their triangles, replace it.
        self.words = [n for n in varying if n not in numbers and n not in self.panel_keys
                      and count(n) >= count(self.x) and not self.panel_keys]

    def value(self, name, row):
        """Value of a key in a row."""
        cell = self.key[name][row]
        return cell["printed"] if cell["paper"] is None else cell["paper"]

    def follows(self, name):
        """True if x and the panel give one value of the key."""
        places = [(self.value(self.x, r), self.panel_of(r)) for r in self.rows]
        return len(set(places)) == len({(*p, self.value(name, r))
                                        for p, r in zip(places, self.rows)})

    def panel_of(self, row):
        return ", ".join("%s=%s" % (n, self.key[n][row]["printed"]) for n in self.panel_keys)

    def units(self):
        """{unit: its columns with a number, by name}: a row of panels each."""
        units = {}
        for (name,), cells in self.columns.items():
            if any(c[m] is not None for c in cells for m in ("paper", "here")):
                units.setdefault(cells[0]["unit"] or "", {})[name] = cells
        return units


def drawn(cells):
    """[({row: (middle, low, high)}, look)] of a column: measured here, and as published."""
    here = {c["row"]: (c["here"], c["low"] or c["here"], c["high"] or c["here"])
            for c in cells if c["here"] is not None}
    published = {c["row"]: (c["paper"],) * 3 for c in cells if c["paper"] is not None}
    return [(here, {}), (published, {"markerfacecolor": "none", "markersize": 5, "capsize": 0})]


def draw_table(options, name, cells):
    """A picture with a row of panels for each unit; None without a number."""
    table = Table(cells)
    units = table.units()
    if not units:
        return None
    if table.x is None:
        sheet = draw_row(options, units)
    else:
        sheet = draw_rows(options, table, units)
    hollow = any(c["paper"] is not None for columns in units.values() for cs in columns.values()
                 for c in cs)
    sheet.note(("hollow: published; filled: here; " if hollow else "") + "bars: 95 % interval")
    sheet.title = options.title or name
    return sheet


def series_name(column, cells):
    """"gpu_s: cuda/split"; a variant beside the paper's columns has its own name only."""
    variant = cells[0]["variant"]
    return "%s: %s" % (column, variant) if variant and variant != column else column


def quantity(columns):
    """"time (ms)": the label of an axis for these columns."""
    cells = [cells[0] for cells in columns.values()]
    role = next((c["role"] for c in cells if c["role"] != "beside"), "value")
    return "%s (%s)" % (role, cells[0]["unit"]) if cells[0]["unit"] else role


def draw_row(options, units):
    """A table of one row: a panel for each unit, with a line for each column."""
    room = 0.4 * style.width(options)
    names = [[series_name(n, c) for n, c in columns.items()] for columns in units.values()]
    heights = [style.rows_height(some, room) for some in names]
    sheet = style.Sheet(options, len(units), columns=1, heights=heights)
    for ax, some, columns in zip(sheet.axes, names, units.values()):
        values = []
        for at, cells in enumerate(columns.values()):
            for points, look in drawn(cells):
                threes = list(points.values())
                values += [v for three in threes for v in three]
                sheet.marks(ax, "all", [at] * len(threes), threes, across=True, linestyle="none",
                            **look)
        sheet.handles.clear()
        style.name_rows(ax, some, room)
        style.plain_scale(ax, "x", values)
        if not style.spread(values):
            ax.set_xlim(left=min(0, *values))
        ax.set_xlabel(quantity(columns))
        ax.grid(True, axis="x")
    return sheet


def draw_rows(options, table, units):
    """A row of panels for each unit: lines over numbers, points over words."""
    panels = group([{"row": r, "panel": table.panel_of(r)} for r in table.rows], "panel")
    sheet = style.Sheet(options, len(units) * len(panels), columns=len(panels),
                        heights=[62 if k == 0 else 45 for k in range(len(units))])
    for number, ax in enumerate(sheet.axes[len(panels):]):
        ax.sharex(sheet.axes[number % len(panels)])
    axes = iter(sheet.axes)
    for columns in units.values():
        values, first = [], None
        for (panel,), rows in panels.items():
            ax = next(axes)
            if first:
                ax.sharey(first)
                ax.tick_params(labelleft=False)
            values += draw_panel(sheet, ax, table, [r["row"] for r in rows], columns)
            ax.set_title(panel)
            ax.grid(True)
            first = first or ax
        style.plain_scale(first, "y", values)
        first.set_ylabel(quantity(columns))
    return sheet


def draw_panel(sheet, ax, table, rows, columns):
    """Draw the columns in these rows; return the values."""
    values = []
    xs = {r: k if table.words else table.value(table.x, r) for k, r in enumerate(rows)}
    line = not table.words and all(isinstance(x, (int, float)) for x in xs.values())
    if not line:
        xs = {r: k for k, r in enumerate(rows)}
    for number, (column, cells) in enumerate(columns.items()):
        name = series_name(column, cells)
        aside = 0 if line else 0.7 * ((number + 0.5) / len(columns) - 0.5)
        for points, look in drawn(cells):
            have = [r for r in rows if r in points]
            if not have:
                continue
            values += [v for r in have for v in points[r]]
            if look or not line:
                look["linestyle"] = ":" if line else "none"
            sheet.marks(ax, name, [xs[r] + aside for r in have], [points[r] for r in have], **look)
    if line:
        style.scale(ax, "x", list(xs.values()))
        if len(xs) < 5:
            ax.set_xticks(list(xs.values()), [table.key[table.x][r]["printed"] for r in rows])
            ax.minorticks_off()
        unit = table.key[table.x][rows[0]]["unit"] or ""
        ax.set_xlabel(style.number_label(table.x, unit))
    else:
        names = table.words or [table.x]
        texts = ["\n".join(dict.fromkeys(str(table.value(n, r)) for n in names)) for r in rows]
        ax.set_xticks(range(len(rows)), texts)
        ax.set_xlim(-0.6, len(rows) - 0.4)
        ax.set_xlabel(", ".join(names))
    return values


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
    room = 0.4 * style.width(options)
    labels = [name for name, _ in pairs]
    sheet = style.Sheet(options, 1, heights=[style.rows_height(labels, room)])
    ax = sheet.axes[0]
    sides = ["%s: %s" % (side, os.path.basename(path))
             for side, path in zip(("base", "new"), options.files)]
    ratios = [1]
    for row, (_, values) in enumerate(pairs):
        middle = sorted(values[0])[len(values[0]) // 2]
        for side, offset in ((0, -0.15), (1, 0.15)):
            threes = [(v / middle,) * 3 for v in values[side]]
            ratios += [three[0] for three in threes]
            at = [row + offset] * len(threes)
            sheet.marks(ax, sides[side], at, threes, across=True, linestyle="none")
    ax.axvline(1, color=style.GREY, linewidth=0.8)
    style.scale(ax, "x", ratios, style.PLAIN)
    style.name_rows(ax, labels, room)
    ax.set_xlabel("median of each launch / median of base (1)")
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


def machines(options):
    """Speed-ups over the first machine, where there are two times."""
    some = group(read_document(options, "machines")["cells"], "bench", "backend")
    tables = {}
    for (bench, backend), cells in some.items():
        rows = group(cells, "key", "caches")
        rows = {name: row for name, row in rows.items() if any(c["speed_up"] for c in row)}
        if rows:
            tables["%s on %s" % (bench, backend)] = rows
    if not tables:
        raise Trouble("no measurement has a time on two machines")
    room = 0.4 * style.width(options)
    # "bfs/cuda/csr p=0.1": the title has the first two.
    names = [[key.split("/", 2)[-1] + (" hot" if caches == "hot" else "") for key, caches in rows]
             for rows in tables.values()]
    heights = [4 + style.rows_height(some, room) for some in names]
    sheet = style.Sheet(options, len(tables), columns=1, heights=heights)
    for ax, some, (title, rows) in zip(sheet.axes, names, tables.items()):
        draw_speed_ups(sheet, ax, list(rows.values()))
        style.name_rows(ax, some, room)
        ax.set_title(title)
    sheet.note("bars: 95 % interval")
    return sheet


def draw_speed_ups(sheet, ax, rows):
    columns = [cell["machine"] for cell in rows[0]]
    values = [1]
    for k, column in enumerate(columns[1:]):
        for row, cells in enumerate(rows):
            speed_up, low, high = (cells[k + 1][m] for m in ("speed_up", "low", "high"))
            if speed_up is None:
                continue
            three = speed_up, low or speed_up, high or speed_up
            at = row + 0.16 * (k - (len(columns) - 2) / 2)
            sheet.marks(ax, column, [at], [three], across=True, linestyle="none")
            values += three
    ax.axvline(1, color=style.GREY, linewidth=0.8)
    style.scale(ax, "x", values, style.PLAIN)
    ax.set_xlabel("speed-up over %s (1)" % columns[0])
    ax.grid(True, axis="x")
