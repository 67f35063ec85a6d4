#!/usr/bin/env python3
"""papers.py GPUBENCH >docs/papers.md -- checks each paper's claims against stored records, and
states where the variants in its tables differ from its text.

The records in results/measured/h100-2026-11-23 are of one machine; this script measures nothing.
"""
import glob
import json
import re
import shlex
import subprocess
import sys

PAPERS = ("radix", "bfs", "cbt", "octree", "lbvh")
FOLDER = "results/measured/h100-2026-11-23/"
RECORDS = FOLDER + "{papers,emulated}-%s*.jsonl"
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

Differences from the texts. [Exact counts](../results/counts.jsonl) of all CUDA variants show what
those between two variants cost.

| variants | difference |
| :--- | :--- |"""

# ---- the published variants ---------------------------------------------------------------------

# Variants and their differences.  {cpu,cuda} is either.
DIFFERENCES = (
    (("radix/cpu/split", "bfs/cpu/basic-queue", "bfs/cuda/basic", "cbt/cuda/serial"),
     "nothing"),
    (("radix/cuda/split",), "Blelloch's scan, in blocks of 512; the paper names none"),
    (("bfs/cuda/csr-paper",), "row pointers of 8 bytes"),
    (("bfs/cuda/ccam-paper",),
     "the printed kernel does not compile: rows are whole words, levels numbers, blocks without a "
     "vertex are not launched; `isCompleted` has no earlier distances and counts the new level"),
    (("bfs/cpu/basic", "bfs/cpu/ccam-paper"),
     "a thread takes whole rows, and of `ccam-paper` only the bits that are set"),
    (("bfs/cuda/basic-early", "bfs/cuda/csr-paper-early", "bfs/cuda/ccam-paper-early",
      "bfs/cpu/basic-early", "bfs/cpu/ccam-paper-early"),
     "stop once all vertices are reached"),
    (("cbt/cpu/serial", "cbt/cpu/descent", "cbt/cuda/descent"),
     "the place of the depth marker; the rule of merges; CPU: words of 64 bits, not 32; GPU: one "
     "atomic operation for a split or merge, not two"),
    (("cbt/{cpu,cuda}/libcbt",),
     "`descent`, but six (GPU: five) levels in one pass, as Dupuy's library"),
    (("octree/cuda/lock", "octree/cuda/lf"),
     "digits of keys, made before `insert`, lead a body down (the text has no rule); bodies at one "
     "place share a leaf; lanes take nodes together: `lf` on first need, `lock` as many as a split "
     "needs"),
    (("octree/cpu/lock", "octree/cpu/lf"),
     "as on the GPU, but nodes one by one; `lock`: a pause replaces the barrier"),
    (("lbvh/{cpu,cuda}/karras-bitonic",),
     "boxes start at the largest float, not at 10000; GPU: a separate word ends the refit, and "
     "later passes are launched and end at once; the paper's driver may skip them"),
    (("lbvh/{cpu,cuda}/karras-radix",), "radix sort"),
    (("lbvh/{cpu,cuda}/karras32",), "for Hippie: radix sort, refit in one pass"),
    (("lbvh/{cpu,cuda}/stack2", "lbvh/{cpu,cuda}/stack"),
     "`stack2`: one instance, the identity; `stack` is for Hippie"),
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
                                for names, _ in DIFFERENCES for name in names
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
        print("\n`gpubench repro all --from %s`: %d cells of an %s, %d cores; held: %s; not held: "
              "%d; undecided: %d." % (
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
    for names, text in DIFFERENCES:
        print("| %s | %s |" % (short(names), escaped(text)))


check_differences()
main()
