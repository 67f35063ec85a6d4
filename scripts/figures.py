#!/usr/bin/python3
"""figures.py [FOLDER | --check] -- prints the tables of README.md and docs/*.md from records.

A table stands in a page between two marks; the first one holds the command that prints it:

    <!-- begin: gpubench report --format=markdown results/measured/FOLDER/CASE.jsonl -->
    <!-- end -->

`report` may have --launches=pooled.  With --format=csv, `| scripts/columns.py COLUMN...` may
follow; `| grep -E 'REGEX'` selects lines.  The text between the marks is replaced by the command
line that measured the file, the machine and the commit (for a GPU, after its name and the date; for
a CPU, unless a table above has the same), and the table without its heading.  If the file does not
exist, the text is "Not measured yet."

    figures.py FOLDER     make the pages name FOLDER, one in results/measured, in place of all
                          cpu-* folders, and print the tables.  A folder of a GPU replaces older
                          ones of that GPU in marks whose file it has, with all points of the
                          old one
    figures.py            print the tables again
    figures.py --check    print the commits to the variants of each table since its measurement;
                          fail if a page differs from what its records give, and if
                          - a newer stored record of the same machine contradicts a table: two
                            variants are in the other order, and their intervals are disjoint in
                            both records (of four launches or more: the extremes, if report prints
                            no interval);
                          - a table's command no longer makes its records.  scripts/measure.sh must
                            have that command for a CPU, and its dry run must list the same keys.
                            On a GPU the dry run must list the keys;
                          - the tables of CPUs are of several machines.

The runs of a table's file must be of one machine and one commit.

GPUBENCH is the program (default: ./gpubench).
"""
import difflib
import functools
import glob
import itertools
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys

LAUNCHES = 4  # as in cli/reports/launch.h
CPU_FOLDER = r"results/measured/cpu-[\w.-]*\w"
COMMAND = re.compile(
    r"gpubench report( --launches=pooled)? --format=(?:markdown|csv) ([\w./-]+)"
    r"(?: \| scripts/columns\.py(?: [\w=-]+)+)?(?: \| grep -E '[^']+')?")
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
    """The runs and the records of a file, the launches of a measurement pooled."""
    lines = json.loads(output_of([program, "report", "--launches=pooled", "--format=json", "-"],
                                 text_of(path)))
    return [[line for line in lines if line["type"] == kind] for kind in ("run", "record")]


@functools.lru_cache(None)
def first_run(path):
    return json.loads(text_of(path).partition("\n")[0])


def gpu_of(run):
    gpus = {gpu["id"]: gpu for gpu in run.get("gpus", [])}
    return gpus.get(run["settings"].get("device"), {})


def same_machine(a, b):
    """As gb_same_machine() for the CPU; a GPU must have the same UUID."""
    def parts(run, names):
        return [run["host"].get(name) for name in names]

    memory = [math.ceil(run["host"].get("memory_bytes", 0) / 2**30) for run in (a, b)]
    known = all(any(parts(run, FAMILY)) for run in (a, b))
    last = FAMILY if known else ("hostname",)
    return (parts(a, CACHES + last) == parts(b, CACHES + last) and memory[0] == memory[1] and
            gpu_of(a).get("uuid") == gpu_of(b).get("uuid"))


def mixed(runs):
    """The parts in which the runs of a file differ."""
    values = [dict(run["host"], commit=run["tool"].get("commit"), uuid=gpu_of(run).get("uuid"))
              for run in runs]
    return [name for name in CACHES + FAMILY + ("hostname", "commit", "uuid")
            if any(value.get(name) != values[0].get(name) for value in values)]


def argv_of(run):
    """The command line that measured a run, without the options that only say where to write.  Of
    the two limits on sampling that are gone, ten times --min-time is --max-time."""
    words = iter(run["argv"])
    kept = []
    for word in words:
        if word == "-o":
            next(words)
        elif word.startswith("--min-time="):
            kept.append("--max-time=%g" % (10 * float(word.partition("=")[2])))
        elif not re.match("--quiet$|--overwrite$|--output=|--max-samples=", word):
            kept.append(word)
    return kept


# ---- contradictions ------------------------------------------------------------------------


def interval(record):
    time = record["time"]
    if "ci95" in time:
        return time["ci95"]
    samples = time.get("samples", [])
    return [min(samples), max(samples)] if len(samples) >= LAUNCHES else [-math.inf, math.inf]


@functools.lru_cache(None)
def points(path):
    """The verified records of each point, by variant.  Keys of serial variants have no threads, so
    the record's own number is used."""
    at = {}
    for record in stored(path)[1]:
        if record["status"] == "ok" and "time" in record:
            variant, _, key = record["key"].partition(" ")
            words = [word for word in key.split() if not word.startswith("threads=")]
            point = " ".join([record["bench"], *words, "threads=%d" % record.get("threads", 0),
                              "cold" if record.get("cold", True) else "hot"])
            at.setdefault(point, {})[variant] = record
    return at


def find_contradictions(page, path):
    run = first_run(path)
    for other in sorted(glob.glob("results/measured/*/*.jsonl*")):
        newer = first_run(other)
        if newer["started"] <= run["started"] or not same_machine(run, newer):
            continue
        for point, here in points(path).items():
            there = points(other).get(point, {})
            for a, b in itertools.permutations(sorted(here.keys() & there.keys()), 2):
                if (interval(here[a])[1] < interval(here[b])[0] and
                        interval(there[b])[1] < interval(there[a])[0]):
                    shown = ["%s takes %.4g ms and %s %.4g ms" %
                             (a, at[a]["time"]["median"] / 1e6,
                              b, at[b]["time"]["median"] / 1e6) for at in (here, there)]
                    fail("%s: %s is contradicted at %s: %s; in the newer %s %s" %
                         (page, path, point, shown[0], other, shown[1]))


# ---- stale commands ------------------------------------------------------------------------


@functools.lru_cache(None)
def cases():
    """The commands of measure.sh, by case."""
    environment = dict(os.environ, DRY="1", GPUBENCH="true")
    text = subprocess.run(["scripts/measure.sh"], env=environment, stdout=subprocess.PIPE,
                          check=True, text=True).stdout
    return dict(re.findall("^([^ ]+): gpubench (.*)$", text, re.M))


def find_stale(page, path):
    runs, records = stored(path)
    on_cpu = re.match(CPU_FOLDER, path)
    case = os.path.basename(path).partition(".")[0]
    known = {record["key"] for record in records}
    listed, absent = set(), set()
    for argv in {tuple(argv_of(run)) for run in runs}:
        command = " ".join(argv)
        if on_cpu and cases().get(case) != command:
            fail("%s: %s is stale: measured by `gpubench %s`, but measure.sh has %s" %
                 (page, path, command, "`gpubench %s`" % cases()[case] if case in cases()
                  else "no case " + case))
        dry = subprocess.run([program, *argv, "--dry-run=keys"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        if dry.returncode:
            fail("%s: %s: its command is no longer accepted: %s" % (page, path,
                                                                    dry.stderr.strip()))
            return
        listed |= set(re.findall(r"^(\w+/\w+/[^:]+):", dry.stdout, re.M))
        absent |= set(re.findall(r"^(\S+) .*: skipped: built without ", dry.stdout, re.M))
    # On a GPU, the default number of threads is this machine's.  Variants that are not in the build
    # do not tell whether they have threads.
    known, listed = ({re.sub(" threads=[0-9]+", "", key)
                      if not on_cpu or key.split()[0] in absent else key for key in keys}
                     for keys in (known, listed))
    # A parameter that the benchmark gained later has another default than what was measured.
    lines = map(json.loads, text_of(path).splitlines())
    had = {name for line in lines for name in line.get("params", {})}
    listed = {re.sub(r" ([\w-]+)=\S+", lambda m: m[0] if m[1] in had else "", key)
              for key in listed}
    for key in sorted(known - listed):
        fail("%s: %s is stale: its command does not measure %s" % (page, path, key))
    for key in sorted(listed - known) if on_cpu else ():
        fail("%s: %s is stale: it lacks %s, which its command measures" % (page, path, key))


# ---- commits -------------------------------------------------------------------------------


@functools.lru_cache(None)
def commits_since(commit):
    """[(commit, its files)]; none in a source archive or if the commit is unknown."""
    if not os.path.exists(".git"):
        return []
    git = subprocess.run(["git", "log", "--format=%x00%h", "--abbrev=7", "--name-only",
                          commit + "..", "--", "cpu", "cuda", "vulkan"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [(part.split()[0], set(part.split()[1:])) for part in git.stdout.split("\0")[1:]]


@functools.lru_cache(None)
def sources(bench, backend, variant):
    """The file that defines a variant, and what it includes from the benchmark's folder."""
    symbol = re.search(r'^(?:%s_VARIANT\(|PEER_VARIANT\(%s, )%s,\s*(\w+),\s*"%s"' %
                       (backend.upper(), backend, bench, re.escape(variant)),
                       text_of("common/variants.def"), re.M)
    folder = "%s/%s" % (backend, bench)
    name = symbol and re.compile(r"\b%s_%s_%s\b" % (bench, backend, symbol[1]))
    left = [path for path in glob.glob(folder + "/*.c*") if name and name.search(text_of(path))]
    found = set()
    while left:
        path = left.pop()
        if path not in found and os.path.exists(path):
            found.add(path)
            left += re.findall('^#include "(%s/[^"]+)"' % folder, text_of(path), re.M)
            left += [path[:-1] + end for end in ("c", "cu") if path.endswith(".h")]
    return found


def list_commits(page, path, text):
    runs, records = stored(path)
    commit = runs[0]["tool"].get("commit") or "unknown"
    since = commits_since(commit)
    variants = {(r["bench"], r["backend"], r["variant"]) for r in records}
    shown = {v for v in variants if re.search(r"\| (%s/)?%s \|" % (v[1], re.escape(v[2])), text)}
    files = set().union(*(sources(*v) for v in shown or variants)) if since else set()
    since = [(name, changed & files) for name, changed in since if changed & files]
    if since:
        print("%s: %s: %d commit%s since %.10s to %s: %s" %
              (page, os.path.basename(path), len(since), "s" if len(since) > 1 else "", commit,
               ", ".join(sorted(set().union(*(changed for _, changed in since)))),
               ", ".join(name for name, _ in since)))


# ---- pages ---------------------------------------------------------------------------------


def measured_by(path, pooled):
    """The command line in the file's first line, as code, and what report says of the run."""
    run = first_run(path)
    said = output_of([program, "report", "--format=markdown", *pooled, "-"],
                     text_of(path)).splitlines()[0]
    said = re.sub(r"^- \S+: ", "", said)
    gpu, date = gpu_of(run).get("name"), run["started"]
    if gpu:
        tool, commit, _, rest = re.match(r"(.*?), (commit .*?), (on .*?): (.*)", said).groups()
        others = [part for part in rest.split("; ") if part != gpu]
        said = "%s, %s, %s: %s, %s" % (gpu, date, commit, tool, "; ".join(others))
    words = [re.sub(r".*[][*?].*", r"'\g<0>'", word) for word in argv_of(run)]
    return "`gpubench %s`\n\n%s\n\n" % (" ".join(words), said)


def table(command):
    """The text between the marks; ValueError if there is none."""
    allowed = COMMAND.fullmatch(command)
    if not allowed:
        raise ValueError("not a command for a table: " + command)
    pooled, path = allowed.groups()
    if not os.path.exists(path):
        return None, "Not measured yet.\n"
    differ = mixed(stored(path)[0])
    if differ:
        raise ValueError("%s mixes machines or commits: its runs differ in %s" %
                         (path, ", ".join(differ)))
    command = command.replace("gpubench", shlex.quote(program), 1)
    text = output_of(["bash", "-c", "set -o pipefail; " + command])
    text = re.sub(r"\Agpubench .*\n", "", text)
    text = re.sub(r"^## .*\n(.+\n)*\n?", "", text, flags=re.M)
    return path, measured_by(path, pooled.split() if pooled else []) + text.lstrip("\n")


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
    """The page with its tables replaced, and [(file, table)]; ValueError."""
    lines, shown, inside, seen = [], [], False, {}
    for number, line in enumerate(text.splitlines(True), 1):
        mark = re.fullmatch("<!-- (?:begin: (.*)|end) -->\n?", line)
        if mark and inside == bool(mark[1]):
            raise ValueError("%s:%d: a begin or an end without the other" % (page, number))
        if mark or not inside:
            lines.append(line)
        if mark:
            inside = bool(mark[1])
        if inside and mark:
            shown.append(table(mark[1]))
            lines.append(without_repetition(shown[-1][1], seen))
    if inside:
        raise ValueError("%s:%d: a begin or an end without the other" % (page, number))
    return "".join(lines), [(path, shown_text) for path, shown_text in shown if path]


def check(shown):
    """`shown` has the page, file and text of each table."""
    origins, seen = {}, set()
    for page, path, text in shown:
        list_commits(page, path, text)
        if path in seen:
            continue
        seen.add(path)
        find_contradictions(page, path)
        find_stale(page, path)
        run = first_run(path)
        if re.match(CPU_FOLDER, path):
            origins.setdefault(tuple(map(run["host"].get, CACHES)), path)
    if len(origins) > 1:
        fail("the tables of CPUs are of several machines: %s" %
             ", ".join("%s has %s" % (path, origin[0]) for origin, path in origins.items()))


def renewed(page, text, folder):
    """The page with the files of a new folder in its marks."""
    if re.match(CPU_FOLDER, folder):
        return re.sub(CPU_FOLDER, folder, text)

    def replace(mark):
        old, new = mark[2] + "/" + mark[3], folder + "/" + mark[3]
        if not os.path.exists(new) or not os.path.exists(old) or old == new:
            return mark[0]
        keys, has = ({record["key"] for record in stored(path)[1]} for path in (old, new))
        if keys - has:
            print("%s keeps %s: %s lacks %d of its %d points" %
                  (page, old, new, len(keys - has), len(keys)))
            return mark[0]
        return mark[1] + new

    gpu = re.sub(r"-[\d-]+$", "", folder)
    return re.sub(r"(?m)^(<!-- begin: .*?)(%s-[\d-]+)/([\w.-]+)" % re.escape(gpu), replace, text)


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__.strip())
        sys.exit()
    is_check = sys.argv[1:] == ["--check"]
    folder = None if is_check or not sys.argv[1:] else os.path.relpath(sys.argv[1], top)
    if folder and not (re.fullmatch(r"results/measured/[\w.-]+", folder) and
                       os.path.isdir(os.path.join(top, folder))):
        print("figures.py: %s is no folder in results/measured" % sys.argv[1], file=sys.stderr)
        sys.exit(2)
    os.chdir(top)
    shown = []
    for page in ["README.md", *sorted(glob.glob("docs/*.md"))]:
        old = text_of(page)
        try:
            new, tables = printed(page, renewed(page, old, folder) if folder else old)
        except (ValueError, subprocess.CalledProcessError) as error:
            fail(str(error))
            continue
        shown += [(page, *made) for made in tables]
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
    if is_check:
        check(shown)
    sys.exit(bool(failures))


top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
program = shutil.which(os.environ.get("GPUBENCH", "./gpubench"))
if not program:
    sys.exit("figures.py: there is no " + os.environ.get("GPUBENCH", "./gpubench"))
program = os.path.abspath(program)
main()
