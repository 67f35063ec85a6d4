#!/usr/bin/python3
"""recipes.py GPUBENCH -- tests the parts of scripts/ci/ that need no build server.

The gates run on two builds as on GitHub.  Programs that only write records stand for the builds and
for the PTX executor.  Every script in the files for servers must exist.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

top = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
recipes = os.path.join(top, "scripts", "ci")


def fail(*words):
    sys.exit("recipes: " + " ".join(map(str, words)))


def text_of(name):
    with open(os.path.join(recipes, name), encoding="utf-8") as file:
        return file.read()


# ---- the gate ------------------------------------------------------------------------------

MADE = ("gate/gate.base.jsonl", "gate/gate.new.jsonl", "gate/junit.xml", "gate/comment.md",
        "summary")


def run_recipe(status, script, arguments, programs, name="gpubench", **more):
    """Run it on two builds, programs: paths or the text of scripts.  Its output and files."""
    with tempfile.TemporaryDirectory() as scratch:
        for side, program in zip(("base", "new"), programs):
            os.mkdir(os.path.join(scratch, side))
            path = os.path.join(scratch, side, name)
            if os.path.exists(program):
                os.symlink(os.path.realpath(program), path)
                continue
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            os.chmod(path, 0o755)
        environment = {**os.environ, "GATE": scratch + "/gate", "BUILDS": scratch, "REPETITIONS": "4",
                       "GITHUB_ACTIONS": "true",
                       "GITHUB_STEP_SUMMARY": scratch + "/summary", **more}
        done = subprocess.run([os.path.join(recipes, script), *arguments], cwd=top, env=environment,
                              capture_output=True, text=True, check=False)
        if done.returncode != status:
            fail(script, arguments, "exit status", done.returncode, done.stdout, done.stderr)
        made = {}
        for path in MADE:
            if os.path.exists(os.path.join(scratch, path)):
                with open(os.path.join(scratch, path), encoding="utf-8") as file:
                    made[path] = file.read()
        return done.stdout, made


def check_reports(said, made):
    if xml.fromstring(made["gate/junit.xml"]).get("failures") != "1":
        fail(made["gate/junit.xml"])
    if (not made["gate/comment.md"].startswith("### gpubench: slower or failed\n\n")
            or "| **slower** |" not in made["gate/comment.md"]
            or made["summary"] != made["gate/comment.md"]
            or not re.search("^::error title=gpubench slower::radix", said, re.M)):
        fail(made, said)


def fake(us):
    """A build whose radix cpu/best takes so long."""
    with open(os.path.join(top, "tests", "planted", "repetition.sh"), encoding="utf-8") as file:
        script = file.read()
    return script.replace("#!/bin/sh", "#!/bin/sh\n[ $1 != ab ] || exec \"%s\" \"$@\"\n"
                          "echo radix/cpu/best ok %d000 >$0.keys"
                          % (os.path.realpath(sys.argv[1]), us), 1)


measured = ["radix", "cpu/best", "--count=20k"]
said, made = run_recipe(1, "gate.sh", ["HEAD", *measured], (fake(1000), fake(1200)))
runs = [made["gate/gate.%s.jsonl" % side].count('"type":"run"') for side in ("base", "new")]
if runs != [4, 4]:
    fail("repetitions:", runs)
check_reports(said, made)
run_recipe(2, "gate.sh", ["HEAD", "radix", "no-such-variant"], sys.argv[1:2] * 2)
run_recipe(2, "gate.sh", ["no-such-commit"], sys.argv[1:2] * 2, BUILDS="")
# Every status of `ab` is that of the recipe.
for status in (0, 1, 2, 3, 4, 5, 6, 130):
    fake = "#!/bin/sh\nexit %d\n" % status
    run_recipe(status, "gate.sh", ["HEAD"], (fake, fake))

# ---- counts ----------------------------------------------------------------------------------


def counting(sectors, status=0):
    """A program that measures nothing: it writes a record with counts."""
    lines = made["gate/gate.base.jsonl"].splitlines()[:2]
    record = json.loads(lines[1])
    kernel = {"kernel": "k", "launches": 1, "global_load": {"sectors": sectors}}
    record["counts"] = {"launches": 1, "global_load": {"sectors": sectors}, "kernels": [kernel]}
    record["emulated"] = True
    lines[0] = lines[0].replace('"run_id":"', '"run_id":"%d' % sectors)
    record["run_id"] = "%d%s" % (sectors, record["run_id"])
    return """#!/bin/bash
if [[ $1 == compare ]]; then exec "%s" "$@"; fi
[[ $* != "radix onesweep cub --type=u64 --count=1048576 "* ]] || touch "$0.first"
[[ -e $0.first ]] || exit 2
for word; do
	case $word in
	--output=*) cat >"${word#*=}" <<'END'
%s
%s
END
	esac
done
[[ $GPUBENCH_PTX_SMS == 132 ]] && exit %d
""" % (os.path.realpath(sys.argv[1]), lines[0], json.dumps(record), status)


for status, growth, sectors in ((0, "1", 1010), (1, "1", 1011), (0, "2", 1011)):
    said, files = run_recipe(status, "counts.sh", ["HEAD"], (counting(1000), counting(sectors)),
                             "gpubench-ptx", GROWTH=growth)
    errors = re.findall(r"^::error title=gpubench slower::radix.*load\.sectors", said, re.M)
    xml_failures = xml.fromstring(files["gate/junit.xml"]).get("failures")
    if (len(errors), xml_failures) != (status, str(status)):
        fail(files, said)
run_recipe(4, "counts.sh", ["HEAD"], (counting(1000, 4), counting(1000)), "gpubench-ptx")

# ---- files for servers ---------------------------------------------------------------------

for script in re.findall(r"scripts/[\w./-]+\.sh", text_of("github.yml")):
    if not os.access(os.path.join(top, script), os.X_OK):
        fail("github.yml names", script)

# ---- first contact ---------------------------------------------------------------------------

# The program prints what a command would measure: a wrong option or word has status 2.  `check` of
# a variant without a GPU has status 6.
DRY = """#!/bin/sh
case $1 in list | check) exec "%s" "$@" ;; esac
for word; do shift; case $word in --output=* | --overwrite) ;; *) set -- "$@" "$word" ;; esac; done
exec "%s" "$@" --dry-run
""" % ((os.path.realpath(sys.argv[1]),) * 2)
with tempfile.TemporaryDirectory() as scratch:
    with open(scratch + "/dry", "w", encoding="utf-8") as file:
        file.write(DRY)
    os.chmod(scratch + "/dry", 0o755)
    done = subprocess.run([os.path.join(top, "scripts", "first_contact.py"), scratch], cwd=top,
                          env={**os.environ, "GPUBENCH": scratch + "/dry", "REHEARSE": "1"},
                          capture_output=True, text=True, check=False)
    statuses = re.findall(r"^status (\d+):", done.stdout, re.M)
    if done.returncode or len(statuses) < 35 or not set(statuses) <= {"0", "3", "6"}:
        fail(done.stdout, done.stderr)

print("recipes: both gates on two builds, the server's file")
