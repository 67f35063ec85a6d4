#!/usr/bin/env python3
"""faults.py -- shows which checker catches which seeded fault.

usage: faults.py BUILD [FAULT...]

BUILD contains plain/faults, asan/faults and check/faults.
A fault passes if every checker named in its table entry catches it; "right_program" passes if
none does.  Only these checkers run; each cell of the table shows the finding of one.
"""

import concurrent.futures
import os
import subprocess
import sys

SEEDS = range(1, 9)
PLAIN = {"LEAKS": "1", "TIMEOUT": "1"}


def settings(**more):
    env = dict(os.environ)
    for name, value in {**PLAIN, **more}.items():
        env["GPUBENCH_SIMT_" + name] = value
    env["ASAN_OPTIONS"] = "detect_leaks=0"
    return env


# name, kind of build, list of environments, of which one must catch the fault
CHECKERS = [
    ("plain", "plain", [settings()]),
    ("reverse", "plain", [settings(ORDER="reverse", BLOCKS="reverse", THREADS="1")]),
    ("seeds", "plain", [settings(SEED=str(s)) for s in SEEDS]),
    ("asan", "asan", [settings()]),
    ("check", "check", [settings()]),
    ("protect", "plain", [settings(PROTECT="1")]),
]

# text in the output: the word for the table's cell
SIGNS = [
    ("simt: ERROR: race", "race"),
    ("simt: ERROR: deadlock", "deadlock"),
    ("simt: ERROR: livelock", "livelock"),
    ("simt: ERROR: read of uninitialised", "uninit"),
    ("simt: ERROR", "reported"),
    ("AddressSanitizer", "memory"),
    ("runtime error:", "undefined"),
    ("result wrong", "wrong"),
    ("result cuda", "refused"),
    ("result right", "-"),
]


def run_once(program, fault, env):
    try:
        done = subprocess.run([program, fault], env=env, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "hangs"
    output = (done.stdout + done.stderr).decode(errors="replace")
    for sign, word in SIGNS:
        if sign in output:
            return word
    return "status %d" % done.returncode


def run_checker(build, kind, fault, envs):
    """The finding of the first environment that catches the fault, or "-"."""
    program = os.path.join(build, kind, "faults")
    for env in envs:
        word = run_once(program, fault, env)
        if word != "-":
            return word
    return "-"


def checker(who):
    """The checker whose finding shows that `who` has caught a fault."""
    return "plain" if who in ("reported", "wrong", "refused") else who


def runs(name, expected):
    """True if the checker's finding decides whether a fault with these expectations passes."""
    return not expected or name in map(checker, expected)


def caught(who, cells):
    """True if `who` has caught the fault, according to the table's cells."""
    if who == "reported":
        return cells["plain"] in ("reported", "deadlock", "livelock")
    if who in ("wrong", "refused"):
        return cells["plain"] == who
    if who in ("reverse", "seeds"):
        return cells[who] in ("wrong", "livelock")
    # A wrong result does not show that the checker works.
    return cells[who] in ("race", "uninit", "reported", "memory", "undefined")


def judge(expected, cells):
    """The checkers that missed the fault, or reported a correct program."""
    if not expected:
        return [name for name, cell in cells.items() if cell != "-"]
    return [who for who in expected if not caught(who, cells)]


def main():
    build, chosen = sys.argv[1], sys.argv[2:]
    listing = subprocess.run(
        [os.path.join(build, "plain", "faults"), "--list"], capture_output=True, check=True
    ).stdout.decode()
    faults = [line.partition(" ")[::2] for line in listing.splitlines()]
    faults = [(fault, [who for who in expected.split("|") if who])
              for fault, expected in faults if not chosen or fault in chosen]
    passed = failed = 0

    print("%-29s" % "fault" + "".join("%-10s" % name for name, _, _ in CHECKERS))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        words = pool.map(
            lambda run: run_checker(build, *run),
            [(kind, fault, envs) for fault, expected in faults
             for name, kind, envs in CHECKERS if runs(name, expected)],
        )
        for fault, expected in faults:
            cells = {name: next(words) for name, _, _ in CHECKERS if runs(name, expected)}
            missing = judge(expected, cells)
            row = "".join("%-10s" % cells.get(name, "") for name, _, _ in CHECKERS).rstrip()
            print("%-29s%s%s" % (fault, row, "FAILED: " + ", ".join(missing) if missing else ""))
            sys.stdout.flush()
            passed += not missing
            failed += bool(missing)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
