#!/usr/bin/python3
"""exchange.py GPUBENCH -- formats for other tools: `report -f junit`, `compare -f junit|github`.

Synthetic records of every status are printed in each format and compared with numbers computed
here.  Each check must also fail on a spoiled document.
"""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

gpubench = os.path.realpath(sys.argv[1])
checks = 0


def run(*arguments, status=0):
    done = subprocess.run([gpubench, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stdout


def holds(check, document, spoil):
    """The check passes on the document, and fails on a spoiled copy."""
    global checks
    check(document)
    try:
        check(spoil(copy.deepcopy(document)))
    except (AssertionError, KeyError, ValueError, AttributeError):
        checks += 1
        return
    sys.exit("exchange: %s does not find the fault planted in it" % check.__name__)


# ---- the records ---------------------------------------------------------------------------

def measured():
    """A run line and a record written by the program."""
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as file:
        run("radix", "cpu/lsd8", "--count=1000", "--threads=1", "--samples=7", "-q", "--overwrite",
            "-o", file.name)
        return [json.loads(line) for line in file]


def launches(factor, extra):
    """Ten launches of two keys, and one of each key of `extra`: key -> changed members."""
    lines = []
    for number in range(10):
        run_line, record = copy.deepcopy(template)
        run_line["run_id"] = record["run_id"] = "%s%014x" % ("ab" if factor > 1 else "cd", number)
        lines.append(run_line)
        for seq, name in enumerate(("lsd8", "best")):
            one = copy.deepcopy(record)
            one.update(seq=seq, variant=name, key="radix/cpu/%s count=1000 threads=1" % name)
            fastest = (1000 + 7 * number) * (factor if name == "best" else 1)
            one["time"]["samples"] = [fastest * x for x in (1.5, 1, 1.25)]
            one["time"].update(median=fastest * 1.25, ci95=None)
            one["verify"].update(overwritten=0, changed=0)
            lines.append(one)
        for key, members in extra.items() if number == 0 else ():
            one = copy.deepcopy(record)
            names, _, values = key.partition(" ")
            one.update(zip(("bench", "backend", "variant"), names.split("/")))
            one.update(seq=len(lines), key=key,
                       params={name: int(value) for name, value in
                               (word.split("=") for word in values.split())})
            one.update(members)
            if one["status"] != "ok":
                del one["time"]
            lines.append(one)
    return lines


NO_TIME = {"time": None, "host_time": None, "phases": None}
NASTY = 'wrong: 3 < 5 & "no", 50 %\r\n, at C:\\x'
template = measured()
EXTRA = {
    "radix/cpu/lsd8 count=2000 threads=1": {"cold": False},
    "bfs/cpu/csr vertices=9": {"status": "failed", "reason": NASTY, "verify": {"result": "fail"},
                               **NO_TIME},
    "bfs/cpu/csr vertices=10": {"status": "failed", "reason": "more than 60 s", **NO_TIME},
    "bfs/cpu/csr vertices=11": {"status": "skipped", "reason": "no memory", **NO_TIME},
    "octree/cuda/lf count=7": {"emulated": True},
}
scratch = tempfile.mkdtemp()
paths = [os.path.join(scratch, name) for name in ("base.jsonl", "new.jsonl")]
for path, lines in zip(paths, (launches(1, EXTRA), launches(1.25, EXTRA))):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
empty = os.path.join(scratch, "empty.jsonl")
with open(empty, "w", encoding="utf-8") as file:
    file.write(json.dumps(template[0]) + "\n")


# ---- JUnit ---------------------------------------------------------------------------------

def junit(text, expected):
    """Totals match the cases.  expected: (classname, name) -> (element, text in its message)."""
    root = xml.fromstring(text)
    assert root.tag == "testsuites"
    cases = {}
    sums = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in root:
        assert suite.tag == "testsuite" and suite.get("name")
        counts = dict.fromkeys(sums, 0)
        for case in suite:
            assert case.tag == "testcase"
            assert case.get("classname").split("/")[0] == suite.get("name")
            name = (case.get("classname"), case.get("name"))
            assert len(case) <= 1
            for child in case:
                plural = {"failure": "failures", "error": "errors", "skipped": "skipped"}
                counts[plural[child.tag]] += 1
                cases.setdefault(name, (child.tag, child.get("message")))
            counts["tests"] += 1
            cases.setdefault(name, (None, ""))
            assert case.get("time") is None or float(case.get("time")) > 0
        for key, value in counts.items():
            assert int(suite.get(key)) == value, (key, suite.attrib)
            sums[key] += value
    for key, value in sums.items():
        assert int(root.get(key)) == value, (key, root.attrib)
    assert set(cases) == set(expected), cases
    for name, (element, message) in expected.items():
        assert cases[name][0] == element and message in cases[name][1], (name, cases[name])


def of_records(text):
    junit(text, {
        ("radix/cpu/lsd8", "count=1000 threads=1"): (None, ""),
        ("radix/cpu/best", "count=1000 threads=1"): (None, ""),
        ("radix/cpu/lsd8", "count=2000 threads=1 hot"): (None, ""),
        ("bfs/cpu/csr", "vertices=9"): ("failure", '3 < 5 & "no", 50 %'),
        ("bfs/cpu/csr", "vertices=10"): ("error", "60 s"),
        ("bfs/cpu/csr", "vertices=11"): ("skipped", "no memory"),
        ("octree/cuda/lf", "count=7"): (None, ""),
    })


def of_comparison(text):
    junit(text, {
        ("radix/cpu/lsd8", "count=1000 threads=1"): (None, ""),
        ("radix/cpu/best", "count=1000 threads=1"): ("failure", "1.25 times the time of base"),
        ("radix/cpu/lsd8", "count=2000 threads=1"): ("skipped", "4 a side are needed"),
        ("bfs/cpu/csr", "vertices=9"): ("error", "50 %"),
        ("bfs/cpu/csr", "vertices=10"): ("error", "60 s"),
        ("bfs/cpu/csr", "vertices=11"): ("skipped", "no memory"),
        ("octree/cuda/lf", "count=7"): ("skipped", "emulated"),
    })


holds(of_records, run("report", "-f", "junit", paths[0]),
      lambda text: text.replace("<failure", "<error"))
holds(of_comparison, run("compare", "-f", "junit", *paths, status=1),
      lambda text: text.replace('failures="1"', 'failures="0"'))


# ---- GitHub's workflow commands ------------------------------------------------------------

def github(text):
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) title=([^:,%\r\n]*)::"
                             r"((?:[^%]|%25|%0D|%0A)*)", line)
        assert match, line
        message = match[3].replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
        found[message.split(":")[0]] = (match[1], message)
    assert {key: value[0] for key, value in found.items()} == {
        "radix/cpu/best count=1000 threads=1": "error",
        "bfs/cpu/csr vertices=9": "error",
        "bfs/cpu/csr vertices=10": "error",
        "radix/cpu/lsd8 count=2000 threads=1": "warning",
        "7 keys": "notice",
    }, found
    assert found["bfs/cpu/csr vertices=9"][1].endswith(NASTY)


holds(github, run("compare", "-f", "github", *paths, status=1),
      lambda text: text.replace("%25", "%"))
assert run("compare", "-f", "github", paths[0], empty, status=6).count("\n") > 1


def worst_first(text):
    """Ten of fourteen slower keys, and of a worse count, the worst first."""
    worse = re.findall(r"^::error title=gpubench slower::.* count=(\d+) ", text, re.M)
    sizes = [int(size) for size in worse]
    assert sizes == [50, *range(1014, 1005, -1)], text
    assert "the 10 worst of 15 are annotated" in text and "1 worse" in text, text


def many(side, factor):
    """Ten launches of fourteen keys, each slower than the one before it, and one with counts."""
    for number in range(10):
        run_line, record = copy.deepcopy(template)
        run_line["run_id"] = record["run_id"] = "%s%014x" % (side, number)
        yield run_line
        for seq in range(15):
            one = copy.deepcopy(record)
            count = 1000 + seq if seq else 50
            one.update(seq=seq, key="radix/cpu/lsd8 count=%d threads=1" % count)
            one["params"]["count"] = count
            time = (1000 + number) * factor ** (seq / 4)
            one["time"].update(samples=[time], median=time, ci95=None)
            one["verify"].update(overwritten=0, changed=0)
            if seq == 0:
                one["counts"] = {"warp_instructions": 1000 * factor ** 9}
            yield one


for path, side, factor in ((paths[0], "ab", 1), (paths[1], "cd", 2)):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in many(side, factor))
holds(worst_first, run("compare", "-f", "github", "--counts", *paths, status=1),
      lambda text: text.replace("count=1014 ", "count=1001 "))
subprocess.run(["rm", "-r", scratch], check=True)
print("exchange: %d formats read back, each with a fault found" % checks)
