#!/usr/bin/env python3
"""papers.py GPUBENCH >docs/papers.md -- checks each paper's claims against stored records.

The records in results/measured/h100-2026-11-23 are of one machine; this script measures nothing.
"""
import json
import re
import shlex
import subprocess
import sys

PAPERS = ("radix", "bfs", "cbt", "octree", "lbvh")
RECORDS = "results/measured/h100-2026-11-23/papers-%s*.jsonl"
VERDICTS = ("held", "not held", "undecided")

HEAD = """# The five papers

This page shows which claims of the five papers hold on an NVIDIA H100 with 16 cores of an Intel
Xeon, by [the records measured there](../results/measured/h100-2026-11-23).
[The manual](manual.md#papers-tables) says how claims are tested. `scripts/papers.py GPUBENCH`
prints this page. These commands print every published table beside the values measured, and why a
claim cannot be tested:

    gpubench repro radix --from results/measured/h100-2026-11-23/papers-radix*.jsonl
    gpubench repro radix:table1 --preset=quick        # or measure a table on this machine

| paper | source | tables | held | not held | undecided | cannot be tested |
| :--- | :--- | ---: | ---: | ---: | ---: | ---: |"""


def run(*arguments):
    command = "%s repro %s" % (shlex.quote(sys.argv[1]), " ".join(arguments))
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
        for verdict in VERDICTS:
            for claim in claims:
                if claim["verdict"] == verdict:
                    said = [escaped(claim[name]) for name in ("text", "why") if claim[name]]
                    print("- **%s** `%s`: %s" % (verdict, claim["id"], " Measured: ".join(said)))


main()
