#!/usr/bin/env python3
"""papers.py GPUBENCH >docs/papers.md -- checks each paper's claims against stored records, and
states where the variants in its tables differ from its text, with the effect.

The records in results/measured/h100-2026-11-23 are of one machine; this script measures nothing.
"""
import functools
import glob
import json
import math
import re
import shlex
import subprocess
import sys

PAPERS = ("radix", "bfs", "cbt", "octree", "lbvh")
FOLDER = "results/measured/h100-2026-11-23/"
RECORDS = FOLDER + "{papers,emulated}-%s*.jsonl"
PATCH = "results/papers/cbt-text.patch"
VERDICTS = ("held", "not held", "undecided")

HEAD = """# The five papers

The claims of the five papers on an H100 with 16 cores of an Intel Xeon, by
[the records measured there](../results/measured/h100-2026-11-23) (`bfs:warp`: in the executor), and
how the variants differ [from the texts](#the-methods). `scripts/papers.py GPUBENCH` prints this
page, such a command the tables and all verdicts with reasons ([rules](manual.md#papers-tables)):

    gpubench repro radix --from results/measured/h100-2026-11-23/papers-radix*.jsonl

%s

| paper | tables | held | not held | undecided | not measured | cannot be tested |
| :--- | ---: | ---: | ---: | ---: | ---: | ---: |"""

METHODS = """
## The methods

Differences from the texts, and their effect by [exact counts](../results/counts.jsonl) of CUDA and
the records above:

| variants | difference | effect |
| :--- | :--- | :--- |"""

# ---- the published variants ---------------------------------------------------------------------

@functools.lru_cache(None)
def counts(key):
    """The exact counts of a key's kernels: [(kernel, {name: count})]."""
    with open("results/counts.jsonl", encoding="utf-8") as file:
        lines = [line for line in map(json.loads, file) if line.get("key") == key]
    return [(line["kernel"].partition("(")[0], line["counts"]) for line in lines
            if "launches" in line["counts"]] or sys.exit("papers.py: no counts of " + key)


def total(key, name="warp_instructions", kernels=""):
    """The sum of a count over the kernels whose name matches."""
    return sum(c.get(name, 0) for kernel, c in counts(key) if re.search(kernels, kernel))


def ratio(one, other, name="warp_instructions"):
    return total(one, name) / total(other, name)


@functools.lru_cache(None)
def records(name):
    with open(FOLDER + name + ".jsonl", encoding="utf-8") as file:
        return [line for line in map(json.loads, file) if "time" in line]


def measured(name, variant, **params):
    """The records of a variant in a file, the last of each key."""
    return list({line["key"]: line for line in records(name)
                 if "%s/%s" % (line["backend"], line["variant"]) == variant
                 and params.items() <= line["params"].items()}.values())


def split_effect():
    key = "radix/cuda/split count=65536"
    large, = measured("papers-radix", "cuda/split", count=200000000)
    return "%.0f %% of the instructions at 64Ki keys, %.0f %% of the time at 200M" % (
        100 * total(key, kernels="scan|add") / total(key),
        100 * large["phases"]["scan"]["median"] / large["time"]["median"])


def csr_effect():
    graph = measured("papers-bfs", "cpu/ccam", vertices=16384, p=0.05)[0]["metrics"]
    return "4 bytes save %.2f %% of the graph (16384 vertices, p = 5 %%)" % (
        400 * (graph["vertices"] + 1) / graph["csr16_bytes"])


def ccam_effect():
    key = "bfs/cuda/ccam-paper vertices=4096"
    graphs = measured("papers-bfs", "cpu/ccam", sources=1)
    if any(line["metrics"]["ccam_bytes"] != line["params"]["vertices"] ** 2 / 8 or
           line["params"]["vertices"] < 1024 for line in graphs):
        sys.exit("papers.py: rows or blocks of ccam-paper differ from the paper's")
    return ("`isCompleted` is %.2f %% of the instructions; the paper's graphs have such rows, and "
            "a vertex for each block" % (100 * total(key, kernels="look") / total(key)))


def early_effect():
    return "without, %.1f, %.1f and %.1f times the instructions (4096 vertices)" % tuple(
        ratio("bfs/cuda/%s vertices=4096" % name, "bfs/cuda/%s-early vertices=4096" % name)
        for name in ("basic", "csr-paper", "ccam-paper"))


def text_effect(part):
    """The share of an update's instructions, in per cent, that differ from those of the text, in
    the kernels whose name has the part.  The counts were made by

        git apply --include='scripts/*' results/papers/cbt-text.patch && make ptx
        scripts/counts.py ./gpubench-ptx --only 'cbt descent *' >results/papers/cbt-text.jsonl

    and, for the text, again with --include='cuda/*' and >>."""
    with open(PATCH.replace("patch", "jsonl"), encoding="utf-8") as file:
        lines = [line for line in map(json.loads, file) if "launches" in line.get("counts", ())]
    ours, text = lines[:len(lines) // 2], lines[len(lines) // 2:]
    if [line["kernel"] for line in ours] != [line["kernel"] for line in text]:
        sys.exit("papers.py: the two halves of the counts of the text are of unlike kernels")
    of = lambda some, name: sum(line["counts"]["warp_instructions"] for line in some
                                if name in line["kernel"])
    return 100 * (of(ours, part) - of(text, part)) / of(ours, "")


def descent_effect():
    # A sum of w bits crosses a border between words in w - gcd(w, word) of `word` cases.
    loads = [sum(1 + (w - math.gcd(w, word)) / word for w in range(1, 21)) for word in (64, 32)]
    shape = " fill=0.25 ids=sum frames=1"
    update, decode = ("cbt/cuda/descent op=%s" % op + shape for op in ("update", "decode"))
    atomics = [total(key, "classes.atomic_global", "update|decode") for key in (update, decode)]
    rule, marker = (text_effect(part) for part in ("update", "reduce"))
    return ("CPU: a descent to depth 20 loads %.1f words, of 32 bits %.1f; GPU: a second operation "
            "adds %.2f %% of the instructions of an update; the rule adds %.2f %%, the marker %.4f "
            "%% ([the text's](../%s): merges of single siblings lead other descents out of the "
            "heap)" % (
                *loads, 100 * (atomics[0] - atomics[1]) / total(update), rule, marker, PATCH))


def libcbt_effect():
    key = "cbt/cuda/%s op=reduce depth=20 fill=0.3"
    one, other = key % "descent", key % "libcbt"
    return "a reduction at depth 20 takes %d launches, not %d, and %.0f %% of the instructions" % (
        total(other, "launches"), total(one, "launches"), 100 * ratio(other, one))


def keys_effect(backend):
    shares = [100 * line["phases"]["keys"]["median"] / line["phases"]["insert"]["median"]
              for name in ("lock", "lf")
              for line in measured("papers-octree", "%s/%s" % (backend, name))]
    return "keys take %.0f to %.0f %% of `insert`'s time" % (min(shares), max(shares))


def insert_effect():
    tree, = measured("points", "cuda/lf", count=65536, dist="plummer")
    turns = [total("octree/cuda/%s count=65536" % name, "global_atomic.turns")
             for name in ("lock", "lf")]
    shared = sum(line["params"]["count"] - line["metrics"]["leaves"]
                 for line in measured("papers-octree", "cuda/lf"))
    return ("%s, with an older `lf` that prefetched them; %d shared leaves; one by one, %d nodes "
            "(65536 bodies) are as many turns; all atomics take %d (`lf`: %d)" % (
                keys_effect("cuda"), shared, tree["metrics"]["nodes"], *turns))


def cpu_insert_effect():
    pauses = [line["metrics"]["lock_spins"] / line["params"]["count"]
              for line in measured("papers-octree", "cpu/lock")]
    own = [line["threads"] / line["metrics"]["nodes"]
           for line in measured("papers-octree", "cpu/lf")]
    return ("16 threads: %s; %.3f to %.1f pauses per 1000 bodies; `lf` saves a node per thread at "
            "most, %.3f %% of all" % (
                keys_effect("cpu"), 1000 * min(pauses), 1000 * max(pauses), 100 * max(own)))


def passes_effect():
    idle = []
    for line in measured("papers-lbvh", "cuda/karras-bitonic"):
        share = 1 - line["metrics"]["refit_passes"] / 32
        idle.append(100 * share * line["phases"]["refit"]["median"] / line["time"]["median"])
    return "by the mean pass, idle ones take %.0f to %.0f %% of a build" % (min(idle), max(idle))


def atomics_of(depth, level, group=1):
    """Pairs of atomic operations for a level's sums, `group` at a time, in words of 64 bits."""
    width = group * (depth - level + 1)
    calls, period = 2 ** level // group, 64
    first = [(2 ** (level + 1) + k * width) % 64 for k in range(min(calls, period))]
    return sum(1 + (bit + width > 64) for bit in first) * calls // len(first)


def cpu_libcbt_effect(depth=20):
    all_levels = sum(atomics_of(depth, level) for level in range(depth))
    lowest = sum(atomics_of(depth, depth - k, 64 >> k) for k in range(2, 7))
    higher = sum(atomics_of(depth, level) for level in range(depth - 6))
    return "%s; CPU: %.0f %% of the atomic operations" % (
        libcbt_effect(), 100 * (lowest + higher) / all_levels)


def threads_effect():
    graph = measured("papers-bfs", "cpu/ccam", vertices=16384, p=0.05)[0]["metrics"]
    return "%.0f %% of the bits at p = 5 %%" % (100 * graph["edges"] / graph["vertices"] ** 2)


def radix_effect():
    key = "lbvh/cuda/%s scene=soup count=65536"
    return "%.0f %% of the instructions of `karras-bitonic`" % (
        100 * ratio(key % "karras-radix", key % "karras-bitonic"))


def hippie_effect():
    radix, one = ("lbvh/cuda/%s scene=soup count=65536" % name
                  for name in ("karras-radix", "karras32"))
    return "%d launches and %.0f %% of the instructions of `karras-radix`, which has %d" % (
        total(one, "launches"), 100 * ratio(one, radix), total(radix, "launches"))


def levels_effect():
    point = " op=trace scene=knot count=32768 rays=256"
    return "`stack2` has %.2f times the instructions of `stack`" % ratio(
        "lbvh/cuda/stack2" + point, "lbvh/cuda/stack" + point)


# Variants, their differences, and the effect.  {cpu,cuda} is either.
DIFFERENCES = (
    (("radix/cpu/split", "bfs/cpu/basic-queue", "bfs/cuda/basic", "cbt/cuda/serial"),
     "nothing", None),
    (("radix/cuda/split",), "Blelloch's scan, in blocks of 512; the paper names none",
     split_effect),
    (("bfs/cuda/csr-paper",), "row pointers of 8 bytes", csr_effect),
    (("bfs/cuda/ccam-paper",),
     "the printed kernel does not compile: rows are whole words, levels numbers, blocks without a "
     "vertex are not launched; `isCompleted` has no earlier distances and counts the new level",
     ccam_effect),
    (("bfs/cpu/basic", "bfs/cpu/ccam-paper"),
     "a thread takes whole rows, and of `ccam-paper` only the bits that are set", threads_effect),
    (("bfs/cuda/basic-early", "bfs/cuda/csr-paper-early", "bfs/cuda/ccam-paper-early",
      "bfs/cpu/basic-early", "bfs/cpu/ccam-paper-early"),
     "stop once all vertices are reached", early_effect),
    (("cbt/cpu/serial", "cbt/cpu/descent", "cbt/cuda/descent"),
     "the place of the depth marker; the rule of merges; CPU: words of 64 bits, not 32; GPU: one "
     "atomic operation for a split or merge, not two", descent_effect),
    (("cbt/{cpu,cuda}/libcbt",),
     "`descent`, but six (GPU: five) levels in one pass, as Dupuy's library", cpu_libcbt_effect),
    (("octree/cuda/lock", "octree/cuda/lf"),
     "digits of keys, made before `insert`, lead a body down (the text has no rule); bodies at one "
     "place share a leaf; lanes take nodes together: `lf` on first need, `lock` as many as a split "
     "needs", insert_effect),
    (("octree/cpu/lock", "octree/cpu/lf"),
     "as on the GPU, but nodes one by one; `lock`: a pause replaces the barrier",
     cpu_insert_effect),
    (("lbvh/{cpu,cuda}/karras-bitonic",),
     "boxes start at the largest float, not at 10000; GPU: a separate word ends the refit, and "
     "later passes are launched and end at once; the paper's driver may skip them", passes_effect),
    (("lbvh/{cpu,cuda}/karras-radix",), "radix sort", radix_effect),
    (("lbvh/{cpu,cuda}/karras32",), "for Hippie: radix sort, refit in one pass",
     hippie_effect),
    (("lbvh/{cpu,cuda}/stack2", "lbvh/{cpu,cuda}/stack"),
     "`stack2`: one instance, the identity; `stack` is for Hippie", levels_effect),
)
# Columns of these are counts of the input, or programs that are used as they are.
NOT_METHODS = ("bfs/cpu/ccam", "lbvh/cpu/embree", "lbvh/vulkan/driver-rt")


def described(paper):
    with open("results/papers/%s.json" % paper, encoding="utf-8") as file:
        return json.load(file)


def published():
    """The variants in the tables' own columns, and those that name a paper or Hippie."""
    for paper in PAPERS:
        yield from ("%s/%s" % (paper, column["variant"]) for table in described(paper)["tables"]
                    for column in table["columns"] if "variant" in column)
    for benchmark in json.loads(run("list", "--format=json"))["benchmarks"]:
        yield from ("%s/%s" % (benchmark["name"], variant["name"])
                    for variant in benchmark["variants"]
                    if re.search("paper|Hippie", variant["name"] + variant["summary"]))


def check_differences():
    """Each published variant has a line."""
    known = NOT_METHODS + tuple(name.replace("{cpu,cuda}", backend)
                                for names, _, _ in DIFFERENCES for name in names
                                for backend in ("cpu", "cuda"))
    for name in published():
        if name not in known:
            sys.exit("papers.py: how does %s differ from the text of its paper?" % name)


def short(names):
    """The names in code; the second of a back end only has its own name."""
    folders = [""] + [name.rpartition("/")[0] + "/" for name in names]
    return ", ".join("`%s`" % name[len(before) if name.startswith(before) else 0:]
                     for before, name in zip(folders, names))


def run(*arguments):
    command = "shopt -s nullglob; %s %s" % (shlex.quote(sys.argv[1]), " ".join(arguments))
    done = subprocess.run(["bash", "-c", command], check=True, capture_output=True, text=True)
    return done.stdout


def escaped(text):
    return re.sub(r"([|*_])", r"\\\1", text)


def named(paper, claim):
    """The claim's name, and the classes of GPU that it needs."""
    needs = {each["id"]: each.get("needs", {}) for each in described(paper)["claims"]}
    gpu = ", ".join(needs[claim["id"]].get("gpu", ()))
    return "`%s`%s" % (claim["id"], gpu and " (%s)" % gpu)


def is_lacking(claim):
    """True if only records are missing, of this machine or of one that the claim needs."""
    return claim["verdict"] not in VERDICTS and bool(
        re.search("was not measured|needs a GPU of class", claim["why"]))


def on_cpu():
    """Print what the newest records of a CPU fill (measure.sh, case papers), if there are any."""
    for path in sorted(glob.glob("results/measured/cpu-*/papers.jsonl"))[-1:]:
        with open(path, encoding="utf-8") as file:
            host = json.loads(file.readline())["host"]
        report = json.loads(run("repro", "all", "--from", path, "--format=json"))
        held = ", ".join("`%s`" % claim["id"] for claim in report["claims"]
                         if claim["verdict"] == "held")
        print("\n`gpubench repro all --from %s`: %d cells of an %s, %d cores; %s hold, %d claims "
              "do not, %d are undecided." % (
                  path, report["measured"], host["cpu"], host["cores"], held,
                  *(report[word] for word in ("not_held", "undecided"))))


def items():
    """A sentence on what the papers contain."""
    papers = [described(paper) for paper in PAPERS]
    printed = sum(value is not None for paper in papers for table in paper["tables"]
                  for row in table["rows"] for value, column in zip(row, table["columns"])
                  if column["role"] != "key")
    return ("All %d claims are below; what is not measured needs a GPU, of the class in brackets, "
            "or more time. `repro all` prints %d tables with %d published values, and %d facts "
            "that the papers lack." % (
                *(sum(len(paper[name]) for paper in papers) for name in ("claims", "tables")),
                printed, sum(len(paper["unstated"]) for paper in papers)))


def main():
    reports = {}
    print(HEAD % items())
    for paper in PAPERS:
        words = ("repro", paper, "--from", RECORDS % paper)
        reports[paper] = report = json.loads(run(*words, "--format=json"))
        lacking = sum(map(is_lacking, report["claims"]))
        print("| [%s](%s.md#the-paper) | %d | %d | %d | %d | %d | %d |" % (
            paper, paper, report["tables"], report["held"], report["not_held"],
            report["undecided"], lacking, report["untestable"] - lacking))
    on_cpu()
    for paper in PAPERS:
        print("\n## %s\n" % paper)
        claims = reports[paper]["claims"]
        for verdict in VERDICTS:
            for claim in claims:
                if claim["verdict"] == verdict:
                    said = [escaped(claim["text"])]
                    said += [escaped(claim["why"])] if verdict != "held" else []
                    print("- **%s** `%s`: %s" % (verdict, claim["id"], " Measured: ".join(said)))
        rest = [claim for claim in claims if claim["verdict"] not in VERDICTS]
        for word, lacking in (("not measured", True), ("cannot be tested", False)):
            some = [named(paper, claim) for claim in rest if is_lacking(claim) == lacking]
            if some:
                print("- **%s** %s" % (word, ", ".join(some)))
    print(METHODS)
    for names, text, effect in DIFFERENCES:
        print("| %s | %s | %s |" % (short(names), escaped(text), effect() if effect else ""))


check_differences()
main()
