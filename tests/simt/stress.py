#!/usr/bin/env python3
"""stress.py -- runs the project's own kernels under every checker and many schedules.

usage: stress.py BUILD [--seeds N] [--size small|quick|large]
       stress.py BUILD --weak [--seeds N]

BUILD contains KIND/drive for each kind (plain, asan, check).  With --weak, it contains the drive of
the PTX executor, which runs with weak memory.  These kernels are correct: any wrong
result or report is a failure, and so is a kernel that a checker has not reached.
"""

import argparse
import concurrent.futures
import functools
import os
import re
import shutil
import subprocess
import sys
import time

import sweeps

sys.path.insert(1, os.path.join(os.path.dirname(__file__), "../ptx"))
import reached

TIMEOUT_S = 900


def environment(settings):
    env = dict(os.environ, OMP_THREAD_LIMIT="1")
    for name, value in settings.items():
        env["GPUBENCH_SIMT_" + name] = env["GPUBENCH_PTX_" + name] = str(value)
    return env


def with_devices(checkers, build):
    """The runs of each (checker, folder of its program, words, settings)."""
    for checker, folder, lines, settings in checkers:
        program = os.path.join(build, folder, "drive")
        yield checker, "", program, lines, settings
        for device, limits, words in sweeps.DEVICES:
            # Caches are flushed, and launches held, when a run is timed.
            once = [word for word in lines if word == "--once" and "--cold" not in words]
            yield checker, device, program, once + words, dict(settings, **limits)


def weak_plans(build, seeds):
    """(checker, device, program, words, settings) of each run with weak memory."""
    checkers = [
        ("weak memory, seed %d" % seed, "", ["--once"] + sweeps.lines("small"),
         {"WEAK": 1, "SEED": seed})
        for seed in range(1, seeds + 1)
    ]
    return with_devices(checkers, build)


def plans(build, seeds, size):
    """(checker, device, program, words, settings) of each run.  One kind runs each point several
    times on one state, as a timing does, which takes five times as long."""
    points, small = sweeps.lines(size), sweeps.lines("small")
    brief = small if size == "quick" else points
    checkers = [
        ("check", "check", ["--once"] + points, {}),
        ("shuffle", "plain", brief, {"BLOCKS": "shuffle", "RESIDENT": 4, "LEAKS": 1}),
        ("asan", "asan", ["--once"] + brief, {}),
        ("reverse", "plain", ["--once"] + brief,
         {"ORDER": "reverse", "BLOCKS": "reverse", "THREADS": 1, "PROTECT": 1}),
    ]
    for seed in range(1, seeds + 1):
        preempt = {"SEED": seed, "PREEMPT": 16}
        if size == "quick":  # `make test` takes minutes, not hours
            checkers.append(("seed %d" % seed, "plain", ["--once"] + small, preempt))
            continue
        checkers.append(("check, seed %d" % seed, "check", small, preempt))
        checkers.append(("seed %d" % seed, "plain", brief, {"SEED": seed}))
    # Start the slowest kind first.
    checkers.sort(key=lambda run: run[1] != "check")
    return with_devices(checkers, build)


def reached_file(build, checker):
    """The file to which the runs of a checker append the kernels that they launch."""
    return os.path.join(build, "stress", checker.replace(", ", "-").replace(" ", "-"))


def run(build, plan):
    """(name, passed, failed, seconds, output if anything failed)."""
    checker, device, program, lines, settings = plan
    name = checker + (", " + device if device else "")
    settings = dict(settings, REACHED=reached_file(build, checker))
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
    parser.add_argument("--weak", action="store_true", help="the PTX executor, weak memory")
    options = parser.parse_args()
    build = options.build
    total_passed = total_failed = 0

    sweeps.write_tiles()
    shutil.rmtree(os.path.join(build, "stress"), ignore_errors=True)
    os.makedirs(os.path.join(build, "stress"))
    if options.weak:
        todo = list(weak_plans(build, options.seeds))
    else:
        todo = list(plans(build, options.seeds, options.size))
    files = {plan[0]: reached_file(build, plan[0]) for plan in todo}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, passed, failed, seconds, output in pool.map(functools.partial(run, build), todo):
            print("%-40s %4d passed %4d failed %7.1f s" % (name, passed, failed, seconds))
            if output:
                print("\n".join(output.splitlines()[:40]))
            sys.stdout.flush()
            total_passed += passed
            total_failed += failed
    unreached = reached.judge_files(["%s=%s" % item for item in files.items()])
    print("%d passed, %d failed" % (total_passed, total_failed))
    return total_failed != 0 or unreached


if __name__ == "__main__":
    sys.exit(main())
