#!/usr/bin/python3
"""signals.py GPUBENCH -- tests of signals and of concurrent writers.

SIGINT, SIGTERM and SIGHUP end every command with status 130, even while it waits for a FIFO or
another program.  Child programs end with their parent, even if it is killed.  A second writer of a
file is refused.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

GPUBENCH = os.path.abspath(sys.argv[1])
LIMIT_S = 120  # far above the duration of any test here
LONG = ["stream", "cpu/copy", "--count=1000", "--hot", "--samples=1000000", "--max-time=1000",
        "--timeout=1000", "-q"]
results = []
# Child programs inherit it; under nohup it would be ignored.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def check(what, wanted, got):
    results.append(wanted == got)
    if wanted != got:
        print("signals: %s: wanted %r, got %r" % (what, wanted, got))


def start(*words):
    return subprocess.Popen([GPUBENCH, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True)


def until(condition):
    end = time.time() + LIMIT_S
    while not condition():
        if time.time() > end:
            return False
        time.sleep(0.01)
    return True


def field(pid, name):
    """A line of /proc/PID/status; "" if there is no such process."""
    try:
        with open("/proc/%d/status" % pid, encoding="ascii") as file:
            return next(line.split()[1] for line in file if line.startswith(name + ":"))
    except (OSError, StopIteration):
        return ""


def waits(pid):
    """True if the process has installed its handlers and sleeps."""
    return field(pid, "State") == "S" and int(field(pid, "SigCgt") or "0", 16) & 0x4001 == 0x4001


def cpu_s(pid):
    """Processor seconds; infinite if there is no such process."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as file:
            ticks = file.read().rsplit(")")[-1].split()[11:13]
            return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return float("inf")


def is_locked(path):
    """True if a process holds a lock of the file."""
    try:
        inode = ":%d " % os.stat(path).st_ino
    except OSError:
        return False
    with open("/proc/locks", encoding="ascii") as file:
        return any(inode in line for line in file)


def gone(pid):
    return field(pid, "State") in ("", "Z")


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def end_of(process):
    """The exit status, or "hangs"."""
    try:
        process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "hangs"
    return process.returncode


def child_of(process):
    """The program that it has started, after exec."""
    until(lambda: any(b"GPUBENCH_LAUNCH" in open("/proc/%d/environ" % c, "rb").read() or
                      open("/proc/%d/comm" % c, encoding="ascii").read() in ("hang\n", "sleep\n")
                      for c in children(process.pid)))
    return children(process.pid)[0]


def fifos():
    os.mkfifo("fifo")
    os.mkfifo("fifo.jsonl")
    writer = os.open("fifo", os.O_RDWR)  # without a writer a FIFO is empty
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = start("report", "fifo")
        until(lambda: waits(process.pid))
        process.send_signal(number)
        check("%s, waiting for a FIFO" % number.name, 130, end_of(process))
    process = start("report", "fifo")
    os.write(writer, b'{"type":')
    until(lambda: waits(process.pid))
    process.send_signal(signal.SIGTERM)
    check("SIGTERM, reading a FIFO", 130, end_of(process))
    os.close(writer)
    process = start(*LONG, "-o", "fifo.jsonl")
    until(lambda: waits(process.pid))
    process.send_signal(signal.SIGTERM)
    check("SIGTERM, opening a FIFO to write", 130, end_of(process))


def programs():
    with open("hang", "w", encoding="ascii") as file:
        file.write("#!/bin/sh\nexec sleep 1000\n")
    os.chmod("hang", 0o755)
    for number in (signal.SIGINT, signal.SIGKILL):
        process = start("ab", "a=./hang", "b=./hang", "--", "radix")
        child = child_of(process)
        process.send_signal(number)
        check("%s, ab with a program that hangs" % number.name,
              -9 if number == signal.SIGKILL else 130, end_of(process))
        check("%s: ab's program has ended" % number.name, True, until(lambda: gone(child)))
    for number in (signal.SIGTERM, signal.SIGKILL):
        output = "runs-%s.jsonl" % number.name
        process = start(*LONG, "--repetitions=2", "-o", output)
        child = child_of(process)
        until(lambda: waits(child) or field(child, "State") == "R")
        process.send_signal(number)
        check("%s, --repetitions" % number.name, -9 if number == signal.SIGKILL else 130, end_of(process))
        check("%s: the repetition has ended" % number.name, True, until(lambda: gone(child)))
    os.mkdir("tmp")
    os.environ["TMPDIR"] = "tmp"
    process = start(*LONG, "--repetitions=2")
    until(lambda: waits(child_of(process)) or field(child_of(process), "State") == "R")
    process.kill()
    check("SIGKILL, --repetitions without a file", (-9, []), (end_of(process), os.listdir("tmp")))
    check("no temporary file is left", [], [f for f in os.listdir(".") if f.endswith(".part")])


def writers():
    first = start(*LONG, "-o", "out.jsonl")
    until(lambda: is_locked("out.jsonl"))
    for words in ((), ("--overwrite",), ("--resume",)):
        second = start("stream", "cpu/copy", "--count=10", "-q", "-o", "out.jsonl", *words)
        said = second.communicate(timeout=LIMIT_S)[1].decode()
        check("a second writer, %s" % (words,),
              (5, "gpubench: cannot write out.jsonl: another process is writing it\n"),
              (second.returncode, said))
    first.send_signal(signal.SIGHUP)
    check("SIGHUP, measuring", 130, end_of(first))


def readers():
    """A signal ends a command that reads a large file."""
    run = '{"type":"run","schema":2,"run_id":"a"}\n'
    record = ('{"type":"record","schema":2,"run_id":"a","seq":%d,"bench":"radix","backend":"cpu",'
              '"variant":"v","key":"radix/cpu/v count=%d","params":{"count":%d},"status":"ok",'
              '"verify":{"result":"pass"},"time":'
              '{"clock":"monotonic","median":%d,"samples":[%s]}}\n')
    with open("large.jsonl", "w", encoding="ascii") as file:
        file.write(run)
        file.writelines(record % (i, i, i, i + 1, ",".join([str(i + 1)] * 200))
                        for i in range(20000))
    for words in (["report", "large.jsonl"], ["compare", "large.jsonl", "large.jsonl"],
                  ["repro", "radix:table1", "--from=large.jsonl"]):
        process = subprocess.Popen([GPUBENCH, *words], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        until(lambda: int(field(process.pid, "SigCgt") or "0", 16) & 0x4002 == 0x4002)
        process.send_signal(signal.SIGINT)
        check("SIGINT, %s" % words, 130, end_of(process))


def under_way():
    """A signal does not wait for an input or a run; what was measured before is kept and
    printed."""
    for name, variant, count in (("input", "cpu/best", "400M"), ("run", "cpu/qsort", "20M")):
        output = name + ".jsonl"
        process = start("radix", variant, "--count=1k," + count, "--threads=1", "--max-time=0.1",
                        "-o", output)
        check("a first point", True, until(lambda: os.path.exists(output) and
                                           len(open(output, "rb").read().split(b"\n")) > 2))
        if name == "run":  # longer than the input
            until(lambda: cpu_s(process.pid) > 1.5)
        else:
            time.sleep(0.3)
        process.terminate()
        check("its end", True, until(lambda: gone(process.pid)))
        out, err = process.communicate(timeout=LIMIT_S)
        check("status, %s" % name, 130, process.returncode)
        check("message, %s" % name, b"gpubench: interrupted\n", err)
        check("table of the first point, %s" % name, True, variant.encode() in out)


def nohup():
    process = subprocess.Popen(["nohup", GPUBENCH, *LONG], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    until(lambda: int(field(process.pid, "SigCgt") or "0", 16) & 0x4002 == 0x4002)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    check("SIGHUP under nohup", None, process.poll())
    process.send_signal(signal.SIGTERM)
    check("SIGTERM under nohup", 130, end_of(process))


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    for test in (fifos, programs, writers, under_way, readers, nohup):
        test()
    os.chdir("/")
print("signals: %d passed, %d failed" % (results.count(True), results.count(False)))
sys.exit(0 if all(results) else 1)
