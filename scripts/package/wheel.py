#!/usr/bin/python3
"""wheel.py SOURCE TREE VERSION FOLDER -- packs TREE, which package.sh builds, as a wheel in
FOLDER, and prints its name.  The same input makes the same bytes."""

import base64
import hashlib
import os
import re
import sys
import zipfile

source, tree, version, folder = sys.argv[1:]
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine of ELF
METADATA = """Metadata-Version: 2.1
Name: gpubench
Version: %s
Summary: Benchmark of irregular GPU algorithms, with every result verified
License: MIT
Requires-Python: >=3.8
Provides-Extra: plot
Requires-Dist: matplotlib>=3.6; extra == "plot"
Provides-Extra: frame
Requires-Dist: pandas; extra == "frame"
"""


def content(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def files_of(top):
    """Every file below the folder, relative to it."""
    return sorted(os.path.relpath(os.path.join(at, name), top)
                  for at, _, names in os.walk(top) for name in names)


# The least glibc that has all versions of symbols that the program and its libraries want.
program = content(tree, "bin/gpubench")
machine = MACHINES[int.from_bytes(program[18:20], "little")]
binaries = [program] + [content(tree, "lib/gpubench", name)
                        for name in files_of(os.path.join(tree, "lib/gpubench"))]
glibc = max(int(minor) for data in binaries for minor in re.findall(rb"GLIBC_2\.(\d+)", data))
tag = "py3-none-manylinux_2_%d_%s" % (glibc, machine)

info, data = "gpubench-%s.dist-info/" % version, "gpubench-%s.data/" % version
scripts = os.path.join(source, "scripts")
members = {
    "gpubench/__init__.py": b"from .records import Record, RecordError, Records, program, read\n",
    "gpubench/records.py": content(scripts, "records.py"),
    "gpubench/py.typed": b"",
    "gpubench/plot.py": content(scripts, "plot.py"),
    info + "METADATA": (METADATA % version).encode(),
    info + "WHEEL": ("Wheel-Version: 1.0\nGenerator: gpubench\nRoot-Is-Purelib: true\nTag: %s\n"
                     % tag).encode(),
    info + "entry_points.txt": b"[console_scripts]\ngpubench-plot = gpubench.records:plot\n",
    info + "LICENSE": content(source, "LICENSE"),
    data + "scripts/gpubench": program,
}
for name in files_of(tree):
    if name.startswith(("lib/", "share/")):
        members[data + "data/" + name] = content(tree, name)

record = "".join("%s,sha256=%s,%d\n" % (
    name, base64.urlsafe_b64encode(hashlib.sha256(member).digest()).rstrip(b"=").decode(),
    len(member)) for name, member in members.items())
members[info + "RECORD"] = (record + info + "RECORD,,\n").encode()

wheel = "gpubench-%s-%s.whl" % (version, tag)
with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
    for name, member in members.items():
        entry = zipfile.ZipInfo(name)  # dated 1980, the first year that a zip can name
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if name.endswith("scripts/gpubench") else 0o100644) << 16
        archive.writestr(entry, member)
print(wheel)
