#!/usr/bin/python3
"""columns.py [TITLE=]COLUMN... -- prints some columns of CSV as a Markdown table.

It shows what `gpubench report` has only in its CSV, such as metrics and phases:

    gpubench report --format=csv FILE | scripts/columns.py scene=param_scene variant metric_sah_cost

Integers are printed in full, other numbers to four digits.  Rows without a value in any of the
metric_ columns asked for (skipped variants) are left out.  The exit status is 1 if a column does
not exist or no row is left.
"""
import csv
import re
import sys

if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
wanted = [word.partition("=")[::2] if "=" in word else (word, word) for word in sys.argv[1:]]
titles, names = zip(*wanted)
reader = csv.DictReader(sys.stdin)
for name in names:
    if name not in (reader.fieldnames or ()):
        sys.exit("columns.py: there is no column " + name)
metrics = [name for name in names if name.startswith("metric_")]
rows = [[row[name] for name in names] for row in reader
        if not metrics or any(row[m] for m in metrics)]
if not rows:
    sys.exit(1)


def shown(text):
    return "%.4g" % float(text) if re.fullmatch(r"-?\d*\.\d+(e[-+]?\d+)?", text) else text


left = [any(re.search("[^-+.0-9e]", text) for text in column) for column in zip(*rows)]
print("| %s |" % " | ".join(titles))
print("|%s" % "".join(" :--- |" if is_left else " ---: |" for is_left in left))
for row in rows:
    print("| %s |" % " | ".join(map(shown, row)))
