"""mutation.py -- the parts that mutants.py and mutants_c.py share: runs limited by processor time,
the file of verdicts and survivors.txt.

survivors.txt has the mutants that no test can find, or that need none, with the reason:

    FILE..., in column 0
    TAB OPERATOR: the original line
    TAB TAB the reason, for all lines above it since the last reason

`*` in FILE, OPERATOR or the line matches any text.
"""

import ctypes
import glob
import json
import os
import re
import signal
import subprocess
import time

IDLE_S = 30
LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1
SURVIVORS = os.path.join(os.path.dirname(__file__), "survivors.txt")


def usage_of(top):
    """Processor seconds of a process and its descendants, those that it waited for included, and
    whether one of them computes or waits for a processor."""
    parent, ticks, ready = {}, {}, set()
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        process = int(path.split("/")[2])
        parent[process], ticks[process] = int(fields[1]), sum(map(int, fields[11:15]))
        if fields[0] == "R":
            ready.add(process)

    def is_below(process):
        while process and process != top:
            process = parent.get(process)
        return process == top

    below = set(filter(is_below, ticks))
    return sum(map(ticks.get, below)) / os.sysconf("SC_CLK_TCK"), not ready.isdisjoint(below)


def end_with_parent():
    """A run that hangs must not outlive this program."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def run(command, limit_s, idle_s=IDLE_S, prepare=end_with_parent, **options):
    """Run a command.  Return its status, or None if it hangs, and its processor seconds.

    It hangs if it and its descendants compute for limit_s, or for less than 0.1 s in idle_s while
    none waits for a processor and this program is not stopped, so other work on the machine makes
    no command hang."""
    pause, start = 0.002, time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=prepare,
                          **options) as process:
        before_s, idle, looked, due = 0.0, 0.0, start, start
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage.ru_utime + usage.ru_stime
            now = time.monotonic()
            if pause > 0.1 and now > due:
                due = now + min((now - start) / 4, IDLE_S / 6)  # reading /proc takes long
                used_s, ready = usage_of(process.pid)
                idle += min(now - looked, IDLE_S / 3)
                looked = now
                if ready or used_s > before_s + 0.1:
                    before_s, idle = used_s, 0.0
                if used_s > limit_s or idle > idle_s:
                    process.kill()
                    return None, used_s
            time.sleep(pause)
            pause = min(1.5 * pause, 0.25)


def read_survivors(path=SURVIVORS):
    """(file, operator, line, reason) of each entry."""
    entries, files, pending = [], [], []
    with open(path) as lines:
        for line in map(str.rstrip, lines):
            depth = len(line) - len(line.lstrip("\t"))
            text = line[depth:]
            if not text or text.startswith("#"):
                continue
            if depth == 0:
                files = text.split()
            elif depth == 1:
                operator, _, original = text.partition(": ")
                pending += [(file, operator, original) for file in files]
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
