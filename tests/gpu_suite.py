#!/usr/bin/python3
"""gpu_suite.py PROGRAM -- a rehearsal of scripts/gpu-suite.sh, and scripts/gpu-results.py.

PROGRAM is gpubench-simt.  The suite runs whole on a fake device: a wrapper of PROGRAM gives tiny
records in place of each step's.  One step is cut off by its limit, then by a kill, and goes on from
the stage's tar alone.  Records of an H100 are stored from tars; each kind of surprise is planted
once and must be printed.  Hostile tars get one line and status 2 and write nothing.
"""
import contextlib
import copy
import importlib.util
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

PROGRAM = os.path.realpath(sys.argv[1])
TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
STAGES = ("model", "users", "vulkan", "check", "counters", "ab", "papers", "cpu")
CUT = "quick-radix"  # the step that is cut off
# Stand-ins for the device: path -> script.
FAKES = {
    "gpubench": """
prev= file=
for word; do
	[ "$prev" != -o ] || file=$word
	prev=$word
	case $word in --output=*) file=${word#*=} ;; esac
done
[ "$word" != --dry-run=keys ] || exit 0
tiny() {
	%(program)s stream cuda/copy --samples=1 --warmup=0 -q --count=$1 -o "$file" "$word"
}
case $1,$file in
check,*) exit ;;
ab,*) exec %(program)s "$@" ;;
repro,) shift 2 && exec %(program)s repro radix:table1 --preset=quick "$@" ;;
env,) [ "$2" ] && echo '%(facts)s' || { echo "gpu 0; Vulkan 1.3"; %(program)s env; } ;;
*,) exec %(program)s "$@" ;;
*/octree.jsonl | */lbvh.jsonl) echo '{"key": "k", "a_hash": "0x1"}' >"$file" ;;
*%(cut)s.jsonl)
	tiny 64 || exit
	[ ! -e %(slow)s ] || { : >%(slow)s.now; sleep 100; }
	tiny 64,128 ;;
*) cp %(record)s "$file" ;;
esac
""",
    "nvidia-smi": "echo NVIDIA Fake 1",
    "compute-sanitizer": 'shift 4; exec "$@"',
    "ncu": "exit",
    "unit": "exit",
}
FACTS = {"gpus": [{"name": "SIMT emulator"}], "cuda": {"driver": "1"}, "tool": {"commit": "abc"}}
CHANGED = """radix cuda/small --count=1000
radix cuda/new cuda/small --type=u64 --count=1000
radix cuda/new --count=1000
"""
failed = 0


def expect(what, holds, said=""):
    global failed
    if not holds:
        failed += 1
        print("gpu_suite: %s\n%s" % (what, said))


def records_in(tar, name):
    """The records of a file of a tar."""
    with tarfile.open(tar) as file:
        lines = file.extractfile(name).read().decode().splitlines()
    return [line for line in map(json.loads, lines) if line["type"] == "record"]


def summary_of(tar):
    """{step: its last line}"""
    with tarfile.open(tar) as file:
        said = file.extractfile("users/summary").read().decode().splitlines()
    return {line.split()[0]: line for line in said if not line.startswith("#")}


# ---- the suite -----------------------------------------------------------------------------


def test_suite(scratch):
    slow, out = os.path.join(scratch, "slow"), os.path.join(scratch, "out")
    record = os.path.join(scratch, "record.jsonl")
    subprocess.run([PROGRAM, "stream", "cuda/copy", "--count=64", "--samples=1", "-qo", record],
                   check=True)
    fakes = os.path.join(scratch, "prebuilt")
    os.makedirs(os.path.join(fakes, "old"))
    for name, text in FAKES.items():
        with open(os.path.join(fakes, name), "w") as file:
            for word, meant in (("program", shlex.quote(PROGRAM)), ("cut", CUT), ("slow", slow),
                                ("record", record), ("facts", json.dumps(FACTS))):
                text = text.replace("%%(%s)s" % word, meant)
            file.write("#!/bin/sh\n" + text)
        os.chmod(file.name, 0o755)
    shutil.copy(os.path.join(fakes, "gpubench"), os.path.join(fakes, "old"))
    for name, text in (("hashes", "k a_hash 0x1\n" * 2), ("changed", CHANGED)):
        with open(os.path.join(fakes, name), "w") as file:
            file.write(text)
    suite = [os.path.join(TOP, "scripts", "gpu-suite.sh"), out]
    environment = {"PREBUILT": fakes, "GPUBENCH": os.path.join(fakes, "gpubench"),
                   "PATH": fakes + ":" + os.environ["PATH"]}

    def run(*stages, **more):
        done = subprocess.run([*suite, *stages], capture_output=True, text=True,
                              env=dict(os.environ, **environment, **more))
        return done.returncode, done.stdout + done.stderr

    def tar(stage):
        return os.path.join(out, stage + ".tar")

    def summary(stage):
        with open(os.path.join(out, stage, "summary")) as file:
            return file.read()

    expect("a stage that is none", run("nonsense")[0] == 2)
    status, said = run("vulkan", DRY="1", SCALE="10")
    expect("scaled time", status == 0 and said.endswith("all: 0:08; a tar for each stage: "
                                                        "vulkan.tar\n"), said)
    status, said = run(*[s for s in STAGES if s != "users"])
    expect("all other stages", status == 0 and "0 steps are not done" in said, said)
    expect("sanitizers, unit tests and hashes", all(
        re.search("^%s .* ok$" % step, summary("check"), re.M)
        for step in ("memcheck-radix", "racecheck-radix", "check-lbvh", "unit-tests", "hashes")))
    made = {name for name in os.listdir(os.path.join(out, "ab")) if name.endswith(".json")}
    expect("variants that the old program lacks are not compared",
           made == {"ab-1.json", "ab-2.json"}, made)
    # Cut off by the step's limit.
    open(slow, "w").close()
    status, said = run("users")
    expect("a step is stopped", status == 1 and re.search(
        r"^%s +\d+ s  stopped after \d+ s$" % CUT, summary("users"), re.M), said)
    expect("its record", len(records_in(tar("users"), "users/%s.jsonl" % CUT)) == 1, said)
    for stage in STAGES:
        with tarfile.open(tar(stage)) as file:
            names = file.getnames()
            sizes = [member.size for member in file]
        expect(stage + ".tar: a summary, smallest files first",
               stage + "/summary" in names and sizes == sorted(sizes), names)
    with open(os.path.join(out, "model", "large.log"), "w") as file:
        file.truncate(16 << 20)
    status, said = run("model")
    with tarfile.open(tar("model")) as file:
        expect("a file that does not fit is named", status == 0 and
               file.extractfile("model/left-out").read() == b"large.log\n", file.getnames())
    # Cut off by a kill of all processes.
    os.remove(slow + ".now")
    job = subprocess.Popen([*suite, "users"], start_new_session=True, stdout=subprocess.DEVNULL,
                           env=dict(os.environ, **environment))
    while not os.path.exists(slow + ".now") and job.poll() is None:
        time.sleep(0.02)
    subprocess.run(["pkill", "-KILL", "-s", str(job.pid)], check=True)
    job.wait()
    # Only the tar goes to the next machine.
    shutil.rmtree(os.path.join(out, "users"))
    os.remove(slow)
    before = summary_of(tar("users"))
    kept = records_in(tar("users"), "users/%s.jsonl" % CUT)
    left = [name for name, line in before.items() if not line.endswith(" ok")]
    status, said = run("users")
    expect("goes on", status == 0 and CUT in left and said.startswith(
        "stage users: %d steps" % len(left)), said)
    found = records_in(tar("users"), "users/%s.jsonl" % CUT)
    expect("the record that was there, and one more", len(found) == 2 and found[0] == kept[0] and
           found[0]["key"] != found[1]["key"], found)
    status, said = run("users")
    expect("nothing is left", status == 0 and said.startswith("stage users: 0 steps"), said)
    tars = [tar(stage) for stage in STAGES]
    status, said = fold("--dry-run", *tars)
    expect("tars of the emulator", status == 0 and re.match(
        r"\d\d records of SIMT emulator; 0 surprises\n$", said), said)
    expect("are not stored", fold(*tars) == (2, "gpu-results.py: %s: no GPU made these records"
                                                  "\n" % ", ".join(tars)))


# ---- results -------------------------------------------------------------------------------


def fold(*words):
    """Status and output of the copy's gpu-results.py."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = script.main(words)
    return status, said.getvalue()


def write_tar(path, files, members=()):
    """files: {name: text}; members: other ones."""
    with tarfile.open(path, "w") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
        for member in members:
            tar.fileobj.write(member.tobuf())  # a header; addfile() wants a file for some
    return path


def lines(values):
    return "".join(json.dumps(value) + "\n" for value in values)


def stored(name):
    with open(os.path.join(TOP, "results/measured/h100-2026-11-23", name)) as file:
        return [json.loads(line) for line in file]


def record_of(records, key):
    return next(r for r in records if r.get("key") == key and r["type"] == "record")


def times(record, factor):
    record["time"]["median"] *= factor
    record["time"]["ci95"] = [end * factor for end in record["time"]["ci95"]]


def fail(record):
    record.update(status="failed", reason="planted")
    del record["time"]


# A line printed of a record -> how to plant it there.
PLANTED = {
    r"failed +radix/cuda/lsd4 count=65536 \(points.jsonl\): failed: planted": fail,
    r"failed +octree/cuda/morton count=65536 \(.*\): doubtful: ": lambda r: r.update(
        status="doubtful"),
    r"further +lbvh/cuda/ploc scene=soup primitives=65536: .*, [0-9.]+ times": lambda r: times(
        r, 10),
    r"reversed +radix/cuda/cub count=1048576: .*, and onesweep .*": lambda r: times(r, 0.5),
    r"throttled +stream/cuda/copy count=16777216 \(points.jsonl\): 3 samples, 0.5 s":
        lambda r: r["gpu_state"].update(throttled_samples=3, throttled_s=0.5),
    r"noisy +cbt/cuda/block fill=0.3 \(points.jsonl\): .* \+- 25 %, \d+ samples":
        lambda r: r["time"].update(ci95=[r["time"]["median"] * f for f in (0.75, 1.25)]),
}
KEYS = ("radix/cuda/lsd4 count=65536", "octree/cuda/morton count=65536",
        "lbvh/cuda/ploc scene=soup primitives=65536", "radix/cuda/cub count=1048576",
        "stream/cuda/copy count=16777216", "cbt/cuda/block fill=0.3")
SUMMARY = """# H100
env 0 s  ok
points 80 s  stopped after 80 s
stream 1 s  FAILED, status 4
points 9 s  ok
"""
VERDICT = {"keys": [{"key": "radix/cuda/small count=8192", "verdict": "slower", "ratio": 1.31},
                    {"key": "radix/cuda/onesweep", "verdict": "same", "ratio": 1.0}]}
OTHERS = (r"slower +radix/cuda/small count=8192: 1.31 times its old time",
          r"failed +step stream 1 s FAILED, status 4 of model",
          r"mixed +points.jsonl: 2 GPUs")


def constants(records, ns):
    """A run and its microbenchmarks."""
    return records[:1] + [
        dict(record_of(records, "stream/cuda/copy"), time={"median": ns},
             key="stream/cuda/copy count=2048 op=" + op)
        for op in ("launch", "issue", "shared", "latency", "barrier", "host")]


def test_surprises(scratch):
    records = stored("points.jsonl")
    tar = os.path.join(scratch, "model.tar")
    status, before = fold("--dry-run", write_tar(tar, {"model/points.jsonl": lines(records)}))
    expect("records as stored", status == 0 and re.match(
        r"116 records of NVIDIA H100 80GB HBM3; \d+ surprises\n", before), before)
    for key, plant in zip(KEYS, PLANTED.values()):
        plant(record_of(records, key))
    records[0]["gpus"][0]["uuid"] = "GPU-another"
    ab = write_tar(os.path.join(scratch, "ab.tar"), {"ab/ab-1.json": json.dumps(VERDICT)})
    write_tar(tar, {"model/points.jsonl": lines(records), "model/summary": SUMMARY})
    status, after = fold("--dry-run", tar, ab)
    for said in (*PLANTED, *OTHERS):
        found = re.search("^%s$" % said, after, re.M)
        expect("printed if planted: " + said, found and found[0] not in before, after)
    own = write_tar(os.path.join(scratch, "own.tar"), {
        "model/constants.jsonl": lines(constants(stored("stream.jsonl"), 1e9))})
    said = fold("--dry-run", tar, own)[1]
    expect("predicted by the GPU's own constants", re.search(
        r"further +radix/cuda/onesweep count=65536: .*, 0.00 times", said), said)
    expect("a step that ended", status == 0 and "step points" not in after, after)


COUNTERS = [{"gpu": "NVIDIA H100 80GB HBM3", "driver": "1", "commit": "abc"},
            {"key": "radix/cuda/split count=65536", "kernel": "scan_kernel()", "launches": 1,
             "commit": "abc", "counters": {"ns": 5}},
            {"key": "radix/cuda/onesweep count=65536", "kernel": "pass_kernel()", "launches": 1,
             "commit": "abc", "counters": {"ns": 5}}]


def later(records):
    """As of 2026-12-01."""
    records = copy.deepcopy(records)
    for run in records:
        if run["type"] == "run":
            run["started"] = "2026-12-01T08:00:00Z"
    return records


def tree_of(root):
    """{path: contents' time and size} of the files in a folder, and in the one around it."""
    around = os.path.dirname(root)
    return {path: (os.stat(path).st_mtime_ns, os.stat(path).st_size)
            for folder, _, files in os.walk(around) for path in
            (os.path.join(folder, file) for file in files) if not path.endswith(".tar")}


def load_copy(scratch):
    """A copy of this tree's scripts, records and some pages, and its gpu-results.py."""
    root = os.path.join(scratch, "around", "root")
    for folder in ("scripts", "results"):
        shutil.copytree(os.path.join(TOP, folder), os.path.join(root, folder))
    os.mkdir(os.path.join(root, "docs"))
    for page in ("docs/stream.md", "README.md"):
        shutil.copy(os.path.join(TOP, page), os.path.join(root, page))
    sys.path.insert(0, os.path.join(root, "scripts"))
    path = os.path.join(root, "scripts", "gpu-results.py")
    spec = importlib.util.spec_from_file_location("gpu_results", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return root, module


def test_storing(root, scratch):
    stream = later(stored("stream.jsonl"))
    tar = write_tar(os.path.join(scratch, "model.tar"), {
        "model/stream.jsonl": lines(stream) + '{"type": "rec', "model/summary": SUMMARY})
    more = write_tar(os.path.join(scratch, "counters.tar"), {
        "counters/counters.jsonl": lines(COUNTERS)})
    ab = write_tar(os.path.join(scratch, "ab.tar"), {
        "ab/ab-%d.%s.jsonl" % at: lines(stream) for at in ((1, "old"), (2, "old"), (1, "new"))})
    folder = os.path.join(root, "results/measured/h100-2026-12-01")
    print_pages, script.print_pages = script.print_pages, lambda folder: None
    status, said = fold(write_tar(os.path.join(scratch, "part.tar"), {
        "model/stream.jsonl": lines(stream)[:-9]}))
    expect("a file that was cut off", status == 0, said)
    done = subprocess.run([os.path.join(root, "scripts", "figures.py"), folder],
                          capture_output=True, text=True)
    expect("a table that needs more records stays", done.returncode == 0 and re.fullmatch(
        r"docs/stream.md keeps .*/stream.jsonl: .*/stream.jsonl lacks 1 of its 2 points\n",
        done.stdout), done.stdout + done.stderr)
    script.print_pages = print_pages
    status, said = fold(tar, more, ab)
    expect("stored", status == 0 and "1 lines of counters added" in said, said)
    sizes = {name: os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)}
    size = len(lines(stream))
    expect("files", sizes == {
        "stream.jsonl": size, "ab-old.jsonl": 2 * size, "ab-new.jsonl": size,
        "counters.jsonl": len(lines(COUNTERS)), "model.summary": len(SUMMARY)}, sizes)
    with open(os.path.join(root, "results/counters.jsonl")) as file:
        expect("counters of a point without any", json.loads(file.readlines()[-1]) == COUNTERS[1])
    with open(os.path.join(root, "docs/stream.md")) as file:
        expect("the page", "h100-2026-12-01/stream.jsonl -->" in file.read(), said)
    with open(os.path.join(root, "README.md")) as file:
        expect("a table without new records stays", "h100-2026-11-23/radix-cub" in file.read())
    expect("pages", os.path.exists(os.path.join(root, "docs/predictions.md")))
    stream[0]["argv"].append("--another")
    write_tar(tar, {"model/stream.jsonl": lines(stream)})
    status, said = fold(tar)
    expect("a changed file", status == 2 and said.endswith("with other contents\n"), said)


def member(name, kind=tarfile.REGTYPE, link="", size=0):
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, link, size
    return made


def hostile(scratch):
    """(what it is, contents of the file or of a tar, members of the tar)"""
    records = later(stored("stream.jsonl"))
    run = records[0]
    points = "model/points.jsonl"
    with open(write_tar(os.path.join(scratch, "x.tar"), {points: lines(records)}), "rb") as file:
        whole = file.read()
    yield "not a tar", b"nonsense\n" * 1000, ()
    yield "zeros in part", b"x" * 1024 + bytes(1024), ()
    yield "empty", b"", ()
    for size in (512, 700, len(whole) // 2, 1024):
        yield "cut at %d" % size, whole[:size], ()
    for name in ("/tmp/evil.jsonl", "../evil.jsonl", "model/../../evil.jsonl", "evil.jsonl",
                 "model/a/b.jsonl", "model/.evil.jsonl", "model/evil\n.jsonl"):
        yield name, {name: lines(records)}, ()
    yield "a link", {}, [member(points, tarfile.SYMTYPE, "/etc/passwd")]
    yield "a hard link", {}, [member(points, tarfile.LNKTYPE, "/etc/passwd")]
    yield "a pipe", {}, [member(points, tarfile.FIFOTYPE)]
    yield "a folder", {}, [member("model", tarfile.DIRTYPE)]
    yield "a huge member", {}, [member(points, size=1 << 40)]
    yield "many files", {}, [member("model/%d" % n) for n in range(1001)]
    for what, text in (("no JSON", "nonsense\n"), ("deep", "[" * 100000 + "\n"),
                       ("a number", "5\n"),
                       ("no run", '{"type": "run"}\n'),
                       ("a key that is none", lines([run, dict(records[1], key=5)])),
                       ("no time", lines([run, dict(records[1], time=5)])),
                       ("no date", lines([dict(run, started="../../../evil")])),
                       ("no record of a GPU", lines([dict(run, gpus=[])]))):
        yield what, {points: text}, ()
    steps = constants(records, 0)
    yield "constants of no time", {"model/constants.jsonl": lines(steps)}, ()
    yield "constants before their GPU", {"model/constants.jsonl": lines(steps[1:] + [run])}, ()
    yield "two GPUs", {points: lines(records), "users/x.jsonl": lines(
        [dict(run, gpus=[dict(run["gpus"][0], name="NVIDIA A100")])])}, ()
    yield "two files", {"model/x.jsonl": lines(records), "users/x.jsonl": lines(records)}, ()
    yield "counters of nothing", {points: lines(records), "counters/counters.jsonl": lines(
        [COUNTERS[0], dict(COUNTERS[1], key="radix/cuda/evil")])}, ()


def test_hostile(root, scratch):
    before, path = tree_of(root), os.path.join(scratch, "hostile.tar")
    for what, contents, members in hostile(scratch):
        if isinstance(contents, bytes):
            with open(path, "wb") as file:
                file.write(contents)
        else:
            write_tar(path, contents, members)
        status, said = fold(path)
        expect("hostile: " + what, status == 2 and said.count("\n") == 1 and
               said.startswith("gpu-results.py: %s: " % path), "%s %s" % (status, said))
    with open(path, "wb") as file:
        file.truncate(65 << 20)
    for what, name in (("huge", path), ("a folder", scratch), ("none", path + ".none")):
        status, said = fold(name)
        expect("hostile: " + what, status == 2 and said.count("\n") == 1, said)
    expect("hostile tars write nothing", tree_of(root) == before,
           sorted(set(tree_of(root)) ^ set(before)))


sys.dont_write_bytecode = True
os.environ.update(GPUBENCH=PROGRAM, GPUBENCH_COPY="64Ki")
with tempfile.TemporaryDirectory() as folder:
    copied, script = load_copy(folder)
    test_suite(folder)
    test_surprises(folder)
    test_hostile(copied, folder)
    test_storing(copied, folder)
print("gpu_suite: %s" % ("%d failed" % failed if failed else "as expected"))
sys.exit(failed != 0)
