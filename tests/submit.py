#!/usr/bin/python3
"""submit.py GPUBENCH -- tests scripts/submit.py: every stored folder passes, each planted fault is
named, and a program that copies stored records stands for gpubench on a GPU.
"""
import json
import os
import subprocess
import sys
import tempfile

top = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
program = os.path.realpath(sys.argv[1])
stored = os.path.join(top, "results/measured")
POINTS = os.path.join(stored, "h100-2026-11-23/points.jsonl")
# It is asked for the environment, for each point, and for a report.
FAKE = """#!/bin/sh
case $1 in
env) echo '%%s' ;;
report) exec '%s' "$@" ;;
*)
	echo "$@"
	for word; do case $word in --output=*) cp '%s' "${word#*=}" ;; esac; done
	exit %%d
	;;
esac
""" % (program, POINTS)


def run(status, wanted, *arguments, gpubench=program, cwd=top):
    """Run submit.py; fail if its status or its output differs."""
    said = subprocess.run([os.path.join(top, "scripts/submit.py"), *arguments], cwd=cwd, text=True,
                          env=dict(os.environ, GPUBENCH=gpubench), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if said.returncode != status or wanted not in said.stdout:
        sys.exit("submit: %s: status %d, not %d with %r:\n%s" %
                 (" ".join(arguments), said.returncode, status, wanted, said.stdout))
    return said.stdout


run(0, "", "--check", *(entry.path for entry in os.scandir(stored) if entry.is_dir()))
run(2, "usage", "--preset=ci")

with tempfile.TemporaryDirectory() as scratch:
    with open(POINTS, encoding="utf-8") as file:
        lines = file.readlines()[:2]

    def planted(wanted, change):
        """A run and a record, altered by change(run, record), must fail; not if they are marked."""
        run_line, record = map(json.loads, lines)
        change(run_line, record)
        with open(scratch + "/a.jsonl", "w", encoding="utf-8") as out:
            out.write(json.dumps(run_line) + "\n" + json.dumps(record) + "\n")
        run(1, wanted, "--check", scratch)
        with open(scratch + "/README.md", "w", encoding="utf-8") as out:
            out.write("`%s` of `%s`" % (record["key"], run_line["run_id"]))
        run(0, "", "--check", scratch)
        os.remove(scratch + "/README.md")

    run(1, "no *.jsonl", "--check", scratch)
    planted("built from changed files", lambda run, record: run["tool"].update(dirty=True))
    planted("built from changed files", lambda run, record: run["tool"].pop("commit"))
    planted("doubtful: None", lambda run, record: record.update(status="doubtful"))
    planted("the clock was lowered in samples that count",
            lambda run, record: record["gpu_state"].update(throttled_samples=11))
    with open(scratch + "/a.jsonl", "w", encoding="utf-8") as out:
        out.write(lines[0] + lines[1].replace('"schema":2', '"schema":9'))
    run(1, "has schema 9", "--check", scratch)

    def fake(here, status=0):
        path = scratch + "/gpubench"
        with open(path, "w", encoding="utf-8") as out:
            out.write(FAKE % (json.dumps(here), status))
        os.chmod(path, 0o755)
        return path

    here = {"tool": {"dirty": False}, "gpus": [{"name": "NVIDIA H100 PCIe"}]}
    run(3, "there is no GPU to measure: why", gpubench=fake({"cuda_absent": "why"}))
    run(3, "it is emulated", gpubench=fake({"gpus": [{"emulated": True}]}))
    run(2, "commit them", gpubench=fake(dict(here, tool={"dirty": True})))
    run(4, "gpubench ended with status 4", gpubench=fake(here, 4), cwd=scratch)
    os.rename(scratch + "/results", scratch + "/old")
    said = run(0, "open a pull request", gpubench=fake(here), cwd=scratch)
    if "results/measured/h100-pcie-20" not in said or "stream --count=16777216 " not in said:
        sys.exit("submit: " + said)
print("submit: stored folders, planted faults, a GPU that is a copy")
