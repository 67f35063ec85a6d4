#!/usr/bin/python3
"""otava_verdicts.py FILE: the shifts that Apache Otava finds in a file of series
(tests/trials/history_trials.c).

A line of the file is one series, with a number per launch.  Prints Otava's version, then for each
method its name and, for each series, a line with the places found, each the first launch of a new
level.  Needs the Python package apache-otava (not a dependency of gpubench: only the table in
docs/history.md is made with it).
"""
import importlib.metadata
import sys

from otava.analysis import compute_change_points, compute_change_points_orig

WAYS = [
    # The defaults of Otava's command line.
    ("Otava, p < 0.001, window 50", lambda s: compute_change_points(s, 50, 0.001, 0.0)[0]),
    # E-divisive as published, at the level that MongoDB used.
    ("Otava, E-divisive, p < 0.05", lambda s: compute_change_points_orig(s, 0.05, 1)[0]),
]


def main(path):
    with open(path, encoding="utf-8") as file:
        series = [list(map(float, line.split())) for line in file]
    print(importlib.metadata.version("apache-otava"))
    for name, find in WAYS:
        print(name)
        for values in series:
            print(*(change.index for change in find(values)))


main(*sys.argv[1:])
