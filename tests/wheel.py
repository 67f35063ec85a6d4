#!/usr/bin/python3
"""wheel.py WHEEL [--installed] -- the wheel lists its members, and its module reads records.

With --installed, the module is the one that this interpreter has installed, and gpubench-plot and
pandas are tried, too."""
import base64
import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile

wheel, installed = os.path.realpath(sys.argv[1]), sys.argv[2:] == ["--installed"]
scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)


def fail(*words):
    sys.exit("wheel: " + " ".join(map(str, words)))


with zipfile.ZipFile(wheel) as archive:
    names = archive.namelist()
    (record,) = [name for name in names if name.endswith(".dist-info/RECORD")]
    rows = list(csv.reader(io.StringIO(archive.read(record).decode())))
    if [row[0] for row in rows] != names:
        fail("RECORD lists other files than the wheel has")
    for name, digest, size in rows:
        data = archive.read(name)
        right = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        if name != record and (digest, size) != ("sha256=" + right, str(len(data))):
            fail("RECORD is wrong about", name)
    if not installed:
        archive.extractall("site")
        sys.path.insert(0, "site")
        (program,) = [name for name in names if name.endswith("/scripts/gpubench")]
        if archive.getinfo(program).external_attr >> 16 & 0o111 != 0o111:
            fail("the program cannot be executed")
        os.chmod("site/" + program, 0o755)
        os.environ["PATH"] = os.path.dirname(os.path.realpath("site/" + program)) + ":" + \
            os.environ["PATH"]

import gpubench  # pylint: disable=wrong-import-position

if installed != os.path.isabs(gpubench.program()):
    fail("the program is", gpubench.program())
subprocess.run([gpubench.program(), "radix", "cpu/best", "cpu/lsd8", "--count=1k,2k", "--samples=8",
                "--threads=1", "-q", "-o", "runs.jsonl"], check=True)
with open("runs.jsonl", encoding="utf-8") as made:
    lines = [json.loads(line) for line in made]
read = gpubench.read("runs.jsonl")
if len(read.runs) != 1 or len(read.records) != 4 or list(read) != read.records:
    fail("read", len(read.runs), "runs and", len(read.records), "records")
for line, record in zip([x for x in lines if x["type"] == "record"], read):
    time = line["time"]
    if (record.run is not read.runs[0] or record.key != line["key"] or record.status != "ok"
            or record.params["count"] != line["params"]["count"]
            or record.time.samples != tuple(time["samples"])
            or record.time.median != time["median"] or record.time.ci95 != tuple(time["ci95"])
            or {name: list(phase.samples) for name, phase in record.phases.items()}
            != {name: phase["samples"] for name, phase in line.get("phases", {}).items()}
            or record.json["work"] != line["work"]):
        fail("a record is not what its line says:", line["key"])

# Lines that are no records.
record = [x for x in lines if x["type"] == "record"][0]
for change, message in (
        ({"type": "neither"}, "neither a run nor a record"),
        ({"type": "run", "schema": 1}, "schema 1 is no longer read"),
        ({"key": None}, "'key' is missing or of another type"),
        ({"time": dict(record["time"], samples=["1"])}, "samples are not numbers"),
        ({"time": dict(record["time"], ci95=[1])}, "'ci95' has not two numbers"),
        ({"phases": {"scan": 1}}, "a series is no object"),
        ({"work": [1]}, None)):
    with open("wrong.jsonl", "w", encoding="utf-8") as output:
        output.write(json.dumps(lines[0]) + "\n" + json.dumps(dict(record, **change)) + "\n")
    try:
        gpubench.read("wrong.jsonl")
        fail("nothing is wrong with", change)
    except gpubench.RecordError as error:
        if str(error) != "wrong.jsonl:2: %s" % message and message:
            fail(change, "is reported as", error)
huge = dict(record, time=dict(record["time"], samples=[10 ** 400]))
for line in (b'{"type":"run"', b"", b"\0", b'{"type":"\xff"}', b"[" * 10000,
             json.dumps(huge).encode()):
    with open("wrong.jsonl", "wb") as output:
        output.write(line + b"\n")
    try:
        gpubench.read("wrong.jsonl")
        fail("a line is read:", line[:40])
    except gpubench.RecordError as error:
        if not str(error).startswith("wrong.jsonl:1: "):
            fail(line[:40], "is reported as", error)
if gpubench.read(os.devnull).records:
    fail("an empty file has records")

if installed:
    frame, samples = read.frame(), read.samples()
    if list(frame.time_ns) != [r.time.median for r in read] or len(samples) != 32:
        fail("frames:", frame.shape, samples.shape)
    command = os.path.join(os.path.dirname(gpubench.program()), "gpubench-plot")
    subprocess.run([command, "sweep", "-o", "plot.svg", "runs.jsonl"], check=True)
    if not os.path.getsize("plot.svg"):
        fail("no plot.svg")
