#!/usr/bin/python3
"""latex.py GPUBENCH -- the tables of `--format=latex`, from the records in results/measured.

Together, the parts of a split table have the cells of the Markdown table, in the same order.  Where
there is pdflatex, everything compiles on a page that is 178 mm wide, and no line is wider.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

gpubench = os.path.realpath(sys.argv[1])
STORED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "results", "measured")
FILES = sorted(glob.glob(STORED + "/*/*.jsonl"))
REPORTS = (
    ["repro", "all", "--from=" + FILES[0], *FILES[1:]],
    ["compare", "--by=machine", *(f for f in FILES if "cbt" in f or "h100" in f and "octree" in f)],
    ["compare", "--by=machine", *FILES],
    ["compare", *(STORED + "/h100-2026-11-23/%s.jsonl" % n for n in ("papers-bfs", "quick-bfs"))],
    *(["report", "--launches=pooled", file] for file in FILES[::4]),
)
HEAD = r"""\documentclass{article}
\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{textcomp,booktabs,siunitx}
\usepackage[textwidth=178mm,textheight=50in,paperheight=60in]{geometry}
\hfuzz=0.5pt\sloppy\emergencystretch=9em\begin{document}
"""
SIGNS = (("\\textbackslash{}", "\\"), ("\\textasciitilde{}", "~"), ("\\textasciicircum{}", "^"),
         ("\\textless{}", "<"), ("\\textgreater{}", ">"), ("\\textbar{}", "|"), ("{[}", "["),
         ("\\textquotedbl{}", '"'), ("$\\pm$", "±"), ("К", "K"), ("М", "M"))
UNITS = (("\\percent", "%"), ("\\nano\\second", "ns"), ("\\micro\\second", "us"),
         ("\\milli\\second", "ms"), ("\\second", "s"))
passed = failed = 0


def check(what, good, more=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("latex: FAILED: %s %s" % (what, more))


def plain(cell):
    """The text of a LaTeX cell."""
    cell = re.sub(r"^\{\\shortstack\[.\]\{(.*)\}\}$", lambda m: m[1].replace("\\\\", " "),
                  cell.strip())
    cell = re.sub(r"^\{(.*)\}$", r"\1", cell)
    cell = re.sub(r"\\textbf\{(.*)\}$", r"\1", cell)
    for sign, unit in UNITS:
        cell = cell.replace("{%s}" % sign, "{%s}" % unit)
    cell = re.sub(r"\\SI\{([^}]*)\}\{([^}]*)\}", r"\1 \2", cell)
    cell = re.sub(r"\\num\{([^}]*)\}", r"\1", cell)
    for sign, text in (("\\allowbreak{}", ""), *SIGNS):
        cell = cell.replace(sign, text)
    return re.sub(r"\\([&%$#_{}])", r"\1", cell).strip()


def markdown_tables(text):
    """[[row of cells]]: the titles come first."""
    tables, last = [], ""
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith(("| :---", "| ---:")):
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            cells = [re.sub(r"\\([\\`*_|<\[#])", r"\1", c.strip().strip("*")) for c in cells]
            if not last.startswith("|"):
                tables.append([])
            tables[-1].append([c.replace("К", "K").replace("М", "M") for c in cells])
        last = line
    return tables


def latex_tables(text):
    """The same, of the parts of each table joined: a part's first columns, if they are those of the
    first part, are left out."""
    tables = []
    for whole in re.findall(r"\\begingroup(.*?)\\endgroup", text, re.S):
        parts = []
        for part in re.findall(r"\\toprule\n(.*?)\\bottomrule", whole, re.S):
            lines = part.replace("\\midrule\n", "").strip().split(" \\\\\n")
            lines[-1] = lines[-1].removesuffix(" \\\\")
            parts.append([[plain(c) for c in re.split(r"(?<!\\)&", line)] for line in lines])
        rows = parts[0]
        for part in parts[1:]:
            same = 0
            while same < len(part[0]) and all(a[:same + 1] == b[:same + 1]
                                              for a, b in zip(parts[0], part)):
                same += 1
            rows = [a + b[same:] for a, b in zip(rows, part)]
        tables.append(rows)
    return tables


def run(arguments, form):
    done = subprocess.run([gpubench, *arguments, "--format=" + form], capture_output=True,
                          text=True, check=False)
    return done.stdout


def compiled(text):
    """(True if TeX took it, lines that are too wide, the log)"""
    with open("a.tex", "w", encoding="utf-8") as file:
        file.write(HEAD + text + "\\end{document}\n")
    done = subprocess.run(["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "a.tex"],
                          capture_output=True, timeout=200, check=False)
    log = done.stdout.decode("utf-8", "replace").replace("\n", " ")
    return done.returncode == 0, re.findall(r"Overfull \\hbox \(.{0,90}", log), log[-600:]


def main():
    texts = []
    for arguments in REPORTS:
        name = " ".join(os.path.basename(a) for a in arguments[:3])
        texts.append(run(arguments, "latex"))
        want, have = markdown_tables(run(arguments, "markdown")), latex_tables(texts[-1])
        check(name + ": tables", len(have) == len(want) > 0, "%d of %d" % (len(have), len(want)))
        for number, (a, b) in enumerate(zip(want, have)):
            unlike = [(x, y) for x, y in zip(a, b) if x != y]
            check("%s: cells of table %d" % (name, number), a == b, unlike[:1])
    check("some table is split", any("\\medskip" in text for text in texts))
    if shutil.which("pdflatex"):
        # The test needs no Cyrillic fonts, which some notes on the papers do.
        good, wide, log = compiled(re.sub("[А-я]", "?", "\n\n".join(texts)))
        check("pdflatex takes all", good, log)
        check("no line is wider than a page", not wide, wide[:5])
        good, wide, _ = compiled("\\noindent\\rule{179mm}{1mm}")
        check("a line that is wider is found", good and len(wide) == 1, wide)
        good, _, _ = compiled("\\undefinedcommand")
        check("a fault is found", not good)
    else:
        print("latex: nothing is compiled, there is no pdflatex")
    print("latex: %d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    main()
