"""mutation.py -- the parts that mutants.py and mutants_c.py share: the file of verdicts and
survivors.txt.

survivors.txt has the mutants that no test can find, or that need none, with the reason:

    FILE, in column 0
    TAB OPERATOR: the original line
    TAB TAB the reason, for all lines above it since the last reason

`*` in FILE, OPERATOR or the line matches any text.
"""

import json
import os
import re

SURVIVORS = os.path.join(os.path.dirname(__file__), "survivors.txt")


def read_survivors(path=SURVIVORS):
    """(file, operator, line, reason) of each entry."""
    entries, file, pending = [], None, []
    with open(path) as lines:
        for line in map(str.rstrip, lines):
            depth = len(line) - len(line.lstrip("\t"))
            text = line[depth:]
            if not text or text.startswith("#"):
                continue
            if depth == 0:
                file = text
            elif depth == 1:
                operator, _, original = text.partition(": ")
                pending.append((file, operator, original))
            else:
                entries += [key + (text,) for key in pending]
                pending = []
    if pending:
        raise ValueError("%s: no reason for %s" % (path, pending))
    return entries


def as_pattern(text):
    """`*` matches any text; brackets and question marks are themselves."""
    return re.compile(".*".join(map(re.escape, text.split("*"))) + r"\Z")


class Reasons:
    def __init__(self, entries=None):
        rows = read_survivors() if entries is None else entries
        self.exact = {row[:3]: row[3] for row in rows}
        self.patterns = [(tuple(map(as_pattern, row[:3])), row[3])
                         for row in rows if any("*" in part for part in row[:3])]

    def of(self, file, operator, line):
        """Why a mutant is not found, or None."""
        key = (file, operator, line)
        if key in self.exact:
            return self.exact[key]
        for patterns, reason in self.patterns:
            if all(p.match(part) for p, part in zip(patterns, key)):
                return reason
        return None


def read_kept(path):
    """mutant -> its verdict; the last one counts."""
    if not path or not os.path.exists(path):
        return {}
    with open(path) as file:
        return {row["mutant"]: row["found"] for row in map(json.loads, file)}


def keep(path, mutant, found):
    if path:
        with open(path, "a") as file:
            file.write(json.dumps({"mutant": mutant, "found": found}) + "\n")


def share_of(found, others, places):
    """Print the result; return the share of found mutants in percent."""
    total = found + others
    share = 100 * found // total if total else 100
    print("found %d of %d mutants (%d %%), of %d places" % (found, total, share, places))
    print("%d passed, %d failed" % (found, others))
    return share
