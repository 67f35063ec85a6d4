#!/usr/bin/python3
"""recipes.py GPUBENCH SLOW -- tests the parts of scripts/ci/ that need no build server.

The gate runs on two builds as on GitHub; SLOW is slower at radix cpu/best.  Every script, target
and path in the files for servers must exist.
"""
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import yaml

top = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
recipes = os.path.join(top, "scripts", "ci")


def fail(*words):
    sys.exit("recipes: " + " ".join(map(str, words)))


def text_of(name):
    with open(os.path.join(recipes, name), encoding="utf-8") as file:
        return file.read()


# ---- the gate ------------------------------------------------------------------------------

def run_gate(status, arguments, **environment):
    with tempfile.TemporaryDirectory() as scratch:
        for name, program in (("base", sys.argv[1]), ("new", sys.argv[2])):
            os.mkdir(os.path.join(scratch, name))
            os.symlink(os.path.realpath(program), os.path.join(scratch, name, "gpubench"))
        environment = dict(os.environ, GATE=scratch + "/gate", BUILDS=scratch, LAUNCHES="4",
                           GPUBENCH_SLOW="2", GITHUB_ACTIONS="true",
                           GITHUB_STEP_SUMMARY=scratch + "/summary", **environment)
        done = subprocess.run([recipes + "/gate.sh", *arguments], cwd=top, env=environment,
                              capture_output=True, text=True, check=False)
        if done.returncode != status:
            fail("gate.sh", arguments, "exit status", done.returncode, done.stdout, done.stderr)
        made = {}
        for name in ("gate/gate.base.jsonl", "gate/gate.new.jsonl", "gate/junit.xml", "summary"):
            if os.path.exists(os.path.join(scratch, name)):
                with open(os.path.join(scratch, name), encoding="utf-8") as file:
                    made[name] = file.read()
        return done.stdout, made


measured = ["radix", "cpu/best", "--count=20k", "--threads=1", "--hot", "--samples=10"]
said, made = run_gate(1, ["HEAD", *measured])
runs = [made["gate/gate.%s.jsonl" % side].count('"type":"run"') for side in ("base", "new")]
if runs != [4, 4]:
    fail("launches:", runs)
if xml.fromstring(made["gate/junit.xml"]).get("failures") != "1":
    fail(made["gate/junit.xml"])
if ("| **slower** |" not in made["summary"]
        or not re.search("^::error title=gpubench slower::radix", said, re.M)):
    fail(made["summary"], said)
run_gate(2, ["HEAD", "radix", "no-such-variant"])
run_gate(2, [])


# ---- files for servers ---------------------------------------------------------------------

def check_commands(lines, where):
    """Scripts must exist and be executable, make targets must exist."""
    for line in lines:
        for script in re.findall(r"scripts/[\w./-]+", line):
            if not os.access(os.path.join(top, script), os.X_OK):
                fail(where, "names", script)
        for target in re.findall(r"\bmake (?:[^&;|\\\n]*\s)?([a-z-]+)\s*(?=&&|\\|$|;)", line):
            if subprocess.run(["make", "-n", target], cwd=top, capture_output=True,
                              check=False).returncode:
                fail(where, "names the target", target)


# Missing ones are found.
for wrong in ("scripts/ci/no-such.sh", "make clean && make no-such-target"):
    try:
        check_commands([wrong], "a test")
    except SystemExit:
        continue
    fail("a test does not find", wrong)


def check_results(paths, where):
    """The files kept are those that gate.sh writes."""
    folder = re.search(r"GATE:-([\w/]+)\}", text_of("gate.sh"))[1]
    kept = {os.path.basename(path) for path in paths}
    if ({os.path.dirname(path) for path in paths} != {folder}
            or not kept <= {"*.jsonl", "junit.xml"}):
        fail(where, "keeps", paths)


workflow = yaml.safe_load(text_of("github.yml"))
# YAML 1.1 reads `on` as true.
if set(workflow) != {"name", True, "permissions", "concurrency", "jobs"}:
    fail("github.yml:", list(workflow))
for job in workflow["jobs"].values():
    if "self-hosted" not in job["runs-on"] or job["timeout-minutes"] > 360:
        fail("github.yml:", job)
    for step in job["steps"]:
        if ("run" in step) == ("uses" in step) or "@v" not in step.get("uses", "@v"):
            fail("github.yml:", step)
        check_commands(step.get("run", "").splitlines(), "github.yml")
    check_results(job["steps"][-1]["with"]["path"].split(), "github.yml")

pipeline = yaml.safe_load(text_of("gitlab.yml"))
for name, job in pipeline.items():
    check_commands(job["script"], "gitlab.yml")
    check_results(job["artifacts"]["paths"] + [job["artifacts"]["reports"]["junit"]], "gitlab.yml")
    if (job["allow_failure"]["exit_codes"] != 6
            or job["rules"][0]["if"].count("merge_request_event") != 1):
        fail("gitlab.yml:", job)

print("recipes: the gate on two builds, two servers' files")
