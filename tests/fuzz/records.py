#!/usr/bin/python3
"""records.py GPUBENCH [SECONDS [SEED]] -- record files with a spoiled member, read by each command.

The schema says which members there are.  Each gets each value below in stored records of a CPU, a
GPU and Vulkan, after what these lack was filled in: first what was once a fault, then
each value in one of these records, then in the others.  A line that the reader refuses is dropped;
the others, a batch to a file, are printed in every format.  A program must end in time with a
documented status and no report of a sanitizer; its output must be well-formed, without a negative
or infinite time.  A finding is reduced to its lines.  SECONDS [120] are processor time of the
programs, so that a busy machine tries as many; SEED [drawn] sets the order.
"""
import copy
import csv
import glob
import io
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GPUBENCH = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 120
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)
BATCH, LIMIT_S, LIMIT_BYTES = 120, 10, 50 << 20
MARK = b'"@spoiled@"'
TIMES = ("time_ns", "time_min_ns", "time_mean_ns", "items_per_s", "bytes_per_s")
CONTROL = "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
PEOPLE = "table markdown html csv json".split()
PLOT = ["/usr/bin/python3", TOP + "/scripts/plot.py", "sweep", "new/new.jsonl"]
with open(TOP + "/results/gpubench-record-2.schema.json", encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)["$defs"]
VALUES = [v.encode("utf-8", "surrogateescape") for v in (
    "0", "-0", "-0.0", "1", "-1", "-5", "2.5", "7e-5", "1e18", "9223372036854775808", "-1e300",
    "1e300", "1e301", "1e308", "1e999", "-1e999", "1e-300", "1e-318", "1e-320", "4.9e-324", "NaN",
    "Infinity", '"NaN"', '"inf"', '"1e5"', "true", "false", "null", '""', '" "', "[]", "{}", "[[]]",
    "[1,2]", "[-1,-2]", "[null,1e308]", '["x","y"]', '{"a":1}', '{"a":{}}', '{"":-1}', '"skipped"',
    '[{"median":5,"samples":[5]}]', '{"a":{"median":5,"samples":[5]}}', '"failed"', '"unverified"',
    '{"a":[{"median":5,"samples":[5]}]}', '{"median":5,"ci95":[9,1],"samples":[5]}', '"cuda"',
    '{"median":-5,"samples":[-5]}', '{"median":1e-318,"samples":[1e-318]}', '"=1+1"', '"%s%n,;"',
    '{"%s":1}' % ("a" * 159 + "\u00e9"), '"\\u001b[31mred\\u0007\\r\\n\\t"', '"a\\u0000b"',
    '"\u009b31m \u202e \u2066 \u2028"', '"a\\"b,<c>&|`$_{}\\\\"', '"\\ud800"', '"\udcff\udcc3"',
    '"a\x00b"', '"%s"' % ("x" * 30000), '"%s"' % ("\u00e9" * 5000), "[" * 400 + "]" * 400,
    "[" * 2000, '{"a":' * 900 + "1" + "}" * 900, '"unended', "")]
ONCE = [(("phases",), b'[{"median":5,"samples":[5]}]'), (("params", "count"), b"1e-320"),
        (("time",), b'{"median":1e-318,"samples":[1e-318]}'), (("time", "median"), b"-5")]


def fill(node, value, path, paths):
    """The value with the members that it lacks; appends the path of each member to `paths`."""
    for part in [node, *node.get("allOf", [])]:
        named = SCHEMA[part["$ref"].rpartition("/")[2]] if "$ref" in part else {}
        both = {**named.get("properties", {}), **node.get("properties", {})}
        node = {**named, **node, **({"properties": both} if both else {})}
    more = node.get("additionalProperties")
    paths.append(path)
    if "properties" in node or isinstance(more, dict):
        value = value if isinstance(value, dict) else {}
        inner = node.get("properties") or {k: more for k in list(value)[:2] or ["a", "b"]}
        for name, part in inner.items():
            if part and name not in ("replaces", "emulated"):
                value[name] = fill(part, value.get(name), (*path, name), paths)
    elif isinstance(node.get("items"), dict):
        value = value or ([None] if node.get("minItems", 1) == 1 else [0, 1e18])
        value[0] = fill(node["items"], value[0], (*path, 0), paths)
    if value is None:
        kinds = {"string": "text", "boolean": True}
        value = node.get("const", node.get("enum", [kinds.get(str(node.get("type")), 3)])[0])
    return value


def stored():
    """(kind, run, record) of each kind."""
    for kind, pattern in (("cpu", "results/measured/cpu-*/radix-sizes.jsonl"),
                          ("cuda", "results/measured/h100-*/radix-cub.jsonl"),
                          ("vulkan", "results/measured/h100-*/papers-lbvh.jsonl")):
        with open(sorted(glob.glob(os.path.join(TOP, pattern)))[-1], encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        head = next(line for line in lines if line["type"] == "run")
        record = next(line for line in lines if line.get("time") and line["backend"] ==
                      ("cuda" if kind in ("cuda", "vulkan") else "cpu"))
        if kind == "vulkan":
            record.update(backend=kind, key=record["key"].replace("/cuda/", "/vulkan/"))
        yield kind, head, {**record, "run_id": head["run_id"]}


def time_is_left():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime < SECONDS


def spell(line):
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()


def put(line, path, raw, how):
    """The line as bytes, with the raw value at the path, that value and another, or no member."""
    at = line = copy.deepcopy(line)
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = MARK[1:-1].decode()
    member = spell(path[-1]) + b":"
    if isinstance(path[-1], str) and how != "set":
        both = member + raw + b"," + member + b"1" if how == "twice" else b'"@":0'
        return spell(line).replace(member + MARK, both)
    return spell(line).replace(MARK, raw)


def run(words, folder):
    """(fault or "", standard output, standard error) of a program."""
    with tempfile.TemporaryFile(dir=folder) as out, tempfile.TemporaryFile(dir=folder) as err:
        with subprocess.Popen(words, stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                              cwd=folder) as process:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
            try:
                status = process.wait(20 * LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                status = -signal.SIGKILL
        if status in (-signal.SIGKILL, -signal.SIGXCPU):
            return "does not end within %d s" % LIMIT_S, b"", b""
        out, err = (stream.seek(0) or stream.read() for stream in (out, err))
    bad = re.search(rb"[A-Z][A-Za-z]+Sanitizer: \S+|runtime error: .*|Traceback", err)
    fault = "" if status in (0, 1, 2, 6) else "status %d" % status
    return bad[0].decode(errors="replace") if bad else fault, out, err


def fault_of(form, out):
    """What is wrong with output in this format; "" if nothing is."""
    try:
        text = out.decode("utf-8")
        if form == "json" and text:
            json.loads(text, parse_constant=int)  # which no constant is
        elif form == "junit" and text:
            xml.fromstring(text)
        elif form == "csv":
            for row in csv.DictReader(io.StringIO(text, newline="")):
                for name in TIMES:
                    if row.get(name) and not 0 <= float(row[name]) < float("inf"):
                        return "%s=%s" % (name, row[name])
        elif re.search(CONTROL, text):
            return "%s: control characters" % form
        elif re.search(r" \* +(-|nan|inf)", text):
            return "a fastest time that is none"
    except (ValueError, xml.ParseError, csv.Error) as error:
        return "%s: %s" % (form, str(error)[:60])
    return ""


def commands():
    for form in PEOPLE:
        for more in ("--runs=each", "--runs=pooled", "--counts"):
            yield form, ["report", "-f", form, "new/new.jsonl", more]
    for form in [*PEOPLE, "junit", "github"]:
        yield form, ["compare", "-f", form, "base.jsonl", "new/new.jsonl"]
        yield form, ["compare", "-f", form, "new/new.jsonl", "base.jsonl", "--all"]
    for form in PEOPLE:
        yield form, ["compare", "-f", form, "--by=machine", "base.jsonl", "new/new.jsonl"]
        yield form, ["compare", "-f", form, "--by=library", "base.jsonl", "new/new.jsonl"]
        yield form, ["repro", "radix:table1", "-f", form, "--from=new/new.jsonl"]


def complaint(form, words, lines, folder):
    """What is wrong with the command if the file has these lines; what it says."""
    with open(folder + "/new/new.jsonl", "wb") as file:
        file.write(b"\n".join([*lines, b""]))
    fault, out, err = run(words, folder)
    return fault or fault_of(form, out), err


def find(form, words, lines, folder):
    """Run a command on the lines; report a finding with the fewest lines that it needs."""
    fault, _ = complaint(form, words, lines, folder)
    counts["programs"] += 1
    if not fault or fault in findings:
        return
    findings.append(fault)
    size = len(lines) - 1
    while size and not fault.startswith("does not end"):
        for first in range(1, len(lines), size):
            fewer = lines[:first] + lines[first + size:]
            if complaint(form, words, fewer, folder)[0]:
                lines = fewer
                break
        else:
            size //= 2
    path = "%s/gpubench-fuzz-%d-%d.jsonl" % (tempfile.gettempdir(), SEED, len(findings))
    with open(path, "wb") as file:
        file.write(b"\n".join([*lines, b""]))
    print("fuzz-records: %s: %s: see %s" % (" ".join(words[1:]), fault, path), flush=True)


def try_batch(kind, batch):
    if not time_is_left():
        return
    head, record = KINDS[kind]
    lines, left = [spell(head)], []
    for n, (of, path, raw, how) in enumerate(batch):
        name = {"run_id": "%016x" % n, "seq": n}
        if of == "run":  # with a record of its own
            left.append(put({**head, "run_id": name["run_id"]}, path, raw, how))
            left.append(spell({**record, **name}))
        else:
            left.append(put({**record, "seq": n}, path, raw, how))
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/new")
        with open(folder + "/base.jsonl", "wb") as file:
            file.writelines(spell({**line, "run_id": "f" * 16}) + b"\n" for line in KINDS[kind])
        while left:  # The reader stops at the first line that it refuses.
            fault, said = complaint("", [GPUBENCH, "report", "new/new.jsonl"], left, folder)
            where = re.match(rb"gpubench: new/new.jsonl:(\d+): .+\n$", said)
            good = int(where[1]) - 1 if where and not fault else len(left)
            lines += left[:good]
            counts["refused"] += good < len(left)
            left = left[good + 1:]
        counts["read"] += len(lines) - 1
        todo = list(commands()) + [("", PLOT)] * (PLOT is not None and counts["batches"] % 4 == 0)
        counts["batches"] += 1
        random.Random("%d %s" % (SEED, batch[0][1])).shuffle(todo)
        for form, words in todo:
            if time_is_left() and len(findings) < 10:
                find(form, words if words is PLOT else [GPUBENCH, *words], lines, folder)


resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT_BYTES, LIMIT_BYTES))
os.environ.update(ASAN_OPTIONS="exitcode=99:detect_leaks=0", UBSAN_OPTIONS="exitcode=99",
                  GOMP_SPINCOUNT="100", OMP_NUM_THREADS="2", LC_ALL="C.UTF-8")
if subprocess.call([PLOT[0], "-c", "import matplotlib"], stderr=subprocess.DEVNULL):
    PLOT = None
print("fuzz-records: seed %d" % SEED, flush=True)
counts = dict.fromkeys(("read", "refused", "programs", "batches"), 0)
findings, KINDS, batches = [], {}, []
for turn, (of_kind, *both_lines) in enumerate(stored()):
    spoils, draw = [], random.Random(SEED)
    for part_name, stored_line in zip(("run", "record"), both_lines):
        members = []
        fill(SCHEMA[part_name], stored_line, (), members)
        for member in sorted(members[1:], key=str):
            spoils += [(part_name, member, raw, "set") for raw in VALUES]
            spoils += [(part_name, member, draw.choice(VALUES), "twice"),
                       (part_name, member, b"", "missing")]
    KINDS[of_kind] = both_lines
    draw.shuffle(spoils)
    spoils = [("record", *once, "set") for once in ONCE] + [
        spoil for part in range(4) for spoil in spoils[(turn + part) % 4::4]]
    batches += [(i, of_kind, spoils[i:i + BATCH]) for i in range(0, len(spoils), BATCH)]
batches.sort(key=lambda batch: batch[0])
with ThreadPoolExecutor(os.cpu_count()) as pool:
    for batch_done in [pool.submit(try_batch, *b[1:]) for b in batches]:
        batch_done.result()
print("fuzz-records: %(read)d lines read, %(refused)d refused, %(programs)d programs" % counts
      + ", %d findings" % len(findings))
sys.exit(1 if findings or not counts["programs"] else 0)
