#!/usr/bin/env python3
"""stress.py -- runs the project's own kernels under every checker and many schedules.

usage: stress.py BUILD [--seeds N] [--size small|quick|large]

BUILD contains KIND/drive for each kind (plain, asan, check).  These kernels are correct: any wrong
result or report is a failure.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

import sweeps

TIMEOUT_S = 900
KINDS = ["plain", "asan", "check"]


def environment(settings):
    env = dict(os.environ, OMP_THREAD_LIMIT="1")
    for name, value in settings.items():
        env["GPUBENCH_SIMT_" + name] = str(value)
    return env


def plans(build, seeds, size):
    """(name, program, words, settings) of each run."""
    points, small = sweeps.lines(size), sweeps.lines("small")
    brief = small if size == "quick" else points
    # Only the variants concerned.
    wide = ["--wide", "--only", "onesweep"] + [line for line in points if line.startswith("radix ")]
    clusters = ["--only", "ccam", "--only", "small"]
    clusters += [line for line in small if line.startswith(("bfs ", "radix "))]
    all_runs = [
        ("check", "check", points, {}),
        ("shuffle", "plain", brief, {"BLOCKS": "shuffle", "RESIDENT": 4, "LEAKS": 1}),
        ("asan", "asan", brief, {}),
        ("reverse, protect", "plain", brief,
         {"ORDER": "reverse", "BLOCKS": "reverse", "THREADS": 1, "PROTECT": 1}),
        ("wide words", "check", wide, {}),
    ]
    all_runs += [("no clusters, " + k, k, clusters, {"CLUSTERS": 0}) for k in KINDS]
    for seed in range(1, seeds + 1):
        preempt = {"SEED": seed, "PREEMPT": 16}
        if size == "quick":  # `make test` takes minutes, not hours
            all_runs.append(("seed %d" % seed, "plain", small, preempt))
            continue
        all_runs.append(("check, seed %d" % seed, "check", small, preempt))
        all_runs.append(("seed %d" % seed, "plain", brief, {"SEED": seed}))
    # Start the slowest kind first.
    all_runs.sort(key=lambda run: run[1] != "check")
    for name, kind, lines, settings in all_runs:
        yield name, os.path.join(build, kind, "drive"), lines, settings


def run(plan):
    """(name, passed, failed, seconds, output if anything failed)."""
    name, program, lines, settings = plan
    start = time.monotonic()
    try:
        done = subprocess.run(
            [program] + lines, env=environment(settings), capture_output=True, timeout=TIMEOUT_S
        )
        status, output = done.returncode, (done.stdout + done.stderr).decode(errors="replace")
    except subprocess.TimeoutExpired:
        status, output = -1, "no end after %d s" % TIMEOUT_S
    found = re.search(r"^(\d+) passed, (\d+) failed", output, re.MULTILINE)
    passed, failed = (int(found[1]), int(found[2])) if found else (0, 1)
    if status != 0 and failed == 0:
        failed = 1
    return name, passed, failed, time.monotonic() - start, output if failed else ""


def main():
    parser = argparse.ArgumentParser(description="run correct kernels under every checker")
    parser.add_argument("build")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--size", default="quick", help="size of the inputs, see sweeps.py")
    options = parser.parse_args()
    total_passed = total_failed = 0

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        todo = list(plans(options.build, options.seeds, options.size))
        for name, passed, failed, seconds, output in pool.map(run, todo):
            print("%-16s %4d passed %4d failed %7.1f s" % (name, passed, failed, seconds))
            if output:
                print("\n".join(output.splitlines()[:40]))
            sys.stdout.flush()
            total_passed += passed
            total_failed += failed
    print("%d passed, %d failed" % (total_passed, total_failed))
    return total_failed != 0


if __name__ == "__main__":
    sys.exit(main())
