#!/usr/bin/python3
"""gate_rates.py -- how often `gpubench ab` is wrong, from repetitions of one build.

    gpubench run ... --repetitions=48 -o r.jsonl; gate_rates.py --store r.jsonl >REPETITIONS.txt
    gate_rates.py GPUBENCH REPETITIONS.txt [GATES]

REPETITIONS.txt has for each key the seconds that it takes and its median time in ns in each repetition.
GATES (100) gates compare the build with itself; in as many, one key is 10 % slower, each in turn.  A
gate is a run of `ab`, whose builds are this script: each repetition has the times of a random one of
the file, drawn with replacement.
"""
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile


def store(path):
    repetitions, run = collections.defaultdict(list), None
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if line["type"] == "run":
                run = run or line
            elif line["status"] == "ok":
                key = line["key"], "library, " * line.get("peer", False)
                repetitions[key].append((line["time"]["median"], line["elapsed_s"]))
    host, tool, words = run["host"], run["tool"], " ".join(run["argv"]).partition(" -o ")[0]
    print(f"# {host['cpu']}, {host['cores']} cores, commit {tool['commit']}, {run['started']}: {words}")
    for (key, library), values in repetitions.items():
        seconds = sorted(s for _, s in values)[len(values) // 2]
        print(f"{key} ({library}{seconds:.3f} s)\t" + " ".join("%d" % ns for ns, _ in values))


def read(path):
    keys = {}
    for line in pathlib.Path(path).read_text().splitlines():
        if not line.startswith("#"):
            name, values = line.split("\t")
            key, notes = name.rsplit(" (", 1)
            seconds, library = float(notes.split()[-2]), "library" in notes
            keys[key] = [int(ns) for ns in values.split()], seconds, library
    return keys


def launch(folder, side):
    """A repetition of a build: "measure" what the output lacks, and note the seconds that takes."""
    output = pathlib.Path(sys.argv[-1].split("=", 1)[1])
    done = {json.loads(line)["key"] for line in output.read_text().splitlines()}
    gate = json.loads(pathlib.Path(folder, "gate.json").read_text())
    keys, number = read(gate["repetitions"]), len(os.listdir(folder))
    now = random.Random("%s %s %d" % (gate["seed"], side, number))
    index, run = now.randrange(min(len(times) for times, *_ in keys.values())), f"{side}-{number}"
    todo, common = [key for key in keys if key not in done], {"schema": 2, "run_id": run}
    with output.open("a") as file:
        print(json.dumps({"type": "run", **common, "argv": sys.argv[1:]}), file=file)
        for seq, key in enumerate(todo):
            ns = keys[key][0][index] * (1.1 if (side, key) == ("new", gate["slower"]) else 1)
            names = dict(zip(("bench", "backend", "variant"), key.split(" ")[0].split("/")))
            words = [word.split("=") for word in key.split(" ")[1:]]
            params = {name: float(text) if text[0].isdigit() else text for name, text in words}
            members = {"key": key, **names, "params": params, "verify": {"result": "pass"}, "peer": keys[key][2]}
            print(json.dumps({"type": "record", **common, "seq": seq, "status": "ok", **members,
                              "time": {"median": ns, "samples": [ns]}}), file=file)
    pathlib.Path(folder, run).write_text(str(sum(keys[key][1] for key in todo)))


def gate(program, repetitions, slower, seed):
    """The exit status of a run of `ab`, its minutes, and the repetitions of each build."""
    with tempfile.TemporaryDirectory() as folder:
        for side in "base", "new":
            os.symlink(os.path.realpath(__file__), folder + "/" + side)
        task = {"repetitions": os.path.realpath(repetitions), "slower": slower, "seed": seed}
        pathlib.Path(folder, "gate.json").write_text(json.dumps(task))
        words = [program, "ab", f"base={folder}/base", f"new={folder}/new", "-q", "--all", "--budget=10h"]
        status = subprocess.run([*words, "--", "run"], stdout=subprocess.PIPE, check=False).returncode
        times = [float(path.read_text()) for path in pathlib.Path(folder).glob("*-*")]
        return status, sum(times) / 60, len(times) / 2


def main():
    name = os.path.basename(sys.argv[0])
    if name in ("base", "new"):
        return launch(os.path.dirname(sys.argv[0]), name)
    if sys.argv[1] == "--store":
        return store(sys.argv[2])
    program, repetitions, gates = *sys.argv[1:3], int((sys.argv + ["100"])[3])
    keys = list(read(repetitions))
    for title, names in ("equal builds", [None]), ("one key 10 % slower", keys):
        ends = [gate(program, repetitions, names[i % len(names)], i) for i in range(gates)]
        share = [100 * sum(end[0] == status for end in ends) / gates for status in (0, 1, 6)]
        minutes, sides = sorted(end[1] for end in ends), sorted(end[2] for end in ends)
        print(f"{title}, {len(keys)} keys, {gates} gates: green {share[0]:.1f} %, red {share[1]:.1f} %, "
              f"undecided {share[2]:.1f} %; minutes: median {minutes[gates // 2]:.1f}, "
              f"p95 {minutes[gates * 95 // 100]:.1f}; repetitions of each build: median "
              f"{sides[gates // 2]:.0f}, p95 {sides[gates * 95 // 100]:.0f}")


main()
