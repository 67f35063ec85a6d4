#!/usr/bin/env python3
"""faults.py -- checks that each planted fault is found by what its table entry names, and that
nothing is found in correct kernels.

usage: faults.py PROGRAM [NAME...]

    race, uninitialised   the checks
    reported              any other report: bounds, alignment, deadlock, a wrong mask, ...
    wrong                 the result
    refused               an error of the CUDA runtime
    protect               GPUBENCH_PTX_PROTECT=1
    reverse, seeds        the result or a report, in reverse order or with one of SEEDS
"""

import concurrent.futures
import os
import subprocess
import sys

SEEDS = [str(seed) for seed in range(1, 9)]
# text in the output: what has found the fault
SIGNS = [
    (": race: ", "race"),
    (": uninitialised: ", "uninitialised"),
    ("ptx: ERROR", "reported"),
    ("result wrong", "wrong"),
    ("result cuda", "refused"),
    ("result right", ""),
]


def run(program, name, **settings):
    """The name of what has found the fault; "" if nothing has."""
    env = dict(os.environ)
    for key, value in dict({"LEAKS": "1", "TIMEOUT": "1"}, **settings).items():
        env["GPUBENCH_PTX_" + key] = value
    done = subprocess.run([program, name], env=env, capture_output=True, timeout=900)
    output = (done.stdout + done.stderr).decode(errors="replace")
    return next((what for sign, what in SIGNS if sign in output), "status %d" % done.returncode)


def try_case(program, name, wanted):
    """A sentence if the case fails, else None."""
    if not wanted:
        reverse = {"ORDER": "reverse", "BLOCKS": "reverse", "RESIDENT": "4"}
        found = [run(program, name), run(program, name, **reverse)]
        found += [run(program, name, SEED=seed) for seed in SEEDS[:3]]
        found.append(run(program, name, WEAK="1", SEED="1"))
        return "found %s" % found if any(found) else None
    if wanted == "protect":
        found = [run(program, name, PROTECT="1")]
    elif wanted == "reverse":
        found = [run(program, name, ORDER="reverse", BLOCKS="reverse", THREADS="1")]
    elif wanted == "seeds":
        found = [run(program, name, SEED=seed) for seed in SEEDS]
    else:
        found = [run(program, name)]
    if wanted in ("protect", "reverse", "seeds"):
        return None if any(found) else "not found with " + wanted
    return None if found == [wanted] else "%s instead of %s" % (found[0] or "nothing", wanted)


def main():
    program, chosen = sys.argv[1], sys.argv[2:]
    listing = subprocess.run([program, "--list"], capture_output=True, check=True).stdout.decode()
    cases = [line.partition(" ")[::2] for line in listing.splitlines()]
    cases = [case for case in cases if not chosen or case[0] in chosen]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = list(pool.map(lambda case: try_case(program, *case), cases))
    for (name, wanted), failure in zip(cases, failures):
        print("%-30s %-14s %s" % (name, wanted or "correct", failure or "ok"))
    print("%d of %d cases failed" % (len(failures) - failures.count(None), len(cases)))
    return not cases or any(failures)


if __name__ == "__main__":
    sys.exit(main())
