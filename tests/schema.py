#!/usr/bin/python3
"""Check record files against results/gpubench-record-2.schema.json and the rules between lines.

usage: tests/schema.py FILE...           .jsonl files; - is standard input
       tests/schema.py --report FILE...  output of compare or ab, by its schema

Each failure is one line, FILE:LINE: PATH: TEXT.
The exit status is 1 if there is a failure and 2 if a file cannot be read.  Needs Debian's
python3-jsonschema.
"""
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("tests/schema.py: needs the Python package jsonschema (Debian: python3-jsonschema)")

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "results")


def refuse_constant(word):
    raise ValueError(word + " is not JSON")


def refuse_duplicates(pairs):
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError("member %r occurs twice" % name)
    return dict(pairs)


def parse(text):
    return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=refuse_duplicates)


def read(path):
    """All (line number, object or ValueError) of a file."""
    with (sys.stdin.buffer if path == "-" else open(path, "rb")) as file:
        data = file.read()
    lines = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            lines.append((number, parse(line.decode("utf-8"))))
        except ValueError as error:
            lines.append((number, error))
    return lines


def deepest(error):
    """The error of a failed oneOf in the intended branch, which is that of the line's type."""
    while error.context:
        wrong_type = {e.schema_path[0] for e in error.context if list(e.path) == ["type"]}
        meant = [e for e in error.context if e.schema_path[0] not in wrong_type]
        error = max(meant or error.context, key=lambda e: len(e.path))
    return error


def check_order(line, runs, last):
    """Rules between lines: a run line comes first, its records follow in ascending order."""
    run = line["run_id"]
    if line["type"] == "run":
        if run in runs:
            yield "run_id", "a second run line of run " + run
        runs.add(run)
        return
    if run not in runs:
        yield "run_id", "no run line of run %s comes before" % run
    if line["seq"] <= last.get(run, -1):
        yield "seq", "%d does not follow %d" % (line["seq"], last[run])
    last[run] = line["seq"]


def check_file(path, validator):
    """The failures of a file, as text."""
    runs, last = set(), {}
    lines = read(path)
    if not lines:
        yield "%s:1: : there is no line" % path
    for number, line in lines:
        if isinstance(line, ValueError):
            yield "%s:%d: : %s" % (path, number, line)
            continue
        errors = [deepest(e) for e in validator.iter_errors(line)]
        found = [(".".join(map(str, e.absolute_path)), e.message[:300]) for e in errors]
        if not found:
            found += check_order(line, runs, last)
        for where, what in found:
            yield "%s:%d: %s: %s" % (path, number, where, what)


def check_document(path, validator):
    with (sys.stdin if path == "-" else open(path, encoding="utf-8")) as file:
        document = parse(file.read())
    for error in validator.iter_errors(document):
        yield "%s: %s: %s" % (path, ".".join(map(str, error.absolute_path)), error.message[:300])
    yield from check_report(path, document)


def check_report(path, report):
    """Rules between the tables of a report."""
    words = ("same", "unchanged", "faster", "slower", "unsure", "absent", "failed", "unverified")
    if report["type"] == "comparison" and sum(report[word] for word in words) != len(report["keys"]):
        yield "%s: the verdicts are not as many as the keys" % path


def main(paths):
    name = "report" if paths[:1] == ["--report"] else "record"
    paths = paths[name == "report":]
    version = 2 if name == "record" else 1
    with open("%s/gpubench-%s-%d.schema.json" % (RESULTS, name, version), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    if not paths:
        sys.exit("usage: tests/schema.py FILE...")
    failures = 0
    for path in paths:
        try:
            check = check_document if name == "report" else check_file
            for failure in check(path, validator):
                print(failure)
                failures += 1
        except OSError as error:
            print("%s: %s" % (path, error.strerror))
            sys.exit(2)
    sys.exit(1 if failures else 0)


main(sys.argv[1:])
