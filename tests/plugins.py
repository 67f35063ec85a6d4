#!/usr/bin/python3
"""plugins.py GPUBENCH -- plug-ins are compiled against the installed header, then listed, checked,
measured and judged.  One that crashes, hangs, exits, forks or closes files costs only its own
points."""

import glob
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import jsonschema

program = os.path.realpath(sys.argv[1])
here = os.path.dirname(os.path.realpath(__file__))

# Variant -> status and a part of the reason.
FATES = {
    "honest": ("ok", ""),
    "crash": ("failed", "crashed in run(): Segmentation fault"),
    "hang": ("failed", "time-out: run() did not end within 5 s"),
    "leave": ("failed", "ended its process with status 0 in run()"),
    "quit": ("failed", "ended its process with status 0 in run()"),
    "closes": ("ok", ""),
    "unlinked": ("failed", "in run()"),
    "prints": ("ok", ""),
    "greedy": ("failed", "in run()"),
    "forks": ("failed", "no process"),
    "kills": ("ok", ""),
    "fails": ("failed", "as it likes?[31m?"),
    "scribbles": (None, ""),  # a hit is chance
    "answers": ("failed", "closed its link in run()"),
    "leaks": ("failed", "no memory"),
    "swarms": ("failed", "no thread"),
    "nothing": ("failed", ""),
    "slows": ("failed", "by the variant's clock"),
    "traps": ("failed", "reading the input takes"),
}


# Variant -> correct, honest, exit status and a part of the reasons of a verdict.
VERDICTS = {
    "nothing": (False, None, 1, "not a permutation of the input"),
    "slows": (True, False, 1, "failed: the time of a run"),
    "forks": (False, None, 4, "no process"),
}


def run(*arguments, status=0, **more):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False,
                          timeout=1200, **more)
    assert status is None or done.returncode == status, (arguments, done)
    return done


def compile_plugin(source, target, *flags, header="today"):
    subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O2",
                    "-fPIC", "-shared", "-I", os.path.join(folder, header), *flags, source,
                    "-o", target], check=True)


def put_headers():
    """today/ has the header as it would be installed, abi-1/ as it once was."""
    for header in "today", "abi-1":
        os.makedirs(os.path.join(folder, header, "gpubench"))
    with open(os.path.join(folder, "today/gpubench/plugin.h"), "w", encoding="utf-8") as file:
        subprocess.run([os.path.join(here, "../scripts/plugin-header.sh")], stdout=file, check=True)
    shutil.copy(os.path.join(here, "plugins/plugin-1.h"),
                os.path.join(folder, "abi-1/gpubench/plugin.h"))


def old_plugin():
    """A plug-in compiled against the first header loads, passes and is measured."""
    plugin = os.path.join(folder, "old.so")
    compile_plugin(os.path.join(here, "plugins/sorts.c"), plugin, '-DNAME="old"', header="abi-1")
    checked = run("check", "radix", "cpu/honest", "--plugin=" + plugin).stdout
    assert "cpu/honest           ok" in checked, checked
    record = records("radix", "cpu/honest", "--count=50k", "--max-time=0.1", "--plugin=" + plugin,
                     status=0)[0]
    assert record["metrics"]["touched_bytes"] == 1000, record
    assert set(record["phases"]) == {"copy", "sort"}, record


def records(*arguments, status=None):
    lines = run(*arguments, "-q", "-o", "-", status=status).stdout.splitlines()
    return [r for r in map(json.loads, lines) if r["type"] == "record"]


def refused(what, *arguments):
    """One line on standard error, and status 2."""
    done = run("radix", *arguments, "--dry-run", status=2)
    assert done.stderr.count("\n") == 1 and what in done.stderr, (what, done.stderr)


def left():
    """Processes that this test has started, by their environment."""
    for environ in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(environ, "rb") as file:
                if ("PLUGINS_TEST=" + folder).encode() in file.read():
                    yield environ
        except OSError:
            pass


def fates(plugin):
    """Every variant in one sweep: the sweep goes on whatever a plug-in does."""
    found = records("radix", *("cpu/" + name for name in FATES), "cpu/best", "--count=1k,50k",
                    "--threads=1", "--plugin=" + plugin, "--timeout=5", "--max-time=0.1",
                    "--memory=100000000")
    for name, (status, reason) in FATES.items():
        own = [r for r in found if r["variant"] == name]
        assert len(own) == 2, name
        # 1k keys are sorted in less time than two clocks may differ by, and fill no page.
        for record in own[name in ("slows", "traps"):]:
            assert status in (None, record["status"]) and reason in record.get("reason", ""), record
    assert [r["status"] for r in found if r["variant"] == "best"] == ["ok", "ok"]
    with open(plugin, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    honest = [r for r in found if r["variant"] == "honest"][1]
    assert honest["plugin"] == {"name": "sorts", "version": "1.0", "path": plugin, "sha256": digest}
    assert set(honest["phases"]) == {"copy", "sort"}, honest
    assert honest["metrics"]["touched_bytes"] == 1000
    assert honest["verify"]["runs"] >= 3
    assert not list(left()), "processes are left"


def ends(plugin):
    """Ctrl-C and SIGKILL of the judge leave no process while run() hangs; records stay."""
    for number in signal.SIGINT, signal.SIGKILL:
        file = os.path.join(folder, "ended.jsonl")
        judge = subprocess.Popen([program, "radix", "cpu/honest", "cpu/hang", "--count=1k", "-q",
                                  "--samples=3", "--plugin=" + plugin, "--timeout=100", "-o", file],
                                 stderr=subprocess.DEVNULL)
        end = time.time() + 60
        while time.time() < end and '"record"' not in text_of(file):
            time.sleep(0.05)
        time.sleep(0.5)
        judge.send_signal(number)
        start = time.time()
        assert judge.wait(60) == (130 if number == signal.SIGINT else -number)
        # The judge looks every 250 ms; the rest is for a busy machine.
        assert time.time() - start < 5, time.time() - start
        while list(left()) and time.time() - start < 5:
            time.sleep(0.05)
        assert not list(left()), "processes are left"
        with open(file, encoding="utf-8") as lines:
            assert [r["status"] for r in map(json.loads, lines) if r["type"] == "record"] == ["ok"]
        os.remove(file)


def loads():
    """A signal ends a command at once while a plug-in loads, in either process."""
    source, plugin = os.path.join(folder, "loads.c"), os.path.join(folder, "loads.so")
    begun = os.path.join(folder, "begun")
    with open(source, "w", encoding="utf-8") as file:
        file.write("""#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void load(void)
{
	(void)close(open("%s", O_CREAT | O_WRONLY, 0600));
	for (;;)
		(void)pause();
}
""" % begun)
    compile_plugin(source, plugin)
    for number, words in [(signal.SIGINT, ["radix"]), (signal.SIGTERM, ["list"]),
                          (signal.SIGTERM, ["radix", "--no-isolate"]),
                          (signal.SIGINT, ["judge", "radix"])]:
        process = subprocess.Popen([program, *words, "--plugin=" + plugin],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.time() + 60
        while time.time() < end and not os.path.exists(begun):
            time.sleep(0.01)
        os.remove(begun)
        process.send_signal(number)
        start = time.time()
        assert process.wait(60) == 130, words
        # The judge waits for 5 s, then kills its launch; the limit of loading is 60 s.
        assert time.time() - start < 4, (words, time.time() - start)
    while list(left()) and time.time() - start < 5:
        time.sleep(0.05)
    assert not list(left()), "processes are left"


def text_of(file):
    try:
        with open(file, encoding="utf-8") as lines:
            return lines.read()
    except FileNotFoundError:
        return ""


def throws():
    """An exception of C++ ends the process, and costs only its own points."""
    source, plugin = os.path.join(folder, "throws.cc"), os.path.join(folder, "throws.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write("""#include <gpubench/plugin.h>
static gb_status create(void *, const void *, const void *, gb_error *) { return GB_OK; }
static gb_status run(void *, gb_timer *, gb_error *) { throw 1; }
static gb_status download(void *, void *, gb_error *) { return GB_OK; }
static const gb_variant_ops all = [] {
	gb_variant_ops o{};
	o.state_size = 1;
	o.create = create;
	o.run = run;
	o.download = download;
	return o;
}();
GB_PLUGIN("throws", "1", { "radix", "throws", GB_CPU, "a test", &all });
""")
    subprocess.run(["g++", "-fPIC", "-shared", "-I", os.path.join(folder, "today"), source,
                    "-o", plugin], check=True)
    return plugin


def verdicts(*arguments, status, said=0):
    """The lines that judge prints, by the schema."""
    done = run("judge", "radix", *arguments, "--threads=1", status=status)
    assert done.stderr.count("\n") == said, done.stderr
    with open(os.path.join(here, "../results/gpubench-verdict-1.schema.json"), "rb") as file:
        schema = json.load(file)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        jsonschema.validate(line, schema)
    return lines


def judged(plugin, other):
    """Verdicts on files with variants of the same names, one that is no plug-in between them."""
    files = "--plugin=%s,%s/none.so,%s" % (plugin, folder, other)
    both = verdicts("cpu/stalls", files, "--count=20k", "--budget=600", "--launches=5", status=2,
                    said=1)
    assert [v["plugin"]["name"] for v in both] == ["sorts", "other"], both
    assert both[0]["check"]["seed"] != both[1]["check"]["seed"]
    for verdict, suspected in zip(both, (1, 0)):
        result = verdict["correct"], verdict["honest"], verdict["exit_status"]
        assert result == (True, True, 0), verdict
        point, = verdict["points"]
        ours = point["ours"]
        assert point["key"] == "radix/cpu/stalls count=20000", point
        assert (point["launches"], point["suspected"]) == (5, suspected), point
        assert ours["key"].startswith("radix/cpu/"), point
        # qsort() is far slower than the fastest of ours.
        assert 1.5 < ours["ratio_low"] <= ours["ratio"] <= ours["ratio_high"], point
        assert abs(point["time_ns"] / ours["time_ns"] / ours["ratio"] - 1) < 0.5, point
    bad = verdicts(*("cpu/" + name for name in VERDICTS), "--plugin=" + plugin, "--count=200k",
                   "--budget=600", "--launches=1", status=1)
    assert len(bad) == len(VERDICTS)
    for verdict in bad:
        *wanted, reason = VERDICTS[verdict["variant"][4:]]
        result = [verdict["correct"], verdict["honest"], verdict["exit_status"]]
        assert result == wanted, verdict
        assert any(reason in text for text in verdict["reasons"]), verdict
        assert bool(verdict["points"]) == bool(verdict["correct"]), verdict
        # Times that contradict each other are looked at a second time.
        assert all((p["launches"], p["suspected"]) == (2, 2) for p in verdict["points"]), verdict


def unjudged():
    """Too many variants."""
    source, many = os.path.join(folder, "many.c"), os.path.join(folder, "many.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <gpubench/plugin.h>\n"
                   "static const struct gb_variant_ops ops = { .state_size = 1,\n"
                   "\t.create = (void *)1, .run = (void *)1, .download = (void *)1 };\n"
                   'GB_PLUGIN("many", "1", %s);\n' % ", ".join(
                       '{ "radix", "v%d", GB_CPU, "a test", &ops }' % i for i in range(33)))
    compile_plugin(source, many, "-Wno-missing-field-initializers")
    done = run("judge", "radix", "--plugin=" + many, status=2)
    assert done.stderr == "gpubench: %s: more than 32 variants of radix\n" % many, done.stderr


def main():
    plugin = os.path.join(folder, "sorts.so")
    compile_plugin(os.path.join(here, "plugins/sorts.c"), plugin, '-DNAME="sorts"')
    listed = run("list", "radix", "--plugin=" + plugin).stdout
    assert all("cpu/" + name in listed for name in FATES), listed
    assert "honest" in run("list", "radix", env=dict(os.environ, GPUBENCH_PLUGINS=plugin)).stdout
    assert "honest" not in run("list", "radix").stdout
    fates(plugin)
    ends(plugin)
    loads()
    old_plugin()
    both = records("radix", "cpu/throws", "cpu/honest", "--count=1k", "--samples=3",
                   "--plugin=%s,%s" % (throws(), plugin))
    assert [(r["variant"], r["status"], r["plugin"]["name"]) for r in both] == [
        ("throws", "failed", "throws"), ("honest", "ok", "sorts")], both
    assert "crashed in run(): Aborted" in both[0]["reason"], both
    # Hot, in batches; in this process, too.
    for more in [], ["--no-isolate"]:
        hot = records("radix", "cpu/honest", "--count=200", "--hot", "--max-time=0.1",
                      "--plugin=" + plugin, *more, status=0)
        assert hot[0]["status"] == "ok" and hot[0]["batch"] > 1, hot
    checked = run("check", "radix", "cpu/honest", "cpu/nothing", "--plugin=" + plugin,
                  status=1).stdout
    for fate in "cpu/honest           ok", "cpu/nothing          FAILED":
        assert fate in checked, checked
    # Another file is another build.
    other = os.path.join(folder, "other.so")
    compile_plugin(os.path.join(here, "plugins/sorts.c"), other, '-DNAME="other"')
    judged(plugin, other)
    unjudged()
    refused("already has a variant cpu/honest", "--plugin=%s,%s" % (plugin, other))
    with open(os.path.join(folder, "text.so"), "w", encoding="utf-8") as file:
        file.write("text")
    open(os.path.join(folder, "empty.so"), "w", encoding="utf-8").close()
    os.mkfifo(os.path.join(folder, "fifo.so"))
    bare = os.path.join(folder, "bare.c")
    with open(bare, "w", encoding="utf-8") as file:
        file.write("int nothing;\n")
    compile_plugin(bare, os.path.join(folder, "bare.so"))
    table = os.path.join(folder, "table.c")
    for name, text, what in [
            ("later", "{ 99, 8, 0, 0, 0, 0 }", "has ABI 99, this program 1"),
            ("blank", "{ 1, sizeof(struct gb_variant_ops), 0, 0, 0, 0 }", "needs a name"),
            ("lost", '{ 1, sizeof(struct gb_variant_ops), "x", "1", (void *)8, 1 }',
             "lost.so: the plug-in crashed in loading")]:
        with open(table, "w", encoding="utf-8") as file:
            file.write("#include <gpubench/plugin.h>\n"
                       "const struct gb_plugin gpubench_plugin = %s;\n" % text)
        compile_plugin(table, os.path.join(folder, name + ".so"),
                       "-Wno-missing-field-initializers")
        refused(what, "--plugin=%s/%s.so" % (folder, name))
    lost = run("judge", "radix", "--plugin=" + folder + "/lost.so", status=2).stderr
    assert lost.startswith("gpubench: " + folder + "/lost.so: the plug-in crashed"), lost
    for name, what in [("none.so", "No such file"), ("text.so", "file too short"),
                       ("empty.so", "is empty"), ("fifo.so", "not a regular file"),
                       ("", "not a regular file"),
                       ("bare.so", "does not define gpubench_plugin")]:
        refused(what, "--plugin=%s/%s" % (folder, name))
    refused("expects files", "--plugin=" + plugin + ",")
    print("plug-ins: ok")


with tempfile.TemporaryDirectory() as folder:
    os.environ["PLUGINS_TEST"] = folder
    put_headers()
    main()
