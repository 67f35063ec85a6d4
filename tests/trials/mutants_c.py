#!/usr/bin/env python3
"""mutants_c.py -- breaks the C code that judges, measures, stores and reports, one place at a time,
and counts how many of the mutants the tests detect; does the same for the emulator's engine.

usage: mutants_c.py --self-test
       mutants_c.py --rewrite harness|emulator FOLDER COMPILER FLAG...
       mutants_c.py FOLDER BUILD [--sample N] [--seed N] [--only GLOB,...] [--operator GLOB]
                    [--again] [--seconds N] [--budget N] [--jobs N] [--least N]

--rewrite copies the repository to FOLDER/tree and puts all mutants into the copy (schemata.py),
where one build contains them all; `make mutants-c` and `make mutants-simt` build it, in the folder
BUILD.  With sanitizers, their reports are failures, too; tests that fail with them are left out.

The last form first runs each test alone and notes which mutants it reaches (reached-*.jsonl).  Then
it runs the tests that reach a mutant, those that reach the fewest mutants first, until one fails or
hangs.  A mutant is undecided after --budget seconds.  A failure counts if it occurs twice.  Limits
of tests are processor seconds, so other work on the machine decides nothing (mutation.run).
Verdicts are kept in FOLDER/kept.jsonl and not tried again, except that --again tries those without
a reason that survived or are undecided.  --seconds ends a run early; the next one goes on from
there.

Tests run in a process namespace of their own (unshare), since a mutant may kill or start anything.
"""

import argparse
import concurrent.futures
import fnmatch
import glob
import json
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, "tests/simt")
import mutation
import schemata
import sweeps

# By kind: the files that are broken, the place of the switch, and the pattern of its tests' kinds.
PROFILES = {
    "harness": ([
        "cli/measuring/**/*.c", "cli/plugins/**/*.c", "cli/records/**/*.c", "cli/reports/**/*.c",
        "cli/workloads/**/*.c", "cli/commands/*.c", "common/*.c", "vulkan/**/*.c",
    ], "common/mutant.c"),
    "emulator": (["tests/simt/*.cc", "tests/cudart/*.cc"], "tests/cudart/mutant.cc"),
}
# Warnings are of no use here.  A system header has only those about functions of other headers.
HEADER = """#pragma GCC system_header
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC optimize("Og")
#include "tests/trials/mutant.h"
"""
# Tests of the whole program; %s is the folder of the build.
WHOLE = {
    "exchange": "/usr/bin/python3 tests/exchange.py %s/gpubench",
    "joins": "/usr/bin/python3 tests/joins.py %s/gpubench",
    "page": "tests/page.sh %s/gpubench",
    "papers": "tests/papers.sh %s/gpubench",
    "reading": "tests/reading.sh %s/gpubench",
    "signals": "tests/signals.py %s/gpubench",
    "memory": "tests/memory.sh %s/gpubench %s/nomemory.so",
    "vulkan": "tests/vulkan.sh %s/gpubench %s/recorder",
    "plugins": "/usr/bin/python3 tests/plugins.py %s/gpubench",
    "plots": "/usr/bin/python3 tests/plots.py %s/gpubench",
    "latex": "/usr/bin/python3 tests/latex.py %s/gpubench",
    "verdicts": "/usr/bin/python3 tests/verdicts.py %s/gpubench",
    "nosys": "tests/nosys.sh %s/gpubench %s/nosys.so",
}
LAVAPIPE = "build/lavapipe"
SIMT = "build/simt-test"
# Each file has numbers of its own, so that a change of one renews no object of another.
SLOT, NUMBERS = 1 << 10, 1 << 18
REPORTS = "/tmp/sanitizer"
# Criterion names shared memory and sockets by process numbers, which repeat in each namespace.
MOUNT = """for d in /dev/shm /tmp; do mount -t tmpfs -o size=2g none $d || exit; done
"$@" && ! ls %s.* >/dev/null 2>&1""" % REPORTS
# Root needs no namespace of users, in which tests could not become another one.
USERS = "--user --map-root-user" if os.geteuid() else ""
ALONE = ("unshare %s --pid --fork --kill-child --mount-proc sh -c" % USERS).split() + [MOUNT, "sh"]
LONGEST_S = 120
TOGETHER = ("unit", "cli", "fault")
BATCHES = [1, 3, 6, 12, 24]


# ---- the copy ------------------------------------------------------------------------------


def write_if_new(path, text):
    """True if the file was written because it had other contents."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == text:
                return False
    with open(path, "wb") as file:
        file.write(text)
    return True


def rewrite(profile, folder, command):
    """Copy the repository to FOLDER/tree with all mutants; list them in FOLDER/mutants.json."""
    globs, switch = PROFILES[profile]
    tree = os.path.join(folder, "tree")
    listed = subprocess.run(
        "git ls-files -z --cached --others --exclude-standard".split(), capture_output=True,
        check=True).stdout.decode().split("\0")
    paths = [p for p in listed if p and os.path.exists(p)]
    scope = sorted({p for g in globs for p in glob.glob(g, recursive=True)})
    headers, tests = False, set()
    for path in set(paths) - set(scope):
        with open(path, "rb") as file:
            text = file.read()
        new = write_if_new(os.path.join(tree, path), text)
        headers |= new and path.endswith((".h", ".def"))
        if new and path.startswith("tests/"):
            tests.update("unit:" + suite for suite in re.findall(
                r"^\w*Test\w*\((?:.*, )?(\w+), \w+", text.decode(errors="replace"), re.M))
            tests.add("cli:" + os.path.basename(path).split(".")[0])
        shutil.copymode(path, os.path.join(tree, path))
    with open("tests/trials/mutant.c", "rb") as file:
        write_if_new(os.path.join(tree, switch), file.read())
    if os.path.exists(LAVAPIPE) and not os.path.exists(os.path.join(tree, LAVAPIPE)):
        os.makedirs(os.path.join(tree, "build"), exist_ok=True)
        os.symlink(os.path.abspath(LAVAPIPE), os.path.join(tree, LAVAPIPE))

    listing = os.path.join(folder, "mutants.json")
    made_s, old = 0, {}
    if os.path.exists(listing):
        made_s = os.path.getmtime(listing)
        with open(listing) as file:
            for m in json.load(file):
                old.setdefault(m["file"], []).append(m)
    changed = set()

    def mutants_of(slot, path):
        """Write the file with its mutants, unless it has them already."""
        place, new = os.path.join(tree, path), os.path.join(tree, path + ".mutants")
        scratch = os.path.join(folder, path.replace("/", "-"))
        with open(path) as file:
            text = file.read()
        # The Makefile searches the text of the original.
        whole = ('#include "%s.mutants" /* %d */\n#if 0\n%s#endif\n' % (
            path, slot, text)).encode()
        if os.path.exists(new) and max(map(os.path.getmtime, [
                new, schemata.__file__])) < made_s and not write_if_new(place, whole):
            if headers:  # which the compiler does not list for a system header
                os.utime(new)
            return old.get(path, [])
        source = schemata.rewrite(text, HEADER, scratch, command)
        os.remove(scratch)
        if len(source.sites) > SLOT or slot * SLOT >= NUMBERS:
            sys.exit("%s: more mutants than numbers" % path)
        if write_if_new(new, (HEADER + source.write(slot * SLOT)[0]).encode()):
            changed.add(slot)
        elif headers:
            os.utime(new)
        write_if_new(place, whole)
        return [{"number": site.number, "file": path, "operator": site.operator,
                 "line": site.line, "change": source.describe(site)} for site in source.sites]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        mutants = sum(pool.map(mutants_of, range(len(scope)), scope), [])
    seen = {}
    for m in mutants:
        name = "%s: %s: %s" % (m["file"], m["operator"], m["change"])
        seen[name] = seen.get(name, 0) + 1
        m["name"] = name + (" (%d)" % seen[name] if seen[name] > 1 else "")
    with open(listing, "w") as file:
        json.dump(mutants, file, indent=0)
    for path in glob.glob(folder + "/reached-*.jsonl"):
        renew_reached(path, changed, mutants, tests)
    print("%d mutants in %d files" % (len(mutants), len(scope)))


def renew_reached(path, changed, mutants, new):
    """A test that reached mutants of a changed file may reach all that the file has now.  Tests of
    new files are measured again."""
    tests = mutation.read_kept(path)
    os.remove(path)
    for name, test in tests.items():
        if name.split("/")[0] in new:
            continue
        slots = {n // SLOT for n in test["reached"]} & changed
        test["reached"] = [n for n in test["reached"] if n // SLOT not in changed] + [
            m["number"] for m in mutants if slots and m["number"] // SLOT in slots]
        mutation.keep(path, name, test)


# ---- tests ---------------------------------------------------------------------------------


def list_tests(tree, build):
    """Names of all tests, KIND:NAME."""
    if os.path.exists(os.path.join(tree, SIMT)):
        faults = subprocess.run([os.path.join(tree, SIMT, "plain/faults"), "--list"],
                                capture_output=True, text=True, check=True).stdout
        yield from ("fault:" + line.split()[0] for line in faults.splitlines())
        for kind in ("plain", "check", "asan"):
            yield "selftest:" + kind
            yield from ("drive:%s %s" % (kind, name) for name in sweeps.workloads())
        return
    listing = subprocess.run([os.path.join(tree, build, "unit"), "--list"], capture_output=True,
                             text=True, check=True).stdout
    suite = None
    for line in listing.splitlines():
        heading = re.match(r"(\w+): \d+ tests?", line)
        if heading:
            suite = heading[1]
        else:
            yield "unit:%s/%s" % (suite, line.split()[-1])
    golden = os.path.join(tree, "tests/golden")
    for path in sorted(glob.glob(os.path.join(golden, "cases/*.sh"))):
        yield "cli:" + os.path.basename(path)[:-3]
    with open(os.path.join(golden, "messages.txt")) as file:
        for name in re.findall(r"^([a-z]\w*)", file.read(), re.MULTILINE):
            yield "cli:" + name
    for name in WHOLE:
        yield "whole:" + name


def command_for(build, kind, names):
    """The command that runs tests of one kind, and settings."""
    if kind == "unit":
        return [build + "/unit", "-j1", "--fail-fast", "--filter", "@(%s)" % "|".join(names)], {}
    if kind == "cli":
        return ["tests/golden/run.sh", build + "/gpubench"], {"ONLY": " ".join(names), "JOBS": "1"}
    if kind == "fault":
        return ["/usr/bin/python3", "tests/simt/faults.py", SIMT] + names, {}
    if kind == "selftest":
        return [os.path.join(SIMT, names[0], "selftest"), "2"], {}
    if kind == "drive":
        way, workload = names[0].split()
        return [os.path.join(SIMT, way, "drive")] + sweeps.lines("small", workload), {}
    return shlex.split(WHOLE[names[0]].replace("%s", build)), {}


def yield_memory():
    """If a mutant takes all memory, it ends, and nothing else.  Its files are in a tmpfs.  A limit
    would change what dry runs say."""
    mutation.end_with_parent()
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def execute(tree, build, kind, names, limit_s, settings):
    """None if all tests pass, else how they failed, and the processor seconds they took."""
    command, more = command_for(build, kind, names)
    # New memory holds what no test expects, and free() ends a program that wrote beyond it, as with
    # sanitizers.
    env = dict(os.environ, GOMP_SPINCOUNT="2000", GPUBENCH_COPY="16Mi", TMPDIR="/tmp",
               FAIL_FAST="1",
               GLIBC_TUNABLES="glibc.malloc.perturb=85:glibc.malloc.tcache_count=0:"
                              "glibc.malloc.check=3",
               ASAN_OPTIONS="intercept_tls_get_addr=0:log_path=" + REPORTS,
               UBSAN_OPTIONS="log_path=" + REPORTS,
               LSAN_OPTIONS="suppressions=%s/tests/lsan.supp:print_suppressions=0" % os.getcwd(),
               **more, **settings)
    if "asan" not in build:
        env["LD_PRELOAD"] = "libc_malloc_debug.so.0"
    driver = os.path.abspath(os.path.join(tree, LAVAPIPE, "lvp_icd.json"))
    if os.path.exists(driver):
        env.update(VK_DRIVER_FILES=driver, VK_ICD_FILENAMES=driver)
    status, seconds = mutation.run(
        ALONE + command, limit_s, cwd=tree, env=env, prepare=yield_memory,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return ("hang" if status is None else "failed" if status else None), seconds


class Coverage:
    """Which mutants each test reaches, and its seconds; FOLDER/reached-*.jsonl."""

    def __init__(self, folder, build):
        self.tree, self.folder, self.build = os.path.join(folder, "tree"), folder, build
        self.path = os.path.join(folder, "reached-%s.jsonl" % os.path.basename(build))
        self.tests = mutation.read_kept(self.path)

    def measure(self, name):
        kind, _, test = name.partition(":")
        for _ in range(2):  # the first failure may be that of a busy machine
            with tempfile.NamedTemporaryFile(prefix="reached-", dir=self.folder) as file:
                file.truncate(NUMBERS)
                settings = {"MUTANTS_REACHED": os.path.abspath(file.name)}
                symptom, seconds = execute(self.tree, self.build, kind, [test], LONGEST_S, settings)
                with open(file.name, "rb") as reached:
                    hits = [hit.start() for hit in re.finditer(b"\1", reached.read())]
            if not symptom:
                break
        return {"seconds": round(seconds, 3), "symptom": symptom, "reached": hits}

    def complete(self, jobs, deadline, numbers):
        """Measure the tests that are new; those that were measured in another build only if they
        reach one of these mutants there.  Forget those that are gone, which would fail.  Return
        False if time ran out."""
        names, other = set(list_tests(self.tree, self.build)), {}
        self.tests = {name: test for name, test in self.tests.items() if name in names}
        for path in set(glob.glob(self.folder + "/reached-*.jsonl")) - {self.path}:
            other.update(mutation.read_kept(path))
        missing = [name for name in sorted(names) if name not in self.tests
                   and (name not in other or not numbers.isdisjoint(other[name]["reached"]))]

        def one(name):
            if time.monotonic() < deadline:
                self.tests[name] = self.measure(name)
                mutation.keep(self.path, name, self.tests[name])

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, missing))
        left = sum(name not in self.tests for name in missing)
        if missing:
            print("%d tests measured, %d left" % (len(missing) - left, left))
        return left == 0

    def invert(self):
        """tests[n]: those that reach mutant n, the most specific and fastest first."""
        for name, test in sorted(self.tests.items()):
            if test["symptom"]:
                print("not used: %s: %s without a mutant" % (name, test["symptom"]))
        usable = [(t["seconds"] * len(t["reached"]), name, t)
                  for name, t in self.tests.items() if not t["symptom"]]
        found = {}
        for _, name, test in sorted(usable, key=lambda row: row[:2]):
            for number in test["reached"]:
                found.setdefault(number, []).append(name)
        return found


def batches(names):
    """Group tests of one kind that follow each other: few at first, then more at a time."""
    at, step = 0, 0
    while at < len(names):
        size = BATCHES[min(step, len(BATCHES) - 1)]
        by_kind = {}
        for name in names[at : at + size]:
            kind, _, test = name.partition(":")
            by_kind.setdefault(kind, []).append(test)
        for kind, tests in by_kind.items():
            for some in [tests] if kind in TOGETHER else [[t] for t in tests]:
                yield kind, some
        at, step = at + size, step + 1


def try_mutant(coverage, number, names, budget_s):
    """The first test that fails twice, and how; None if all pass, False if time ran out."""
    spent_s = 0
    for kind, tests in batches(names):
        if spent_s > budget_s:
            return False
        usual = sum(coverage.tests[kind + ":" + t]["seconds"] for t in tests)
        for _ in range(2):
            symptom, seconds = execute(
                coverage.tree, coverage.build, kind, tests, 10 + 5 * usual,
                {"MUTANT": str(number)})
            spent_s += seconds
            if symptom != "failed":
                break
        if symptom:
            more = ", ..." if len(tests) > 1 else ""
            return [kind + ":" + tests[0] + more, symptom]
    return None


WORDS = ["found", "explained", "survived", "unreached", "undecided"]


def word_for(mutant, verdict, tests_of, reasons):
    """One of WORDS."""
    if verdict:
        return "found"
    if reasons.of(mutant["file"], mutant["operator"], mutant["line"]):
        return "explained"
    if verdict is False:
        return "undecided"
    return "survived" if mutant["number"] in tests_of else "unreached"


# A program with what is hard to rewrite.
SAMPLE = r"""
#include <stdio.h>
struct pair { int a, b; };
#define EACH(i, n) for (int i = 0; i < (n); i++)
static int zero(void) { return 0; }
static struct pair both(int a, int *b)
{
	return (struct pair){ a, -*b };
}
static int sum(const int *of, int count, int *end)
{
	int result = 0, *at = end ? end : &result, last[2] = { 0 };

#ifdef NEVER
	result = 5 / 7;
#endif
	EACH(i, count)
		if (of[i] == 3)
			result += 2 * i + !of[i - 1];
		else
			result -= of[i] << 1;
	for (;;) {
		last[1] = (int)*at;
		if (!last[0] && !zero())
			break;
	}
	switch (count & 3) {
	case 2 + 1:
		result *= 3;
		break;
	default:
		result = 0;
	}
	return both(result, last + 1).b ? result - last[1] : -1;
}
int main(void)
{
	const int of[] = { 1, 0, 3 };
	int end = 7;

	printf("%d %d\n", sum(of, 3, &end), (int)(sizeof(int[2]) + sizeof of[2]));
	return 0;
}
"""

# Places where two operators would only waste memory, or matter only without memory.
MEMORY = """
void release(void **list, int count)
{
	for (int i = 0; i < count; i++)
		free(list[i]);
	for (int i = 0; i < count; i++) {
		release(list[i]);
	}
	if (!list || !count) {
		gb_out_of_memory();
	}
}
"""
SPARED = {"constant off by one", "|| is &&"}
BISECTION = """
int middle(int low, int high)
{
	return low + (high - low) / 2;
}
"""


# A command, limits on its processor time and on idleness in seconds, and its status.
LIMITS = [
    ("exit 3", 9, 9, 3),
    ("while :; do :; done", 0.3, 9, None),
    ("(while :; do :; done) & wait", 0.3, 9, None),
    ("sleep 9", 9, 0.5, None),
    (": >%s.1" % REPORTS, 9, 9, 1),
]


def output_of(program, mutant=None):
    """The output of the self-test's program, or how it ends."""
    env = {} if mutant is None else {"MUTANT": str(mutant)}
    try:
        done = subprocess.run([program], env=env, capture_output=True, text=True, timeout=1)
    except subprocess.TimeoutExpired:
        return "hang"
    return done.stdout if not done.returncode else "status %d" % done.returncode


def self_test():
    """Each mutant of a sample behaves like the sample with the same change in its text."""
    failed = changed = 0
    with tempfile.TemporaryDirectory() as folder:
        def compiled(name, text, *more):
            path = os.path.join(folder, name)
            with open(path + ".c", "w") as file:
                file.write(text)
            subprocess.run(["gcc", "-I.", "-w", "-o", path, path + ".c", *more], check=True)
            return path

        source = schemata.rewrite(SAMPLE, HEADER, os.path.join(folder, "new.c"), ["gcc", "-I."])
        program = compiled("all", HEADER + source.write(0)[0], "tests/trials/mutant.c")
        right = output_of(compiled("right", SAMPLE))
        failed += output_of(program) != right
        failed += any(site.line == "result = 5 / 7;" for site in source.sites)
        for site in source.sites:
            want = output_of(compiled("one", source.changed(site)))
            got = output_of(program, site.number)
            changed += got != right
            if got != want:
                failed += 1
                print("self-test: %s: %s: %r, not %r" % (
                    site.operator, source.describe(site), got, want))
    failed += (changed, len(source.sites)) != (41, 47)
    for text, spared in (
            (MEMORY, SPARED), (re.sub("free|gb_out_of_memory", "use", MEMORY), set()),
            (BISECTION, SPARED), (BISECTION.replace("- low", "- 1 - low"), {"|| is &&"}),
            (BISECTION.replace("low +", "high +"), SPARED - {"constant off by one"})):
        failed += SPARED - {s.operator for s in schemata.Source(text).sites} != spared
    print("self-test: %d of %d mutants change the result" % (changed, len(source.sites)))
    for words, limit_s, idle_s, want in LIMITS:
        got, seconds = mutation.run(ALONE + ["sh", "-c", words], limit_s, idle_s)
        if got != want or seconds > limit_s + 1:
            failed += 1
            print("self-test: %s: %s after %g s, not %s" % (words, got, seconds, want))
    print("%d passed, %d failed" % (len(source.sites) + 7 + len(LIMITS) - failed, failed))
    return failed != 0


def main():
    if sys.argv[1:2] == ["--self-test"]:
        return self_test()
    if sys.argv[1:2] == ["--rewrite"]:
        rewrite(sys.argv[2], sys.argv[3], sys.argv[4:])
        return 0
    parser = argparse.ArgumentParser(description="mutation test of the harness")
    parser.add_argument("folder", help="copy that `make mutants-c` made")
    parser.add_argument("build", help="folder of its build, below FOLDER/tree")
    parser.add_argument("--sample", type=int, default=300, help="mutants, evenly spread (0: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="*",
                        help="mutants of files that match one of some globs (A,B)")
    parser.add_argument("--operator", default="*", help="only mutants that match")
    parser.add_argument("--again", action="store_true", help="try survivors again")
    parser.add_argument("--seconds", type=float, default=1e9, help="time for this run")
    parser.add_argument("--budget", type=float, default=300,
                        help="processor seconds for each mutant")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--least", type=int, default=95,
                        help="required share of mutants found or explained, in percent")
    options = parser.parse_args()
    deadline = time.monotonic() + options.seconds
    with open(os.path.join(options.folder, "mutants.json")) as file:
        mutants = json.load(file)
    only = options.only.split(",")
    matching = [m for m in mutants if any(fnmatch.fnmatch(m["file"], glob) for glob in only)
                and fnmatch.fnmatch(m["operator"], options.operator)]
    draw = random.Random(options.seed)
    parts = min(options.sample or len(matching), len(matching))
    chosen = [matching[int((k + draw.random()) * len(matching) / parts)] for k in range(parts)]
    draw.shuffle(chosen)
    path = os.path.join(options.folder, "kept.jsonl")
    kept = mutation.read_kept(path)
    reasons = mutation.Reasons()
    due = [m for m in chosen if m["name"] not in kept or options.again and not kept[m["name"]]
           and not reasons.of(m["file"], m["operator"], m["line"])]
    coverage = Coverage(options.folder, options.build)
    if not coverage.complete(options.jobs, deadline, {m["number"] for m in due}):
        return 0
    tests_of = coverage.invert()
    lock = threading.Lock()

    def one(m):
        if time.monotonic() > deadline:
            return
        found = try_mutant(coverage, m["number"], tests_of.get(m["number"], []), options.budget)
        with lock:
            kept[m["name"]] = found
            mutation.keep(path, m["name"], found)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, due))
    tried = [m for m in chosen if m["name"] in kept]
    rows = {}
    for m in sorted(tried, key=lambda m: m["number"]):
        word = word_for(m, kept[m["name"]], tests_of, reasons)
        for folder in (os.path.dirname(m["file"]), "all"):
            rows.setdefault(folder, dict.fromkeys(WORDS, 0))[word] += 1
        if word not in WORDS[:2]:
            print("%s %s\n\t%s: %s" % (word.upper(), m["name"], m["operator"], m["line"]))
    for folder, row in rows.items():
        print("%-24s %s" % (folder, ", ".join("%d %s" % (row[w], w) for w in WORDS if row[w])))
    print("%d of %d chosen mutants were tried" % (len(tried), len(chosen)))
    good = sum(rows["all"][word] for word in WORDS[:2]) if rows else 0
    share = mutation.share_of(good, len(tried) - good, len(mutants))
    return share < options.least


if __name__ == "__main__":
    sys.exit(main())
