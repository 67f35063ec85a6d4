#!/usr/bin/python3
"""plots.py GPUBENCH -- tests scripts/plot.py with synthetic records and with those stored in
results/measured: what it draws are the numbers of the records, and errors take one line.  Skipped
without matplotlib."""

import contextlib
import glob
import io
import json
import os
import subprocess
import sys
import tempfile

try:
    import matplotlib
except ImportError:
    print("plots: skipped, there is no matplotlib")
    sys.exit(0)

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STORED = sorted(glob.glob(os.path.join(TOP, "results", "measured", "*", "*.jsonl")))
sys.path.insert(0, os.path.join(TOP, "scripts"))
import plot as program  # noqa: E402

gpubench = os.path.abspath(sys.argv[1])
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
            program.main(arguments.split(" ") if isinstance(arguments, str) else arguments)
        except SystemExit as end:
            return False, said.getvalue() + ("" if end.code == 2 else "status %s" % end.code)
    return True, said.getvalue()


def lines_in(arguments):
    """{(panel, series): [(x, y)]} as drawn."""
    options = program.parse(arguments.split(" "))
    drawn = {}
    for _, sheet in program.KINDS[options.kind][0](options):
        for number, ax in enumerate(sheet.axes):
            for series in ax.containers:
                line = series.lines[0]
                name = next(n for n, h in sheet.handles.items()
                            if h.lines[0].get_marker() == line.get_marker())
                drawn[number, name] = list(zip(line.get_xdata(), line.get_ydata()))
        matplotlib.pyplot.close(sheet.figure)
    return drawn


def line(variant, count, ns, **more):
    """A record of one sample."""
    backend, name = variant.split("/")
    return {"type": "record", "schema": 2, "run_id": "1", "bench": "radix", "backend": backend,
            "variant": name, "key": "radix/%s count=%s" % (variant, count),
            "params": {"count": count}, "status": "ok", "verify": {"result": "pass"},
            "work": {"items": count, "unit": "keys", "bytes": 8 * count},
            "time": {"clock": "monotonic", "median": ns, "ci95": [ns - 1, ns + 1], "samples": [ns]},
            **more}


def write(path, *items):
    with open(path, "wb") as file:
        for item in items:
            file.write(item if isinstance(item, bytes) else json.dumps(item).encode() + b"\n")


def test_numbers():
    run = {"type": "run", "schema": 2, "run_id": "1", "host": {"cpu": "Alpha"}}
    times = {"cpu/a": (1000, 3000), "cpu/b": (500, 1000)}
    write("two.jsonl", run, *[line(v, n, ns) for v, both in times.items()
                              for n, ns in zip((10, 1000), both)],
          line("cpu/c", 10, 7, status="failed", verify={"result": "fail"}),
          line("cpu/c", 10, 7, emulated=True))
    near = lambda a, b: all(abs(x - u) <= 1e-9 * u and abs(y - v) <= 1e-9 * v
                            for (x, y), (u, v) in zip(a, b))
    for kind, wanted in (
            ("sweep two.jsonl", {"cpu/a": [(10, 1e-6), (1000, 3e-6)],
                                 "cpu/b": [(10, 5e-7), (1000, 1e-6)]}),
            ("sweep two.jsonl --y=rate", {"cpu/a": [(10, 1e7), (1000, 1e9 / 3)],
                                          "cpu/b": [(10, 2e7), (1000, 1e9)]}),
            ("sweep two.jsonl --where=variant=cpu/a", {"cpu/a": [(10, 1e-6), (1000, 3e-6)]}),
            ("speedup two.jsonl --over=cpu/a", {"cpu/b": [(10, 2), (1000, 3)]})):
        drawn = {name: points for (_, name), points in lines_in(kind).items()}
        check(kind, drawn.keys() == wanted.keys()
              and all(near(drawn[n], wanted[n]) for n in drawn), drawn)
    write("more.jsonl", run, *[line("cpu/a", 10, ns) for ns in (100, 300, 200)])
    check("pooled", near(*lines_in("sweep more.jsonl --x=count").values(), [(10, 2e-7)]))
    write("hot.jsonl", run, line("cpu/a", 10, 100), line("cpu/a", 10, 90, cold=False))
    check("caches", len(lines_in("sweep hot.jsonl --x=count")) == 2)


def test_stored():
    drawn = 0
    for path in STORED:
        good, said = plot(["sweep", path, "-o", "stored.svg"])
        drawn += good
        check(path, good or "no records with times" in said or "--where" in said, said)
    check("most files are drawn", 2 * drawn > len(STORED), drawn)


def test_papers():
    files = [p for p in STORED if os.path.basename(p).startswith("papers")]
    done = subprocess.run([gpubench, "repro", "all", "--format=json", "--from=" + files[0],
                           *files[1:]],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    document = json.loads(done.stdout or "{}")
    with open("repro.json", "wb") as file:
        file.write(done.stdout)
    numbers = [c for c in document["cells"] if c["role"] != "key"]
    wanted = sum(c[place] is not None for c in numbers for place in ("paper", "here"))
    drawn = 0
    options = program.parse(["paper", "repro.json"])
    for _, sheet in program.paper(options):
        drawn += sum(len(c.lines[0].get_xdata()) for ax in sheet.axes for c in ax.containers)
        matplotlib.pyplot.close(sheet.figure)
    check("each number of the papers is drawn", 0 < drawn == wanted, "%d of %d" % (drawn, wanted))


def test_formats():
    for ending, begin in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        good, said = plot("sweep two.jsonl --columns=1 --title=Sorting -o x." + ending)
        with open("x." + ending, "rb") as file:
            data = file.read()
        check(ending, good and data.startswith(begin), said)
        check("text " + ending, ending != "svg" or b"Sorting" in data)


def test_trouble():
    write("empty.jsonl")
    write("crowd.jsonl", *[line("cpu/v%d" % i, n, 5) for i in range(17) for n in (10, 20)])
    for arguments, said in {
            "sweep nowhere": "No such file",
            "sweep empty.jsonl": "no records with times in empty.jsonl",
            "sweep two.jsonl --x=words": "no record has a words",
            "sweep two.jsonl --where=count": "--where=count: not NAME=VALUE",
            "sweep two.jsonl --where=count=7": "--where=count=7: no record is left",
            "sweep two.jsonl --facet=depth": "--facet=depth: no record has it",
            "sweep two.jsonl --x=variant --series=bench": "has several values of the series",
            "sweep crowd.jsonl": "more than 16 series are not distinguishable",
            "sweep two.jsonl -o x.gif": "does not end in .svg, .pdf, .png",
            "sweep two.jsonl -o none/x.svg": "No such file",
            "speedup two.jsonl --over=cpu/none": "--over=cpu/none: no record is of that variant",
            "paper two.jsonl": "is not what `gpubench repro --format=json` prints"}.items():
        good, output = plot(arguments)
        check(arguments, not good and said in output, output)
    for item in (b"[]\n", b"{\n", b"\0\n", b"\xff{}\n", b"[[[[" * 50000, b'{"type":"repro"}\n',
                 line("cpu/a", 10, -5), line("cpu/a", 10, 5, time={"median": "5"}),
                 line("cpu/a", [1], 5), line("cpu/a", 10, 5, work=3),
                 line("cpu/a", 10, 5, bench=[]),
                 line("cpu/a", 10, 5, work={"items": "x"}), line("cpu/a", 10, 1e308),
                 line("cpu/a", 10, 5, time={"median": 5, "ci95": [{}, {}], "samples": []}),
                 {"type": "run", "host": 3, "run_id": "1"}):
        write("bad.jsonl", item, line("cpu/a", 10, 5))
        for kind in ("sweep bad.jsonl --y=rate", "paper bad.jsonl"):
            good, output = plot(kind)
            check(kind, good or output.count("\n") <= 2 and output.startswith(("plot.py", "left")),
                  "%s %s" % (str(item)[:80], output))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for test in (test_numbers, test_stored, test_papers, test_formats, test_trouble):
        test()
print("plots: %d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
