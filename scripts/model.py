"""model.py -- the time of a kernel on a GPU, from exact counts and six constants.

A launch takes as long as the slowest of these, and `launch` us more:

    latency  a warp's instructions one after the other, `serial` cycles each, but `shared` those
             that wait for shared memory or another lane or warp; and its longest chain of
             dependent global loads, `load` cycles each; for every wave of blocks.  The warp is the
             average one, or from barrier to barrier of the grid the slowest
    issue    warp instructions of the SASS, one a cycle and scheduler
    shared   wavefronts of shared memory, one a cycle and multiprocessor
    L2       sectors, at the bytes a cycle that the L2 delivers
    atomics  compare-and-swaps that threads repeat where all begin, one a cycle at a sector
    DRAM     what cold caches must read and write once, and what does not stay in the L2

A barrier of the grid takes `barrier` us more, and a copy that the host waits for `host` us.  A
memset or a copy on the device is a launch.  The constants come from microbenchmarks on the GPU
(`gpubench stream --op=launch,issue,shared,latency,barrier,host`), or are fitted to times of an
H100.
"""
import collections
import glob
import json
import math
import os
import re
import random
import statistics

RESULTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results")
SECTOR = 32
REGISTERS = 65536  # per multiprocessor
# The parameter that sets the size of a benchmark's input, and the number of items at a value.
SIZES = {
    "radix": ("count", lambda n: n),
    "stream": ("count", lambda n: n),
    "octree": ("count", lambda n: n),
    "lbvh": ("primitives", lambda n: n),
    "trace": ("rays", lambda n: n * n),
    "bfs": ("vertices", lambda n: n * n),
    "cbt": ("depth", lambda n: 2**n),
}

# Records of a GPU at the points of the counts, and the GPU's name in gpus.json.
MEASURED, MEASURED_GPU = "h100-2026-11-23/points.jsonl", "H100"
# Counts and SASS of kernels that changed since then, as they were measured, but task_kernel's
# counts are of today's code, which is the same: a block takes all tasks there, and then a register
# carried a chain of loads from task to task.
BEFORE = "before/counts.jsonl", "before/sass.jsonl"
# Records of the microbenchmarks, by scripts/gpu-suite.sh.
CALIBRATION = "constants.jsonl"

CONSTANTS = ("launch", "serial", "shared", "load", "barrier", "host")
UNITS = dict(zip(CONSTANTS, ("us", "cycles", "cycles", "cycles", "us", "us")))
# A fit begins here, and a constant that no point depends on stays.
START = (2.0, 6.0, 50.0, 400.0, 1.0, 20.0)
# Classes of instructions that take `shared`.  A store to shared memory is not waited for.
SHARED = ["classes." + name
          for name in ("load_shared", "atomic_shared", "warp", "synchronisation")]


def read(name):
    with open(os.path.join(RESULTS, name)) as file:
        return json.load(file) if name.endswith(".json") else [json.loads(line) for line in file]


# ---- counts at a point ---------------------------------------------------------------------


class Point:
    """One record's counts: variant, parameters, kernels."""

    def __init__(self, line):
        self.key = line["key"]
        bench, _, variant = line["key"].split()[0].split("/")
        self.variant = bench + "/" + variant
        self.params = {name: str(value) for name, value in line["params"].items()}
        self.kernels = {}
        kind = "trace" if self.params.get("op") == "trace" else bench
        self.size, self.items = SIZES[kind]
        # Steps of stream are not a workload.
        self.calibrates = bench == "stream" and self.params.get("op", "copy") != "copy"

    def matches(self, variant, at):
        kind = at.get("rays-kind", "primary")
        return self.variant == variant and self.params.get("rays-kind", "primary") == kind and all(
            self.params.get(name) == str(value) for name, value in at.items() if name != self.size
        ) and not self.calibrates

    def where(self):
        names = [n for n in ("op", "graph", "type", "dist", "scene", self.size) if n in self.params]
        tree = ["paper's tree"] if self.params.get("tree") == "paper" else []
        kind = self.params.get("rays-kind", "primary")
        rays = [kind + " rays"] if kind != "primary" else []
        batch = self.params.get("batch", "1")
        batches = ["batch " + batch] if batch != "1" else []
        return " ".join([self.params[n] for n in names] + rays + tree + batches)


def read_points(lines=None):
    points = {}
    for line in lines or read("counts.jsonl")[1:]:
        point = points.setdefault(line["key"], Point(line))
        point.kernels[line["kernel"]] = line["counts"]
    return list(points.values())


def as_measured(points):
    """The points with the kernels that were measured on MEASURED_GPU."""
    before = {p.key: p for p in read_points(read(BEFORE[0]))}
    return [before.get(p.key, p) for p in points]


def scaled(points, items):
    """Kernels' counts at a size: as counted there; else on the line through the two largest sizes
    with the same kernels as the largest; else in proportion to the only such size."""
    points = sorted(points, key=lambda p: p.items(float(p.params.get(p.size, 0))))
    sizes = [p.items(float(p.params.get(p.size, 0))) for p in points]
    if items in sizes:
        return points[sizes.index(items)].kernels, "counted"
    alike = [p.kernels.keys() == points[-1].kernels.keys() for p in points]
    points, sizes = [[x for x, same in zip(xs, alike) if same] for xs in (points, sizes)]
    if len(points) == 1:
        ratio = items / sizes[0]
        grown = lambda n, v: v if n in ("launches", "path", "chain") else v * ratio
        kernels = {k: {n: grown(n, v) for n, v in c.items()} for k, c in points[0].kernels.items()}
        return kernels, "in proportion"
    (small, large), (x, y) = points[-2:], sizes[-2:]
    kernels = {}
    for name, counts in large.kernels.items():
        before = small.kernels.get(name, {})
        slope = lambda n: (counts[n] - before.get(n, 0)) / (y - x)
        kernels[name] = {n: max(v + slope(n) * (items - y), 0) for n, v in counts.items()}
    return kernels, "on a line"


def measured_times(name):
    """{key: median in us} of the valid records of measured/NAME."""
    times = {}
    for line in read(os.path.join("measured", name)):
        if line.get("type") == "record" and line["status"] in ("ok", "noisy"):
            times.setdefault(line["key"], line["time"]["median"] / 1e3)
    return times


def measured_commit():
    """The commit that the records of MEASURED_GPU are of."""
    return read(os.path.join("measured", MEASURED))[0]["tool"]["commit"]


def launches_of(kernels):
    return round(sum(c.get("launches", 0) for c in kernels.values()))


# ---- terms -----------------------------------------------------------------------------------


class Gpu:
    def __init__(self, name, facts, common):
        self.name = name
        self.facts, self.common = facts, common
        self.mhz = facts["mhz"]
        self.l2_bytes = facts["l2_mb"] * 2**20
        self.l2_per_cycle = facts.get(
            "l2_bytes_per_cycle", facts["multiprocessors"] * common["port_bytes_per_cycle"])
        self.dram_per_us = facts["gb_per_s"] * common["dram_share"] * 1e3

    def blocks(self, threads, registers, shared):
        """Blocks that a multiprocessor holds at once."""
        warps = math.ceil(threads / 32)
        by_registers = REGISTERS // (math.ceil(registers * 32 / 256) * 256 * warps)
        by_shared = self.facts["shared_kb"] * 1024 // (shared + 1024)
        return max(1, min(self.facts["warps"] // warps, by_registers, by_shared, 32))


def read_gpus():
    known = read("gpus.json")
    return {name: Gpu(name, facts, known["common"]) for name, facts in known["gpus"].items()}


class Compiled:
    """Facts about a kernel's SASS, for the nearest architecture available, or as measured."""

    def __init__(self, as_measured=False):
        self.rows = collections.defaultdict(dict)
        for row in read("sass.jsonl") + (read(BEFORE[1]) if as_measured else []):
            self.rows[row["kernel"]][int(row["arch"][3:])] = row
        ratios = [row[90]["sass"] / row[90]["ptx"] for row in self.rows.values() if 90 in row]
        # A kernel that is not of this program, such as a plug-in's.
        self.other = {"ptx": 1, "sass": statistics.median(ratios), "registers": 32, "shared": 0}

    def of(self, kernel, arch):
        rows = self.rows.get(kernel)
        return rows[max([a for a in rows if a <= arch] or [min(rows)])] if rows else self.other


def sectors(counts, member):
    return sum(counts["global_%s.%s" % (kind, member)] for kind in ("load", "store", "atomic"))


def issued(counts, compiled):
    """Warp instructions of the SASS."""
    return ((counts["warp_instructions"] + counts.get("expanded", 0))
            * compiled["sass"] / compiled["ptx"])


# The cost of a kernel's launches, or of the copies of a run: the number of times that each constant
# is paid; `least` is the us of the slowest bound but latency, its name with it.
Term = collections.namedtuple("Term", CONSTANTS + ("least", "bound"))


def term_of(counts, compiled, gpu, footprint):
    launches, blocks = counts["launches"], counts["blocks"] / counts["launches"]
    threads = counts["threads"] / counts["blocks"]
    warps = counts["blocks"] * math.ceil(threads / 32)
    processors = gpu.facts["multiprocessors"]
    used = min(processors, blocks)
    waves = math.ceil(blocks / (gpu.blocks(threads, compiled["registers"], compiled["shared"])
                                * processors))
    instructions = issued(counts, compiled)
    wavefronts = sum(counts["shared_%s.wavefronts" % k] for k in ("load", "store", "atomic"))
    traffic = SECTOR * (counts["global_load.sectors"] + counts["global_store.least"]
                        + counts["global_atomic.least"])
    missed = max(0, 1 - gpu.l2_bytes / footprint) if footprint else 0
    # One wave waits for the longest way, the others for a warp's average if that is less.  No chain
    # misses more sectors than there are.
    path = counts.get("path", 0) / launches * compiled["sass"] / compiled["ptx"]
    average = instructions / warps
    serial = path + (waves - 1) * min(path, average) if path else waves * average
    chain = counts["chain"] / launches
    others = min(chain, (counts["global_load.requests"] + counts["global_atomic.requests"]) / warps)
    loads = min(chain + (waves - 1) * others, max(footprint / SECTOR, 1))
    us = {
        "issue": instructions / (used * gpu.common["schedulers"]) / gpu.mhz,
        "shared": wavefronts / used / gpu.mhz,
        "L2": SECTOR * sectors(counts, "sectors") / gpu.l2_per_cycle / gpu.mhz,
        # Only the threads of a wave begin together.
        "atomics": counts.get("repeated", 0) / waves / gpu.common["swaps_per_cycle"] / gpu.mhz,
        "DRAM": max(min(traffic, footprint),
                    min(traffic * missed, launches * waves * footprint)) / gpu.dram_per_us,
    }
    bound = max(us, key=us.get)
    # The longest way is taken to have the kernel's share of each class.  Parameters are operands.
    executed = counts["warp_instructions"] - counts.get("classes.parameter", 0)
    shared = sum(counts.get(name, 0) for name in SHARED) / executed
    return Term(launches, launches * serial * (1 - shared), launches * serial * shared,
                launches * loads, counts.get("grid_barriers", 0), 0, us[bound], bound)


def terms_of(kernels, compiled, gpu):
    run = kernels["(run)"]
    copies = Term(run["copies.set"] + run["copies.on_device"], 0, 0, 0, 0, run["copies.to_host"],
                  0, "launches")
    return [copies] + [
        term_of(counts, compiled.of(name, gpu.facts["arch"]), gpu, run["device_bytes"])
        for name, counts in kernels.items()
        if name != "(run)" and counts["launches"] > 0 and counts["threads"] > 0]


def costs(term, constants, mhz):
    """us of each constant"""
    return [number * constant / (mhz if UNITS[name] == "cycles" else 1)
            for name, number, constant in zip(CONSTANTS, term, constants)]


def time_of(terms, constants, mhz):
    """us, and the part of each bound in it."""
    shares = collections.Counter()
    for t in terms:
        launch, serial, shared, load, barrier, host = costs(t, constants, mhz)
        latency = serial + shared + load
        shares["latency" if latency >= t.least else t.bound] += max(latency, t.least)
        shares["barriers"] += barrier
        shares["launches"] += launch
        shares["host"] += host
    return sum(shares.values()), shares


# ---- constants -------------------------------------------------------------------------------

# A point with its time: group is its benchmark.
Row = collections.namedtuple("Row", "group point terms us mhz")


def gradient(row, constants):
    """The derivatives of log(us) by the logarithms of the constants, and log(predicted / us)."""
    us, slopes = 0, [0] * len(CONSTANTS)
    for t in row.terms:
        parts = costs(t, constants, row.mhz)
        if sum(parts[1:4]) < t.least:
            parts[1:4] = 0, 0, 0
            us += t.least
        us += sum(parts)
        slopes = [s + p for s, p in zip(slopes, parts)]
    return [s / us for s in slopes], math.log(us / row.us)


def solve(matrix, right):
    """Gauss's elimination; the matrix is positive definite."""
    n = len(right)
    rows = [list(line) + [value] for line, value in zip(matrix, right)]
    for i in range(n):
        for k in range(i + 1, n):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    x = [0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][k] * x[k] for k in range(i + 1, n))) / rows[i][i]
    return x


def loss(rows, share, constants):
    return sum(share[row.group] * abs(gradient(row, constants)[1]) for row in rows)


def fit(rows, start=START):
    """The constants with the least sum of |log(predicted / measured)|, in which each benchmark has
    the same weight: steps of Gauss and Newton, weighted so that the sum of squares is that of the
    absolute values."""
    share = {g: 1 / n for g, n in collections.Counter(row.group for row in rows).items()}
    constants, best, keep = start, loss(rows, share, start), 1e-4
    every = range(len(CONSTANTS))
    for _ in range(40):
        matrix = [[keep * (i == k) for k in every] for i in every]
        right = [0 for _ in every]
        for row in rows:
            slopes, off = gradient(row, constants)
            weight = share[row.group] / max(abs(off), 0.02)
            for i in every:
                right[i] -= weight * slopes[i] * off
                for k in every:
                    matrix[i][k] += weight * slopes[i] * slopes[k]
        step, length = solve(matrix, right), 1
        while length > 1e-3:
            tried = tuple(c * math.exp(max(-1, min(1, length * s)))
                          for c, s in zip(constants, step))
            value = loss(rows, share, tried)
            if value < best - 1e-9:
                break
            length /= 2
        else:
            return constants
        constants, best = tried, value
    return constants


# The collapse that was measured was replaced before the longest way was counted.
NOT_COUNTED = re.compile(r"lbvh/cuda/wide (?!op=)")


def measured_rows(points, gpu):
    """The points with times of the H100."""
    times, compiled = measured_times(MEASURED), Compiled(as_measured=True)
    return [Row(p.variant.split("/")[0], p, terms_of(p.kernels, compiled, gpu), times[p.key],
                gpu.mhz)
            for p in sorted(as_measured(points), key=lambda p: p.variant.split("/")[0])
            if p.key in times and not p.calibrates and not NOT_COUNTED.match(p.key)]


def off_by(rows, constants):
    """measured / predicted"""
    return [row.us / time_of(row.terms, constants, row.mhz)[0] for row in rows]


def half_out(rows, repeats=4):
    """measured / predicted of each row, by constants that were fitted to a half without it; a list
    for each row."""
    random_order, found = random.Random(1), [[] for _ in rows]
    for _ in range(repeats):
        order = list(range(len(rows)))
        random_order.shuffle(order)
        halves = order[::2], order[1::2]
        for fitted, others in (halves, halves[::-1]):
            constants = fit([rows[n] for n in fitted])
            for n, ratio in zip(others, off_by([rows[n] for n in others], constants)):
                found[n].append(ratio)
    return found


def group_out(rows):
    """The same by constants that were fitted to the other benchmarks; one for each row."""
    groups = {row.group for row in rows}
    constants = {g: fit([row for row in rows if row.group != g]) for g in groups}
    return [off_by([row], constants[row.group])[0] for row in rows]


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def calibrations(points, compiled, gpus, folder="measured"):
    """{GPU: (constants, file)} from the records of microbenchmarks."""
    found = {}
    counted = {p.key: p for p in points if p.calibrates}
    for path in sorted(glob.glob(os.path.join(RESULTS, folder, "*", CALIBRATION))):
        lines = read(path)
        device = lines[0]["gpus"][0]["name"]
        name = max((n for n in gpus if n in device), key=len, default=None)
        times = measured_times(path)
        if not name or counted.keys() - times.keys():
            continue
        rows = [Row("stream", p, terms_of(p.kernels, compiled, gpus[name]), times[p.key],
                    gpus[name].mhz) for p in counted.values()]
        found[name] = fit(rows), os.path.relpath(path, RESULTS)
    return found
