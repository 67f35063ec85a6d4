#!/usr/bin/env python3
"""papers.py GPUBENCH >docs/papers.md -- checks each paper's claims against stored records.

The records in results/measured/h100-2026-11-23 are of one machine; this script measures nothing.
"""
import json
import re
import subprocess
import sys

PAPERS = ("radix", "bfs", "cbt", "octree", "lbvh")
RECORDS = "results/measured/h100-2026-11-23/papers-%s*.jsonl"
VERDICTS = ("held", "not held", "undecided", "cannot be tested here")

HEAD = """# The five papers

This page answers which claims of the five papers hold on an NVIDIA H100 with 16 cores of an \
Intel Xeon, by
[the records measured there](../results/measured/h100-2026-11-23). The 95 % intervals of the times
decide; `gpubench repro` says why a claim cannot be tested. `scripts/papers.py GPUBENCH` prints
this page.

To see every published table, digit by digit, beside the values measured here:

    gpubench repro radix --from results/measured/h100-2026-11-23/papers-radix*.jsonl
    gpubench repro radix:table1 --preset=quick        # or measure a table on this machine

[FORMAT.md](../results/papers/FORMAT.md) describes the files with the published tables. [The
manual](manual.md) describes how claims are tested.

| paper | source | tables | held | not held | undecided | cannot be tested |
| :--- | :--- | ---: | ---: | ---: | ---: | ---: |"""


def run(*arguments):
    command = "%s repro %s" % (sys.argv[1], " ".join(arguments))
    done = subprocess.run(["bash", "-c", command], check=True, capture_output=True, text=True)
    return done.stdout


def escaped(text):
    return re.sub(r"([|*_])", r"\\\1", text)


def main():
    reports = {}
    print(HEAD)
    for paper in PAPERS:
        words = (paper, "--from", RECORDS % paper)
        reports[paper] = report = json.loads(run(*words, "--format=json"))
        source = run(*words, "--format=markdown").split("\n")[2]
        print("| [%s](#%s) | %s | %d | %d | %d | %d | %d |" % (
            paper, paper, escaped(source), report["tables"], report["held"], report["not_held"],
            report["undecided"], report["untestable"]))
    for paper in PAPERS:
        print("\n## %s\n" % paper)
        claims = reports[paper]["claims"]
        for verdict in VERDICTS[:3]:
            for claim in claims:
                if claim["verdict"] == verdict:
                    said = [escaped(claim[name]) for name in ("text", "why") if claim[name]]
                    print("- **%s** `%s`: %s" % (verdict, claim["id"], " Measured: ".join(said)))
        left = [claim["id"] for claim in claims if claim["verdict"] == VERDICTS[3]]
        if left:
            print("- cannot be tested here: `%s`" % "`, `".join(left))


main()
