#!/usr/bin/python3
"""plot.py -- draws pictures from record files, for papers and slides.

    plot.py sweep runs.jsonl -o time.svg                     time over the parameter that varies
    plot.py speedup runs.jsonl --over=cuda/cub -o speed.pdf
    gpubench repro radix --from=runs.jsonl --format=json >t.json; plot.py paper t.json -o table.svg

-o PICTURE names the output; its ending, svg, pdf or png, decides the format.  Machines, builds and
cache modes that differ are separate series; several repetitions of one are pooled.  (The page of
`gpubench report --format=html` has pictures of its own.)

Needs matplotlib: Debian's python3-matplotlib, and so Debian's /usr/bin/python3.
"""

import argparse
import fnmatch
import json
import os
import statistics
import sys
import textwrap

try:
    import matplotlib
except ImportError:
    sys.exit("plot.py needs matplotlib for %s (Debian: python3-matplotlib; pip: matplotlib)"
             % sys.executable)
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, NullFormatter

# Okabe and Ito, "Color universal design", 2008, with a dark yellow: a light one is lost on paper.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#000000", "#7a8288")
MARKS = "os^Dv<>PX*dphx+1"  # a mark for each series: a colour alone is not for everybody
DASHES = ("-", "--")
GREY = "#59636e"
MM = 1 / 25.4  # inch
COLUMN = {1: 85, 2: 178}  # mm: widths of a journal's columns
UNITS = {"count": "{items}", "vertices": "vertices", "triangles": "triangles",
         "rays": "rays a side", "depth": "levels", "batch": "sources a run",
         "fill": "share of leaves", "p": "probability of an edge", "scale": "log2 of vertices",
         "edgefactor": "edges a vertex"}
PLAIN = FuncFormatter(lambda value, _: "%g" % value)  # ratios, and numbers in a unit of their own

EngFormatter.ENG_PREFIXES = {**EngFormatter.ENG_PREFIXES, -6: "u"}  # "us", as in the tables
plt.rcParams.update({
    "font.size": 8, "axes.titlesize": 8, "legend.fontsize": 7, "xtick.labelsize": 7,
    "ytick.labelsize": 7, "axes.linewidth": 0.6, "lines.linewidth": 1, "lines.markersize": 3.5,
    "grid.linewidth": 0.4, "grid.alpha": 0.4, "errorbar.capsize": 1.5, "axes.axisbelow": True,
    "axes.grid": True,
    "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
    "svg.fonttype": "none",  # text, not outlines
    "svg.hashsalt": "gpubench",  # the same picture from the same records
})


class Trouble(Exception):
    """An error for the user, in one line."""


# ---- measurements -------------------------------------------------------------------------------


class Measurement:
    """A variant at a point in one setup, with the records of its repetitions."""

    def __init__(self, record, run):
        host, gpus = run.get("host") or {}, run.get("gpus") or []
        device = (run.get("settings") or {}).get("device") or 0
        gpu = next((g for g in gpus if g.get("id") == device), {})
        cold = record.get("cold", True)
        machine = host.get("cpu") if record["backend"] == "cpu" else gpu.get("name")
        self.bench, self.params = record["bench"], record["params"]
        self.variant = "%s/%s" % (record["backend"], record["variant"])
        self.setup = {
            "machine": machine or "unknown",
            "host": host.get("hostname") or "",
            "commit": (run.get("tool") or {}).get("commit") or "",
            "compiler": (run.get("tool") or {}).get("compiler") or "",
            "caches": "cold caches" if cold else "hot caches",
        }
        self.work = record.get("work") or {}
        self.harmonic = record.get("harmonic_items_per_s")
        self.times = []

    def value(self, name):
        """The value of a parameter, variant, bench or a part of the setup, or None."""
        if name in ("variant", "bench"):
            return getattr(self, name)
        return self.params.get(name, self.setup.get(name))

    def seconds(self):
        """(time, low, high): of one record its median and interval; of several the median of their
        medians and the range of these."""
        medians = [t["median"] * 1e-9 for t in self.times]
        low, high = self.times[0].get("ci95") or (self.times[0]["median"],) * 2
        if len(medians) == 1:
            return medians[0], low * 1e-9, high * 1e-9
        return statistics.median(medians), min(medians), max(medians)

    def rate(self, amount="items"):
        """(rate, low, high) of items or bytes per second; None if unknown."""
        time, low, high = self.seconds()
        if not self.work.get(amount):
            return None
        rate = self.harmonic if self.harmonic and amount == "items" else self.work[amount] / time
        return rate, rate * time / high, rate * time / low

    def bandwidth(self):
        return self.rate("bytes")


QUANTITIES = {"time": Measurement.seconds, "rate": Measurement.rate,
              "bandwidth": Measurement.bandwidth}


def read(paths):
    """[(record, its run)]: the lines of all files, as the schema describes them
    (results/gpubench-record-2.schema.json)."""
    runs, found = {}, []
    for path in paths:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    item = json.loads(line)
                    if item["type"] not in ("run", "record"):
                        raise ValueError("neither a run nor a record")
                    if item["type"] == "run":
                        runs[item["run_id"]] = item
                    else:
                        found.append(item)
                except (LookupError, RecursionError, TypeError, ValueError) as error:
                    raise Trouble("%s:%d: %s" % (path, number, error)) from None
    return [(item, runs.get(item.get("run_id"), {})) for item in found]


def measurements(options):
    """The verified times of real hardware in the files that --where selects; says how many other
    records there are."""
    found, left = {}, 0
    for record, run in read(options.files):
        time = record.get("time")
        if (not time or not time["median"] > 0 or record.get("emulated")
                or (record.get("verify") or {}).get("result") not in (None, "pass")):
            left += 1
            continue
        one = Measurement(record, run)
        name = json.dumps([one.bench, one.variant, one.params, one.setup], sort_keys=True)
        found.setdefault(name, one).times.append(time)
    if left:
        print("left out: %d records without a verified time" % left, file=sys.stderr)
    if not found:
        raise Trouble("no records with times in " + ", ".join(options.files))
    return select(list(found.values()), options.where or [])


def word(value):
    """A parameter's value as the command line spells it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "%g" % value if isinstance(value, float) else str(value)


def select(some, wheres):
    """Those that match every "NAME=GLOB[,GLOB...]".  A variant without a parameter that others have
    (such as threads) stays."""
    for where in wheres:
        name, sign, globs = where.partition("=")
        matches = lambda v: v is None or any(fnmatch.fnmatchcase(word(v), g)
                                             for g in globs.split(","))
        if not sign:
            raise Trouble("--where=%s: not NAME=VALUE[,VALUE...]" % where)
        benches = {m.bench for m in some if m.value(name) is not None}
        some = [m for m in some if m.bench in benches and matches(m.value(name))]
        if all(m.value(name) is None for m in some):
            raise Trouble("--where=%s: no record is left" % where)
    return some


def varying(some):
    """Parameters and parts of the setup with several values among the variants that have them."""
    names = dict.fromkeys(n for m in some for n in (*m.params, *m.setup))
    return [n for n in names if len({word(m.value(n)) for m in some if m.value(n) is not None}) > 1]


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# ---- pictures -----------------------------------------------------------------------------------


class Sheet:
    """A figure of some panels with a title and one legend below.  A series has the same look in all
    panels."""

    def __init__(self, options, panels, across=None):
        self.width = COLUMN[options.columns] * MM
        across = across or max(1, min(panels, int(self.width / (70 * MM))))
        self.height = 62 * MM * -(-panels // across)
        self.figure, axes = plt.subplots(-(-panels // across), across, squeeze=False,
                                         figsize=(self.width, self.height), layout="constrained")
        self.axes = list(axes.flat)
        for ax in self.axes[panels:]:
            ax.set_visible(False)
        self.number, self.handles, self.note, self.title = {}, {}, "", options.title

    def draw(self, ax, name, at, threes, **look):
        """Draw a series' values with their intervals, (middle, low, high)."""
        number = self.number.setdefault(name, len(self.number))
        if number >= len(MARKS):
            raise Trouble("more than %d series are not distinguishable; choose some by --where, "
                          "--series or --facet" % len(MARKS))
        errors = [[max(m - low, 0) for m, low, _ in threes], [max(h - m, 0) for m, _, h in threes]]
        look = {"color": COLORS[number % len(COLORS)], "marker": MARKS[number],
                "linestyle": DASHES[number // len(COLORS)], "elinewidth": 0.6, **look}
        handle = ax.errorbar(at, [m for m, _, _ in threes], yerr=errors, **look)
        self.handles.setdefault(name, handle)

    def save(self, path, dpi):
        """Put the legend below the panels and write the file."""
        room = int(self.width / MM / 1.5)  # characters of 1.5 mm
        if self.title:
            self.figure.suptitle(textwrap.fill(self.title, int(0.8 * room)), fontsize=9)
        names = [textwrap.fill(name, room - 10) for name in self.handles]
        for columns in range(4, 0, -1):
            legend = self.figure.legend(self.handles.values(), names, loc="lower center",
                                        ncols=columns, frameon=False, title=self.note)
            box = legend.get_window_extent(self.figure.canvas.get_renderer())
            if columns == 1 or box.width <= self.figure.bbox.width:
                break
            legend.remove()
        below = box.height / self.figure.dpi
        self.figure.set_size_inches(self.width, self.height + below)
        share = below / (self.height + below)
        self.figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
        ending = path.rpartition(".")[2]
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending)
        self.figure.savefig(path, dpi=dpi, metadata=metadata)
        plt.close(self.figure)


def scale(ax, axis, values, formatter):
    """A logarithmic axis if its values want it, with ticks at 1, 2, 5 for few decades."""
    one = getattr(ax, axis + "axis")
    if min(values) > 0 and max(values) >= 4 * min(values):
        getattr(ax, "set_%sscale" % axis)("log")
        if max(values) < 200 * min(values):
            one.set_major_locator(LogLocator(subs=(1, 2, 5)))
        one.set_minor_formatter(NullFormatter())
    one.set_major_formatter(formatter)


def values_of(lines):
    return [v for line in lines.values() for three in line.values() for v in three]


HOLLOW = {"markerfacecolor": "none", "markersize": 5, "linestyle": ":"}


def draw_lines(sheet, ax, lines, x, unit, hollow=None):
    """Draw {series: {x: (middle, low, high)}}, some of them hollow: lines over numbers, points over
    words."""
    xs = list(dict.fromkeys(at for some in (lines, hollow or {}) for line in some.values()
                            for at in line))
    numbers = all(map(is_number, xs))
    for some, look in ((lines, {}), (hollow or {}, HOLLOW)):
        for name, line in some.items():
            have = sorted(line) if numbers else [at for at in xs if at in line]
            sheet.draw(ax, name, have if numbers else [xs.index(at) for at in have],
                       [line[at] for at in have],
                       **(look if numbers else {**look, "linestyle": "none"}))
    if not numbers:
        ax.set_xticks(range(len(xs)), [word(at) for at in xs], rotation=35, ha="right")
        ax.set_xlabel(x)
        return
    scale(ax, "x", xs, EngFormatter())
    unit = UNITS.get(x, "").replace("{items}", unit)
    ax.set_xlabel("%s (%s)" % (x, unit) if unit and unit != x else x)


def panels_of(some, options):
    """[(title, measurements)]: a panel for each benchmark and each value of the facet."""
    facet = options.facet
    panels = {}
    for m in some:
        if not facet or m.value(facet) is not None:
            title = "%s, %s=%s" % (m.bench, facet, word(m.value(facet))) if facet else m.bench
            panels.setdefault(title, []).append(m)
    if not panels:
        raise Trouble("--facet=%s: no record has it" % facet)
    return panels.items()


def lines_of(some, options, value):
    """(x, {series: {x: (middle, low, high)}}, {series: its variant}) of a panel."""
    names = [n for n in varying(some) if n != options.facet]
    numbers = [n for n in names if all(is_number(m.params.get(n, 0)) for m in some)]
    count = lambda name: len({m.value(name) for m in some})
    x = options.x or max([n for n in numbers if n in some[0].params] or names, key=count,
                         default="variant")
    series = options.series.split(",") if options.series else names
    for name in [x, *series]:
        if all(m.value(name) is None for m in some):
            raise Trouble("no record has a %s" % name)
    lines, variants = {}, {}
    for m in some:
        three = value(m)
        if three is None or m.value(x) is None:
            continue
        words = [word(m.value(n)) if n in m.setup else "%s=%s" % (n, word(m.value(n)))
                 for n in series if n not in (x, "variant") and m.value(n) is not None]
        name = ", ".join(([] if x == "variant" else [m.variant]) + words) or "all"
        if m.value(x) in lines.setdefault(name, {}):
            raise Trouble("%s=%s has several values of the series %s; choose by --where, --series "
                          "or --facet" % (x, word(m.value(x)), name))
        lines[name][m.value(x)] = three
        variants[name] = m.variant
    if not lines:
        raise Trouble("no record has what is to be drawn")
    return x, lines, variants


def sweep(options):
    """A line for each series over the parameter that varies."""
    panels = panels_of(measurements(options), options)
    sheet = Sheet(options, len(panels))
    for ax, (title, some) in zip(sheet.axes, panels):
        x, lines, _ = lines_of(some, options, QUANTITIES[options.y])
        unit = some[0].work.get("unit") or "items"
        draw_lines(sheet, ax, lines, x, unit)
        scale(ax, "y", values_of(lines), EngFormatter("s" if options.y == "time" else ""))
        ax.set_ylabel({"time": "time", "rate": "rate (%s/s)" % unit}.get(options.y, "bytes/s"))
        ax.set_title(title)
    sheet.note = "bars: 95 % interval, or the range of the repetitions"
    yield "", sheet


def speedup(options):
    """Each series over --over VARIANT at the same x, with what the intervals of both allow."""
    some = measurements(options)
    panels = panels_of(some, options)
    if not any(m.variant == options.over for m in some):
        raise Trouble("--over=%s: no record is of that variant" % options.over)
    sheet = Sheet(options, len(panels))
    for ax, (title, mine) in zip(sheet.axes, panels):
        x, lines, variants = lines_of(mine, options, Measurement.seconds)
        ratios = {}
        for name, line in lines.items():
            # The base has the same parameters where it has them: qsort has no threads.
            words = set(name.split(", ")[1:])
            fitting = [n for n in lines
                       if variants[n] == options.over and set(n.split(", ")[1:]) <= words]
            base = lines[max(fitting, key=len)] if fitting else {}
            both = {at: (base[at], three) for at, three in line.items() if at in base}
            if both and variants[name] != options.over:
                ratios[name] = {at: (b[0] / t[0], b[1] / t[2], b[2] / t[1])
                                for at, (b, t) in both.items()}
        if not ratios:
            raise Trouble("%s: nothing is at a point where %s is" % (title, options.over))
        draw_lines(sheet, ax, ratios, x, mine[0].work.get("unit") or "items")
        ax.axhline(1, color=GREY, linewidth=0.8)
        scale(ax, "y", values_of(ratios), PLAIN)
        ax.set_ylabel("speed-up over " + options.over)
        ax.set_title(title)
    yield "", sheet


def paper(options):
    """A picture for each published table: its numbers, hollow, beside those measured here."""
    with open(options.files[0], encoding="utf-8") as file:
        try:
            document = json.load(file)
        except (RecursionError, ValueError):
            document = None
    if not isinstance(document, dict) or document.get("type") != "repro":
        raise Trouble("%s is not what `gpubench repro --format=json` prints" % options.files[0])
    tables = {}
    for cell in document["cells"]:
        tables.setdefault(cell["table"], []).append(cell)
    empty = True
    for name, cells in tables.items():
        sheet = draw_table(options, name, cells)
        if sheet:
            empty = False
            yield "-" + name.replace(":", "-") if len(tables) > 1 else "", sheet
    if empty:
        raise Trouble("%s: no table has a number" % options.files[0])


def draw_table(options, title, cells):
    """Panels of a paper's table: one for each unit and each value of the keys besides x; None
    without a number."""
    keys = {}
    for cell in cells:
        if cell["role"] == "key":
            value = cell["printed"] if cell["paper"] is None else cell["paper"]
            keys.setdefault(cell["column"], {})[cell["row"]] = value
    rows = {cell["row"] for cell in cells}
    names = [n for n, by_row in keys.items() if len(set(by_row.values())) > 1]
    count = lambda n: len(set(keys[n].values()))
    is_numeric = lambda n: all(map(is_number, keys[n].values()))
    # A key that tells all rows apart, a number rather than a word, needs no other.
    alone = sorted([n for n in names if count(n) == len(rows)], key=is_numeric, reverse=True)
    numbers = [n for n in names if is_numeric(n)]
    x = alone[0] if alone else max(numbers or names, key=count, default=None)
    panels = {}
    for cell in cells:
        row = cell["row"]
        rest = [] if alone else ["%s=%s" % (n, word(keys[n][row])) for n in names if n != x]
        name = cell["column"]
        if cell["variant"] and cell["variant"] != name:
            name += ": " + cell["variant"]
        threes = {"here": (cell["here"], cell["low"] or cell["here"], cell["high"] or cell["here"]),
                  "paper": (cell["paper"],) * 3}
        for place, three in threes.items():
            if cell["role"] != "key" and cell[place] is not None:
                panel = panels.setdefault((", ".join(rest), cell["unit"] or "1"),
                                          {"here": {}, "paper": {}, "roles": []})
                panel[place].setdefault(name, {})[keys[x][row] if x else row] = three
                panel["roles"].append(cell["role"])
    if not panels:
        return None
    sheet = Sheet(options, len(panels))
    for ax, ((rest, unit), panel) in zip(sheet.axes, panels.items()):
        draw_lines(sheet, ax, panel["here"], x or "row", "", panel["paper"])
        scale(ax, "y", values_of(panel["here"]) + values_of(panel["paper"]), PLAIN)
        ax.set_ylabel("%s (%s)" % (min(panel["roles"], key=lambda r: r == "beside"), unit))
        ax.set_title(rest)
    sheet.note = "hollow: published; filled: measured here; bars: 95 % interval"
    sheet.title = options.title or title
    return sheet


# ---- the command --------------------------------------------------------------------------------

KINDS = {"sweep": (sweep, "FILE", "times or rates over a parameter"),
         "speedup": (speedup, "FILE", "speed-up of each variant over --over at the same point"),
         "paper": (paper, "REPRO.json", "published tables beside the values measured here, a "
                   "picture each, from `gpubench repro --format=json`")}


def picture(text):
    if text.rpartition(".")[2] not in ("svg", "pdf", "png"):
        raise argparse.ArgumentTypeError("%s does not end in .svg, .pdf, .png" % text)
    return text


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for name, (draw, files, text) in KINDS.items():
        kind = kinds.add_parser(name, help=text, description=text)
        kind.add_argument("files", nargs=1 if draw is paper else "+", metavar=files)
        kind.add_argument("-o", "--output", type=picture, default="plot.svg", metavar="PICTURE")
        kind.add_argument("--title", help="title above the picture")
        kind.add_argument("--columns", type=int, choices=(1, 2), default=2,
                          help="width in columns of a journal's page: 85 or 178 mm [2]")
        kind.add_argument("--dpi", type=int, default=300, help="dots per inch of a .png [300]")
        if draw is paper:
            continue
        kind.add_argument("--where", action="append", metavar="NAME=VALUE,...",
                          help="use only records with one of these values (* and ? match); NAME: a "
                          "parameter, variant, bench, machine, host, commit, compiler or caches")
        kind.add_argument("--x", metavar="NAME",
                          help="parameter on the x axis [the number that varies most]")
        kind.add_argument("--series", metavar="NAME,...",
                          help="what tells series apart, besides the variant [all that vary]")
        kind.add_argument("--facet", metavar="NAME", help="a panel for each of its values")
    kinds.choices["sweep"].add_argument("--y", choices=list(QUANTITIES), default="time")
    kinds.choices["speedup"].add_argument("--over", metavar="VARIANT", required=True,
                                          help="variant to compare with, such as cuda/cub")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    stem, ending = os.path.splitext(options.output)
    try:
        for suffix, sheet in KINDS[options.kind][0](options):
            sheet.save(stem + suffix + ending, options.dpi)
            print(stem + suffix + ending)
    except (OSError, Trouble) as error:
        fault = str(error)
    # Members of other types than gpubench writes, or numbers that no picture can show.
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        fault = "%s: cannot be drawn: %s: %s" % (", ".join(options.files), type(error).__name__,
                                                 error)
    else:
        return
    fault = "".join(c if c.isprintable() else "?" for c in fault)[:300]
    print("plot.py: " + fault, file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
