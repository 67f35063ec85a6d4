#!/usr/bin/python3
"""plots.py GPUBENCH [TEST...] -- tests scripts/plot.py with synthetic records of two machines and
with the records in results/measured.

In a picture no text is cut or covers another, and no two series look the same.  A line joins only
measurements that differ in nothing but x.  The numbers drawn are those of the records, and those of
a paper's table are all drawn.  Letters are text in SVG and TrueType in PDF, and errors take one
line.  Skipped without matplotlib.
"""

import contextlib
import glob
import io
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import matplotlib.pyplot
except ImportError:
    print("plots: skipped, there is no matplotlib")
    sys.exit(0)

HERE = os.path.dirname(os.path.abspath(__file__))
STORED = sorted(glob.glob(os.path.join(HERE, "..", "results", "measured", "*", "*.jsonl")))
sys.path[:0] = [os.path.join(HERE, "plots"), os.path.join(HERE, "..", "scripts")]
import measured  # noqa: E402
import plot as program  # noqa: E402
from plots import records, style, sweeps, verdicts  # noqa: E402

PICTURES = {
    "sweep": "sweep sorts.jsonl",
    "launches": "sweep many.jsonl --columns=1 --where=variant=cpu/lsd8,cpu/best",
    "rate": "sweep sorts.jsonl --y=rate --facet=machine --title=Sorting",
    "words": "sweep trees.jsonl --where=bench=lbvh --where=op=build --x=scene",
    "speedup": "speedup sorts.jsonl --over=cpu/qsort",
    "roofline": "roofline sorts.jsonl --where=count=1000,100000",
    "phases": "phases trees.jsonl",
    "meshes": "meshes trees.jsonl",
    "paper": "paper repro.json",
    "ab": "ab base.jsonl new.jsonl",
    "machines": "machines machines.json",
    "machines, long names": "machines long.json",
    "machines, narrow": "machines long.json --columns=1",
    "ab, long names": "ab ./////////base.jsonl %s --columns=1" % ("./" * 60 + "new.jsonl"),
    "long title": "sweep sorts.jsonl --title=" + "Sorting_" * 40,
    "one point": "sweep sorts.jsonl --where=count=1000 --x=count",
    "mixed": "sweep mixed.jsonl",
    "far apart": "sweep far.jsonl",
    "16 meshes": "meshes many-trees.jsonl",
}

TROUBLE = {
    "sweep nowhere": "No such file",
    "sweep empty.jsonl": "no records with times in empty.jsonl",
    "sweep old.jsonl": "old.jsonl:1: schema 1 is no longer read",
    "sweep sorts.jsonl --x=words": "--x=words: no record has such a parameter",
    "sweep sorts.jsonl --where=count": "--where=count: not NAME=VALUE",
    "sweep sorts.jsonl --where=depth=1": "no record has a depth",
    "sweep sorts.jsonl --where=count=7": "--where=count=7: no record is left",
    "sweep sorts.jsonl --facet=depth": "--facet=depth: no record has such a parameter",
    "sweep sorts.jsonl --series=depth": "--series=depth: no record has such a parameter",
    "sweep types.jsonl --x=count --series=seed":
        "has several values of one series: they differ in type",
    "sweep crowd.jsonl": "more than 16 series are not distinguishable",
    "sweep sorts.jsonl --width=3": "not within 20 and 2000 mm",
    "sweep sorts.jsonl --width=20": "wider than the picture",
    "sweep sorts.jsonl -o x.gif": "does not end in .svg, .pdf, .png",
    "speedup sorts.jsonl --over=cpu/none": "--over=cpu/none: no record is of that variant",
    "phases sorts.jsonl": "no record has phases",
    "meshes sorts.jsonl": "no record of lbvh has op=build",
    "paper empty.json": "no table has a number",
    "paper machines.json": "is not what `gpubench repro --format=json` prints",
    "machines sorts.jsonl": "is not what `gpubench compare --by=machine --format=json` prints",
    "ab base.jsonl": "ab needs two files",
    "ab base.jsonl trees.jsonl": "no measurement in common",
}

# Each replaces the members of a good record (or is the whole file, as bytes); plot.py must draw
# the rest or end with status 2, in a few clear lines.
HOSTILE = [
    b"", b"\n\n", b"\0\0\0\n", b"[]", b"{", b"null\n", b"[[[[" * 50000, b"\xff\xfe{}\n",
    b'{"type":"record","params":{}}\n', b'{"type":"run"}\n', b'{"type":"machines"}', b'{"type":3}\n',
    b'{"type":"repro","cells":[{}]}',
    {"time": 3}, {"time": {"median": -5}}, {"time": {"median": "5"}}, {"time": {"median": True}},
    {"time": {"median": 1e308}}, {"time": {"median": 5e-324, "ci95": [0, 5e-324]}},
    {"time": {"median": 5, "ci95": [7]}}, {"time": {"median": 5, "ci95": [{}, {}]}},
    {"time": {"median": 5, "ci95": 3}}, {"time": {"median": float("nan")}},
    {"time": {"median": float("inf")}}, {"time": {"median": 10**400}},
    {"params": {"count": [1]}}, {"params": {"count": {}}}, {"params": {"count": 1e308}},
    {"params": {"count": -5}}, {"params": {"count": None}}, {"params": {"count": 10**400}},
    {"params": {"a\nb$^_\x1b": "\x1b[31m$\\frac{"}}, {"params": {}}, {"bench": []}, {"bench": None},
    {"backend": 3}, {"variant": {}}, {"variant": "x" * 5000}, {"work": 3}, {"work": {"items": "x"}},
    {"work": {"items": 1e308, "bytes": 1e-308, "unit": []}}, {"rates": {"items_per_s": "fast"}},
    {"phases": [3]}, {"phases": {"scan": 3}}, {"phases": {"scan": {"median": "x"}}}, {"run_id": []},
    {"run_id": {"a": 1}}, {"copy_bytes_per_s": "x"}, {"cold": "x"}, {"verify": 3},
    {"harmonic_items_per_s": -1}, {"key": 3}, {"type": "run", "host": 3},
    {"type": "run", "host": {"memory_bytes": "x"}}, {"type": "run", "gpus": [3], "settings": 3},
]

passed = failed = 0


def check(what, good, more=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("plots: FAILED: %s %s" % (what, more))


def plot(arguments):
    """(True if it was drawn, output)"""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            program.main(arguments.split(" "))
        except SystemExit as end:
            return False, said.getvalue() + (end.code if isinstance(end.code, str) else "")
    return True, said.getvalue()


def sheets_of(arguments):
    """The pictures, arranged but not saved."""
    options = program.parse((arguments + " -o x.svg").split(" "))
    pictures = options.plot(options)
    for sheet in [pictures] if isinstance(pictures, style.Sheet) else [p for _, p in pictures]:
        sheet.arrange()
        sheet.figure.draw_without_rendering()
        yield sheet


def tick_labels(axis):
    """Visible labels within the axis's view."""
    low, high = sorted(axis.get_view_interval())
    ticks = axis.get_major_ticks() + axis.get_minor_ticks()
    return [t.label1 for t in ticks
            if t.label1.get_visible() and t.label1.get_text() and low <= t.get_loc() <= high]


def boxes(sheet):
    """[(text, box)] of everything that can be read."""
    figure = sheet.figure
    texts = [*figure.texts, *(t for legend in figure.legends for t in legend.get_texts())]
    if getattr(figure, "_suptitle", None):
        texts.append(figure._suptitle)
    for ax in filter(lambda ax: ax.get_visible(), sheet.axes):
        texts += [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
        texts += [*tick_labels(ax.xaxis), *tick_labels(ax.yaxis)]
    return [(t.get_text(), t.get_window_extent()) for t in texts if t.get_text().strip()]


def cut(sheet):
    """Texts that are not within the picture, and pairs of which one covers the other."""
    whole, some = sheet.figure.bbox, boxes(sheet)
    faults = [text for text, box in some
              if min(box.x0, box.y0, whole.x1 - box.x1, whole.y1 - box.y1) < -1]
    for ax in filter(lambda ax: ax.get_visible(), sheet.axes):
        for axis, low, high in ((ax.xaxis, "x0", "x1"), (ax.yaxis, "y0", "y1")):
            labels = [(t.get_window_extent(), t.get_text()) for t in tick_labels(axis)
                      if t.get_rotation() == 0]
            ends = sorted((getattr(box, low), getattr(box, high), text) for box, text in labels)
            faults += [a[2] + " and " + b[2] for a, b in zip(ends, ends[1:]) if b[0] < a[1] - 0.5]
    return faults


def points_of(ax):
    """[(line or None, x, y)] of each series that is drawn with marks or bars."""
    found = [(c.lines[0], list(c.lines[0].get_xdata()), list(c.lines[0].get_ydata()))
             for c in ax.containers if hasattr(c, "lines") and c.lines[0]]
    found += [(None, [], [patch.get_height() for patch in c.patches]) for c in ax.containers
              if hasattr(c, "patches")]
    return found


def looks(sheet):
    """The look of each entry of the legend that has one; dashes do not count without a line."""
    found = []
    for handle in sheet.handles.values():
        if hasattr(handle, "patches"):
            found.append((handle.patches[0].get_facecolor(), handle.patches[0].get_hatch()))
            continue
        line = handle.lines[0] if hasattr(handle, "lines") else handle
        if line.get_marker() not in ("", "None", None) or line.get_linestyle() != "None":
            found.append((line.get_color(), line.get_marker(), line.get_linestyle()))
    return found


def wrong_joins(sheet, rows):
    """Pairs of measurements that a line joins and that differ in a parameter other than x.  Rows
    are identified by their times."""
    of_time = {}
    for row in rows:
        of_time.setdefault(round(row.record["time"]["median"] * 1e-9, 15), []).append(row)
    faults = []
    for ax in sheet.axes:
        for line, _, ys in points_of(ax):
            if line is None or line.get_linestyle() == "None":
                continue
            some = [of_time[round(y, 15)] for y in ys if len(of_time.get(round(y, 15), ())) == 1]
            for (a,), (b,) in zip(some, some[1:]):
                names = {*a.params, *b.params}
                unlike = [n for n in names if a.params.get(n) != b.params.get(n)]
                if len(unlike) > 1 or a.variant != b.variant:
                    faults.append((a.variant, b.variant, unlike))
    return faults


def make_inputs(gpubench):
    measured.write("sorts.jsonl", measured.sorts())
    measured.write("many.jsonl", measured.sorts(launches=7))
    measured.write("swapped.jsonl", measured.sorts(slower=3.0))
    measured.write("base.jsonl", measured.sorts(5, (0,)))
    measured.write("new.jsonl", measured.sorts(5, (0,), 1.3))
    measured.write("slow.jsonl", measured.sorts(5, (0,), 30))
    measured.write("trees.jsonl", measured.trees())
    measured.write("paper.jsonl", measured.papers())
    measured.write("empty.jsonl", [])
    measured.write("mixed.jsonl", measured.mixed())
    measured.write("far.jsonl", measured.far_apart())
    measured.write("many-trees.jsonl", measured.many_trees())
    measured.write("threads.jsonl", measured.threaded_sorts())
    line = measured.run_line(1, "A")
    measured.write("old.jsonl", [{**line, "schema": 1}])
    params = {"count": 1000, "type": "u32", "seed": 1}
    measured.write(
        "types.jsonl",
        [line]
        + [measured.record(1, "radix", "cpu/best", {**params, "type": t}, 5)
           for t in ("u32", "u64")],
    )
    measured.write(
        "crowd.jsonl",
        [line]
        + [
            measured.record(1, "radix", "cpu/v%d" % i, {**params, "count": n}, 5 + i)
            for i in range(20)
            for n in (1, 2)
        ],
    )
    for name in ("machines", "long"):
        word = "x" * 70 if name == "long" else ""
        measured.write("%s.jsonl" % name, measured.sorts(5, word=word))
    for name, words in (
        ("empty.json", ["repro", "cbt:s14", "--from=paper.jsonl", "--format=json"]),
        ("long.json", ["compare", "--by=machine", "long.jsonl", "--format=json"]),
        ("stored.json", ["repro", "all", "--from=" + STORED[0], *STORED[1:], "--format=json"]),
        ("machines.json", ["compare", "--by=machine", "many.jsonl", "--format=json"]),
        ("repro.json", ["repro", "radix:table1", "--from=paper.jsonl", "--format=json"]),
    ):
        with open(name, "w", encoding="utf-8") as file:
            subprocess.run([gpubench, *words], stdout=file, stderr=subprocess.DEVNULL, check=False)


def test_pictures():
    for name, arguments in PICTURES.items():
        for sheet in sheets_of(arguments):
            check(name + ": no text is cut", not cut(sheet), cut(sheet)[:3])
            check(name + ": series look different", len(set(looks(sheet))) == len(looks(sheet)))
            files = [word for word in arguments.split(" ") if word.endswith(".jsonl")]
            if arguments.startswith(("sweep", "phases")):
                faults = wrong_joins(sheet, records.read(files))
                check(name + ": lines join one series", not faults, faults[:3])
            matplotlib.pyplot.close(sheet.figure)


def test_papers():
    """All numbers of each table are drawn, once, and nothing else."""
    with open("stored.json", encoding="utf-8") as file:
        tables = verdicts.group(json.load(file)["cells"], "table")
    check("all tables are stored", len(tables) > 15, str(len(tables)))
    for (name,), cells in tables.items():
        with open("table.json", "w", encoding="utf-8") as file:
            json.dump({"type": "repro", "cells": cells}, file)
        want = sorted(c[m] for c in cells for m in ("paper", "here")
                      if c["role"] != "key" and c[m] is not None)
        if not want:
            continue  # a picture of the paper, not measured yet
        for sheet in sheets_of("paper table.json"):
            table = verdicts.Table(cells)
            have = sorted(v for ax in sheet.axes for _, xs, ys in points_of(ax)
                          for v in (ys if table.x else xs))
            check("%s: its numbers are drawn" % name, near(have, want) and len(have) == len(want),
                  "%d of %d" % (len(have), len(want)))
            check("%s: no text is cut" % name, not cut(sheet), cut(sheet)[:3])
            check("%s: series look different" % name, len(set(looks(sheet))) == len(looks(sheet)))
            check("%s: it is named" % name, name in sheet.title)
            rows = [t for ax in sheet.axes for t in tick_labels(ax.yaxis)]
            check("%s: a single row has a line for each column" % name,
                  table.x or len(rows) == sum(map(len, table.units().values())), len(rows))
            matplotlib.pyplot.close(sheet.figure)
    with open("two.json", "w", encoding="utf-8") as file:
        json.dump({"type": "repro", "cells": tables["cbt:fig12",] + tables["cbt:memory",]}, file)
    drawn, said = plot("paper two.json -o two.svg")
    check("a picture for each table", drawn and said.split() == ["two-cbt-fig12.svg",
                                                                 "two-cbt-memory.svg"], said)
    plot("paper table.json -o one-table.svg")
    check("a single table has the name given", os.path.exists("one-table.svg"))


def test_formats():
    for name in ("sweep", "words", "phases", "paper"):
        arguments = PICTURES[name]
        plot("%s -o %s.pdf" % (arguments, name))
        plot("%s -o %s.svg" % (arguments, name))
        with open(name + ".pdf", "rb") as file:
            pdf = file.read()
        check(name + ".pdf: fonts as TrueType", b"/Type3" not in pdf and b"/FontFile2" in pdf)
        with open(name + ".svg", encoding="utf-8") as file:
            check(name + ".svg: type is text", "<text" in file.read())
    with open("sweep.svg", encoding="utf-8") as file:
        svg = file.read()
    for machine in measured.MACHINES:
        check("the legend names " + machine, "cpu/best, " + machine in svg)
    wide = float(re.search(r'width="([0-9.]+)pt"', svg)[1]) / 72 * 25.4
    check("two columns are 178 mm", abs(wide - 178) < 0.5, "%.1f" % wide)
    plot("sweep many.jsonl --columns=1 --where=variant=cpu/best -o one.svg")
    with open("one.svg", encoding="utf-8") as file:
        wide = float(re.search(r'width="([0-9.]+)pt"', file.read())[1]) / 72 * 25.4
    check("one column is 85 mm", abs(wide - 85) < 0.5, "%.1f" % wide)


def near(a, b):
    return all(abs(x - y) <= 1e-9 * abs(y) for x, y in zip(a, b))


def times_drawn(arguments):
    (sheet,) = sheets_of(arguments)
    return sorted(y for ax in sheet.axes for _, _, ys in points_of(ax) for y in ys)


def test_numbers():
    for name in ("sorts.jsonl", "swapped.jsonl", "far.jsonl"):
        want = sorted(records.seconds(r.record)[0] for r in records.read([name]))
        check("the times of %s are drawn" % name, near(times_drawn("sweep " + name), want))
    plot("sweep sorts.jsonl -o us.svg")
    with open("us.svg", encoding="utf-8") as file:
        check("microseconds are us", " us<" in file.read().replace("\u00a0", " "))
    (sheet,) = sheets_of("sweep far.jsonl")
    check("times far apart have a logarithmic axis", sheet.axes[0].get_yscale() == "log")
    for new, scale in (("new", "linear"), ("slow", "log")):
        (sheet,) = sheets_of("ab base.jsonl %s.jsonl" % new)
        check("launches of %s.jsonl" % new, sheet.axes[0].get_xscale() == scale)
    cell = {"backend": "cpu", "caches": "cold", "low": 1, "high": 3}
    cells = [{**cell, "bench": bench, "key": "%s/cpu/v%d" % (bench, row), "machine": column,
              "speed_up": speed_up}
             for bench, rows in (("radix", 2), ("bfs", 36)) for row in range(rows)
             for column, speed_up in (("A", None), ("B", 2), ("C", row or None))]
    with open("heights.json", "w", encoding="utf-8") as file:
        json.dump({"type": "machines", "cells": cells}, file)
    (sheet,) = sheets_of("machines heights.json")
    low, high = (ax.get_window_extent().height for ax in sheet.axes)
    check("two rows are lower than 36", high > 5 * low, "%.0f and %.0f" % (low, high))
    rows = records.read(["sorts.jsonl"])
    lines = sweeps.grouped(rows, records.setup_names(rows), "count", records.seconds)
    check("a series for each variant on each machine", len(lines) == 6, str(list(lines)))
    check("each has one value at each count",
          all(sorted(l) == [1000, 10000, 100000] for l in lines.values()))
    ns = measured.sort_time("cpu/best", 10000, 1, 0)
    value = lines[("cpu/best", "Beta 64")][10000]
    check("a launch has its median and interval",
          near(value, (ns * 1e-9, ns * 0.95e-9, ns * 1.05e-9)))
    many = records.points(records.read(["many.jsonl"]))
    best = [p for p in many if p.first.variant == "cpu/best" and p.first.params["count"] == 1000]
    check("launches of one machine are one point", [len(p.rows) for p in best] == [7, 7])
    times = [measured.sort_time("cpu/best", 1000, 0, k) * 1e-9 for k in range(7)]
    pooled = best[0].pooled(records.seconds)
    check("seven launches: median, and all of their range at 95 %",
          near(pooled, (times[3], times[0], times[6])))
    ten = records.Point([records.Row({"time": {"median": k * 1e9}}, {}) for k in range(1, 11)])
    check("ten launches: the second to the ninth", near(ten.pooled(records.seconds), (5.5, 2, 9)))
    check("a ratio has the widest interval",
          near(records.ratio((2, 1, 4), (1, 0.5, 2)), (2, 0.5, 8)))
    rows = records.read(["threads.jsonl"])
    lines = sweeps.grouped(rows, ["threads", *records.setup_names(rows)], "count", records.seconds)
    ratios = sweeps.over_base(lines, "cpu/qsort", "count")
    check("speed-ups over a variant without threads, on each machine", len(ratios) == 8,
          str(list(ratios)))
    qsort, best_ns = (measured.sort_time(v, 1000, 1, 0) for v in ("cpu/qsort", "cpu/best"))
    value = ratios[("cpu/best", "threads=2", "Beta 64")][1000][0]
    rows = records.select(records.read(["sorts.jsonl"]), ["count=1000"])
    lines = sweeps.grouped(rows, records.setup_names(rows), "variant", records.seconds)
    ratios = sweeps.over_base(lines, "cpu/qsort", "variant")
    check("speed-ups at one point: a bar for each variant",
          sorted(ratios[("Beta 64",)]) == ["cpu/best", "cpu/lsd8"])
    check("a speed-up is the quotient of the times", abs(value - qsort / best_ns) < 1e-9,
          str(value))
    look = {tuple(sorted(style.series(i).items())) for i in range(16)}
    check("16 series look different", len(look) == 16)


def status_of(arguments):
    """(status, lines on standard error) of the program, or hangs, or traceback."""
    words = [sys.executable, program.__file__, *arguments, "-o", "hostile.svg"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "hangs", []
    said = done.stderr.splitlines()
    return "traceback" if "Traceback" in done.stderr else done.returncode, said


def test_hostile():
    # Most in this process, which is faster: an exception would end the test.  Besides `sweep`, a
    # file gets a quarter of the kinds of pictures, or all if this test is named.
    good = [json.loads(line) for line in open("sorts.jsonl", encoding="utf-8")]
    for number, change in enumerate(HOSTILE):
        with open("hostile.jsonl", "wb") as file:
            if isinstance(change, bytes):
                file.write(change)
            else:
                index = 0 if change.get("type") == "run" else 1
                lines = [*good[:index], {**good[index], **change}, *good[index + 1:]]
                file.writelines(json.dumps(line).encode() + b"\n" for line in lines)
        kinds = ("sweep", "speedup --over=cpu/qsort", "roofline", "phases", "meshes", "paper",
                 "machines")
        for i, kind in enumerate(kinds):
            name, *more = kind.split()
            if "hostile" not in sys.argv[2:] and name != "sweep" and i % 4 != number % 4:
                continue
            document = name in ("paper", "machines")
            if document == isinstance(change, dict) or (document, name) == (False, "meshes"):
                continue
            try:
                drawn, said = plot(" ".join([name, "hostile.jsonl", *more, "-o hostile.svg"]))
            except Exception as error:  # pylint: disable=broad-except
                drawn, said = False, "%s: %s" % (type(error).__name__, error)
            good_end = drawn or "plot.py: " in said
            check("%s of hostile file %d" % (name, number), good_end and said.count("\n") < 5,
                  "%.100r: %s" % (change, said[-300:]))
    status, said = status_of(["sweep", "."])
    check("sweep of a folder", status == 2 and len(said) == 1, "%s %s" % (status, said))
    os.mkfifo("fifo")
    status, said = status_of(["sweep", "fifo"])
    check("a FIFO without a writer", status == 2 and "nothing writes" in said[-1], str(said))
    writer = subprocess.Popen(["sh", "-c", "sleep 0.5; cat sorts.jsonl >fifo"])
    check("a FIFO with a writer", status_of(["sweep", "fifo"])[0] == 0)
    writer.wait()
    for paper in sorted(glob.glob(os.path.join(HERE, "..", "results", "papers", "*.json"))):
        os.symlink(paper, os.path.basename(paper))  # whose folder may have a space in its name
        drawn, said = plot("paper %s" % os.path.basename(paper))
        check(paper, not drawn and "is not what `gpubench repro" in said, said)


def test_trouble():
    for arguments, text in TROUBLE.items():
        drawn, said = plot(arguments)
        last = said.strip().splitlines()[-1:] or [""]
        check(arguments, not drawn and text in last[0], said)


def main():
    gpubench = os.path.realpath(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        make_inputs(gpubench)
        tests = (test_pictures, test_papers, test_formats, test_numbers, test_hostile, test_trouble)
        for test in tests:
            if not sys.argv[2:] or test.__name__[5:] in sys.argv[2:]:
                test()
        os.chdir("/")
    print("plots: %d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
