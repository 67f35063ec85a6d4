#!/usr/bin/python3
"""figures.py [--check] -- prints the tables of README.md and docs/*.md from records.

A table stands in a page between two marks; the first one holds the command that prints it:

    <!-- begin: gpubench report --format=markdown results/measured/FOLDER/CASE.jsonl -->
    <!-- end -->

`| grep -E 'REGEX'` may select lines.  The text between the marks is replaced by the command line
that measured the file, the machine and the commit (for a GPU, after its name and the date; for a
CPU, unless a table above has the same), and the table without its heading.  If the file does not
exist, the text is "Not measured yet."  `scripts/ladder.py ...` prints a table from exact counts.
`gpubench compare --by=machine --format=csv results/measured/*/FILE | grep -E 'REGEX'` becomes a table
with a row for each key and a column for each GPU.

    figures.py            print the tables again
    figures.py --check    fail if a page differs from what its records give

The runs of a table's file must be of one machine and one commit.

GPUBENCH is the program (default: ./gpubench).
"""
import csv
import difflib
import functools
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

LADDER = re.compile(r"scripts/ladder\.py(?: (?:[\w=.-]+|'[\w =.-]+')){3,4}")
COMMAND = re.compile(
    r"gpubench (report --format=markdown|compare --by=machine --format=csv) ([\w./*-]+)"
    r"(?: \| grep -E '[^']+')?")
# The parts of a run that tell machines and commits apart (cli/records/identity.h).
CACHES = ("cpu", "sockets", "cores", "l1d_bytes", "l2_bytes", "l3_bytes")
FAMILY = ("cpu_vendor", "cpu_family", "cpu_model", "cpu_stepping", "cpu_part")

failures = []


def fail(text):
    failures.append(text)
    print("figures.py: " + text, file=sys.stderr)


def output_of(command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, text=True).stdout


@functools.lru_cache(None)
def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# ---- stored records ------------------------------------------------------------------------


@functools.lru_cache(None)
def stored(path):
    """The runs and the records of a file."""
    text = output_of([program, "report", "--format=json", "-"], text_of(path))
    lines = [json.loads(line) for line in text.splitlines()]
    return [[line for line in lines if line["type"] == kind] for kind in ("run", "record")]


@functools.lru_cache(None)
def first_run(path):
    return json.loads(text_of(path).partition("\n")[0])


def gpu_of(run):
    gpus = {gpu["id"]: gpu for gpu in run.get("gpus", [])}
    return gpus.get(run["settings"].get("device"), {})


def mixed(runs):
    """The parts in which the runs of a file differ."""
    values = [dict(run["host"], commit=run["tool"].get("commit"), uuid=gpu_of(run).get("uuid"))
              for run in runs]
    return [name for name in CACHES + FAMILY + ("hostname", "commit", "uuid")
            if any(value.get(name) != values[0].get(name) for value in values)]


# Options that have another name today.
RENAMED = {"--runs": "--repetitions", "--dist": "--distribution", "--primitives": "--count"}


def argv_of(run):
    """The command line that measured a run, in today's words and without the options that only say
    where to write.  Two limits on sampling are gone: ten times --min-time is --max-time."""
    words = iter(run["argv"])
    kept = []
    for word in words:
        if word == "-o":
            next(words)
        elif word.startswith("--min-time="):
            kept.append("--max-time=%g" % (10 * float(word.partition("=")[2])))
        elif not re.match("--quiet$|--overwrite$|--output=|--max-samples=", word):
            name, equals, value = word.partition("=")
            kept.append(RENAMED.get(name, name) + equals + value)
    return kept


# ---- pages ---------------------------------------------------------------------------------


def measured_by(path):
    """The command line in the file's first line, as code, and what report says of the run."""
    run = first_run(path)
    said = output_of([program, "report", "--format=markdown", "-"], text_of(path)).splitlines()[0]
    said = re.sub(r"^- \S+: ", "", said)
    gpu, date = gpu_of(run).get("name"), run["started"]
    if gpu:
        tool, commit, _, rest = re.match(r"(.*?), (commit .*?), (on .*?): (.*)", said).groups()
        others = [part for part in rest.split("; ") if part != gpu]
        said = "%s, %s, %s: %s, %s" % (gpu, date, commit, tool, "; ".join(others))
    words = [re.sub(r".*[][*?].*", r"'\g<0>'", word) for word in argv_of(run)]
    return "`gpubench %s`\n\n%s\n\n" % (" ".join(words), said)


def run_of(command, options=""):
    command = command.replace("gpubench", shlex.quote(program), 1)
    return output_of(["bash", "-c", options + command])


def machines(command, paths):
    """The medians in us, with a row for each key and a column for each GPU."""
    rows = list(csv.DictReader(run_of(command).splitlines()))  # compare has status 6 for one GPU
    keys, gpus = (list(dict.fromkeys(row[name] for row in rows)) for name in ("key", "machine"))
    median = {(row["key"], row["machine"]): "%.1f" % (float(row["time_ns"]) / 1e3)
              for row in rows if row["time_ns"]}
    lines = [["median in us", *gpus], [":---"] + ["---:"] * len(gpus)]
    lines += [[key] + [median.get((key, gpu), "absent") for gpu in gpus] for key in keys]
    made = ["%s of commit %s" % (path.split("/")[2], first_run(path)["tool"]["commit"])
            for path in paths]
    return "; ".join(made) + "\n\n" + "".join("| %s |\n" % " | ".join(line) for line in lines)


def table(command):
    """The text between the marks; ValueError if there is none."""
    if LADDER.fullmatch(command):
        return output_of(shlex.split(command))
    allowed = COMMAND.fullmatch(command)
    if not allowed:
        raise ValueError("not a command for a table: " + command)
    path = allowed[2]
    if "*" in path:
        return machines(command, sorted(glob.glob(path)))
    if not os.path.exists(path):
        return "Not measured yet.\n"
    differ = mixed(stored(path)[0])
    if differ:
        raise ValueError("%s mixes machines or commits: its runs differ in %s" %
                         (path, ", ".join(differ)))
    text = run_of(command, "set -o pipefail; ")
    text = re.sub(r"\Agpubench .*\n", "", text)
    text = re.sub(r"^## .*\n(.+\n)*\n?", "", text, flags=re.M)
    return measured_by(path) + text.lstrip("\n")


def without_repetition(text, seen):
    """A table of a CPU without the machine, or the peers, that its page has, by `seen`, and without
    the commit if the table before has the same."""
    said = re.match(r"(`gpubench .*`\n\n)gpubench \S+, commit (\S+), on \S+, .*?: ([^;\n]+)"
                    r"(?:; peers: ([^;\n]+))?.*\n\n", text)
    if not said:
        return text
    command, commit, machine, peers = said.groups()
    before = dict(seen)
    seen.update({"commit": commit, machine: True, peers: True})
    if machine not in before:
        return text
    parts = [] if before["commit"] == commit else ["commit " + commit]
    parts += [] if not peers or peers in before else ["peers: " + peers]
    line = "; ".join(parts)
    return command + (line[:1].upper() + line[1:] + "\n\n" if line else "") + text[said.end():]


def printed(page, text):
    """The page with its tables replaced; ValueError."""
    lines, inside, seen = [], False, {}
    for number, line in enumerate(text.splitlines(True), 1):
        mark = re.fullmatch("<!-- (?:begin: (.*)|end) -->\n?", line)
        if mark and inside == bool(mark[1]):
            raise ValueError("%s:%d: a begin or an end without the other" % (page, number))
        if mark or not inside:
            lines.append(line)
        if mark:
            inside = bool(mark[1])
        if inside and mark:
            lines.append(without_repetition(table(mark[1]), seen))
    if inside:
        raise ValueError("%s:%d: a begin or an end without the other" % (page, number))
    return "".join(lines)


def main():
    is_check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not is_check:
        sys.exit(__doc__.strip())
    os.chdir(top)
    for page in ["README.md", *sorted(glob.glob("docs/*.md"))]:
        old = text_of(page)
        try:
            new = printed(page, old)
        except (ValueError, subprocess.CalledProcessError) as error:
            fail(str(error))
            continue
        if old == new:
            continue
        if is_check:
            fail("%s differs from its records; scripts/figures.py rewrites it:" % page)
            sys.stderr.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True),
                                                       page, "its records", n=0))
        else:
            with open(page, "w", encoding="utf-8") as file:
                file.write(new)
            print(page)
    sys.exit(bool(failures))


top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
program = shutil.which(os.environ.get("GPUBENCH", "./gpubench"))
if not program:
    sys.exit("figures.py: there is no " + os.environ.get("GPUBENCH", "./gpubench"))
program = os.path.abspath(program)
main()
