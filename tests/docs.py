#!/usr/bin/env python3
"""docs.py GPUBENCH -- checks README.md and docs/*.md against the program.

Every command line in a block is run: measurements with --dry-run and without files, reports on
made records.  Commands, statuses, formats, options, variants and make targets that the pages name
must exist, and the manual must name every command, exit status and format.
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

program = os.path.realpath(sys.argv[1])
top = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
MEASURING = ("run", "radix", "bfs", "cbt", "octree", "lbvh", "stream")
FILES = ("--file=", "--write=", "--output=")
# numactl, bencher, nvcc, ncu, nsys
FOREIGN = ("--cpunodebind", "--membind", "--adapter", "--no-compress", "--profile-from-start",
           "--nvtx", "--capture-range", "--capture-range-end")
OWN = "cpu/mine", "cuda/mine"  # the reader's variant
passed, failures = 0, []


def run(*words, cwd=top):
    return subprocess.run([program, *words], cwd=cwd, capture_output=True, text=True, check=False)


def expect(holds, *said):
    global passed
    passed += bool(holds)
    if not holds:
        failures.append(": ".join(map(str, said)))


def help_of(command):
    return re.sub(r"\n\s+", " ", run("help", command).stdout)


def text_of(name):
    with open(os.path.join(top, name), encoding="utf-8") as file:
        return file.read()


PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md", "tests/*/README.md")
pages = {name: text_of(name) for glob_ in PAGES for name in sorted(glob.glob(glob_, root_dir=top))}
makefiles = ["Makefile", *glob.glob("tests/**/*.mk", root_dir=top, recursive=True)]
targets = {target for name in makefiles
           for target in re.findall(r"^(?:## )?([a-z-]+):", text_of(name), re.MULTILINE)}
overview = run("help").stdout
commands = re.findall(r"^  ([a-z]+) ", overview, re.MULTILINE)
helps = {command: help_of(command) for command in commands}
listed = json.loads(run("list", "--format=json").stdout)


# ---- command lines ---------------------------------------------------------------------------

def is_grammar(line):
    """A line such as `gpubench report FILE...  print records`: only the command is checked.
    The same holds for lines with a plug-in, which tests/plugin.sh runs."""
    return re.search(r"\.\.\.|\b[A-Z]{3,}\b(?!=)|\[|  +[a-z]", line)


def made_files(words, folder):
    """Records in place of files that the reader would have."""
    for word in words:
        name = word.partition("=")[2] if word.startswith("--from=") else word
        made = os.path.join(folder, name)
        if name.endswith(".jsonl") and not glob.glob(os.path.join(top, name)) + glob.glob(made):
            run("radix", "cpu/best", "--count=1k", "--samples=2", "-q", "-o", made)


def check_command(page, line, folder):
    words = shlex.split(line, comments=True)[1:]
    words = words[:min(words.index(w) if w in words else len(words) for w in ">|")]
    words = [w for w in words if not w.startswith(">")]
    if words[0] == "ab":  # plan what the builds would measure
        for option in re.findall(r"--[a-z-]+", " ".join(words[:words.index("--")])):
            expect(option in helps["ab"], page, option)
        words = words[words.index("--") + 1:]
    if words[0] in MEASURING and not any(w.startswith(("--help", "--dry-run")) for w in words):
        for option in ("-o", "--output"):
            if option in words:
                del words[words.index(option):words.index(option) + 2]
        words = [w for w in words if not w.startswith(FILES)]
        words.append("--dry-run")
    if words[0] == "repro" and not any(w.startswith(("--from", "--list")) for w in words):
        words.append("--dry-run")
    made_files(words, folder)
    for link in ("results", "docs"):
        if not os.path.exists(os.path.join(folder, link)):
            os.symlink(os.path.join(top, link), os.path.join(folder, link))
    words = [name for w in words for name in (sorted(glob.glob(w, root_dir=folder)) or [w])]
    done = run(*words, cwd=folder)
    fine = (0, 6) if words[0] in ("compare", "repro") else (0,)
    expect(done.returncode in fine, page, line, done.returncode, done.stderr.strip()[:200])


def check_commands():
    with tempfile.TemporaryDirectory() as folder:
        for page, text in pages.items():
            for line in re.findall(r"^    (?:\./)?(gpubench .*)", text, re.MULTILINE):
                name = line.split()[1]
                if "--plugin=./" in line or is_grammar(line.partition("  #")[0]):
                    expect(name in [*commands, "BENCHMARK", "help"], page, line, "no command")
                else:
                    check_command(page, line, folder)


# ---- lists -----------------------------------------------------------------------------------

def check_lists():
    manual = pages["docs/manual.md"]
    for command in commands:
        for page in ("README.md", "docs/manual.md"):
            expect(re.search(r"\b%s\b" % command, pages[page]), page, "lacks", command)
    statuses = re.findall(r"\b(\d+) [a-z]", overview.partition("Exit status:")[2])
    table = re.findall(r"^\| (\d+) \|", manual.partition("## Exit status")[2], re.MULTILINE)
    expect(statuses == table, "docs/manual.md", "exit statuses", table, statuses)
    rows = re.findall(r"^\| (`[a-z`, ]+) \| (`table`.*|`text`.*) \|$", manual, re.MULTILINE)
    formats = {name: re.findall(r"`([a-z]+)`", words)
               for names, words in rows for name in re.findall(r"[a-z]+", names)}
    for command, text in helps.items():
        offered = re.search(r"--format=WORD.*?: ([a-z|]+)", text)
        wanted = offered[1].split("|") if offered else None
        expect(formats.get(command) == wanted, "docs/manual.md", "formats of", command,
               formats.get(command), wanted)


def check_names():
    variants = {v["name"] for benchmark in listed["benchmarks"] for v in benchmark["variants"]}
    known = " ".join(helps.values())
    for path in glob.glob(top + "/scripts/**/*", recursive=True):
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                known += file.read()
    for page, text in pages.items():
        text = re.sub(r"<!-- begin.*?<!-- end -->", "", text, flags=re.DOTALL)
        for name in set(re.findall(r"`((?:cpu|cuda|vulkan)/[a-z0-9-]+)`", text)):
            expect(name in variants or name in OWN or os.path.exists(os.path.join(top, name)),
                   page, name)
        for option in set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", text)):
            expect(option in known or option in FOREIGN, page, "no such option", option)
        for target in set(re.findall(r"(?:`|^    )make ([a-z][a-z-]+)", text, re.MULTILINE)):
            expect(target in targets, page, "no such target", target)


check_commands()
check_lists()
check_names()
print("\n".join([*failures, "docs: %d passed, %d failed" % (passed, len(failures))]))
sys.exit(bool(failures))
