#!/usr/bin/python3
"""predict.py -- what each CUDA variant should take on a GPU, from exact counts and published facts.

usage: predict.py >results/predictions.md

Everything comes from stored files of results/: counts.jsonl (what each kernel does, exactly),
sass.jsonl (what ptxas makes of its PTX), gpus.json (facts of each GPU, with their sources),
published.json (times that others have measured, of code that runs here) and measured/ (records of
a GPU at the points of the counts).  Nothing is fitted: published and measured times tell how far off
the model is, and the page says so.
"""

import collections
import json
import math
import os
import statistics

RESULTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results")
SECTOR = 32
REGISTERS = 65536  # of a multiprocessor
# The parameter by which a benchmark's input grows, and how many items that makes.
SIZES = {
    "radix": ("count", lambda n: n),
    "stream": ("count", lambda n: n),
    "octree": ("count", lambda n: n),
    "lbvh": ("primitives", lambda n: n),
    "trace": ("rays", lambda n: n * n),
    "bfs": ("vertices", lambda n: n * n),
    "cbt": ("depth", lambda n: 2**n),
}
# Classes of instructions whose result is waited for like a shared-memory access; global loads are in
# the chain, what is left waits like arithmetic.
SLOW = ("warp", "synchronisation", "load_shared", "atomic_shared")

# Records of a GPU at the points of the counts, and its name in gpus.json.
MEASURED, MEASURED_GPU = "h100-2026-11-23/points.jsonl", "H100"

# The GPUs and points of the page's table.
SHOWN = ("H200", "A100", "RTX 4090")
LARGE = [("radix/%s" % v, {"type": t, "count": 1 << 28})
         for t in ("u32", "u64", "pairs") for v in ("onesweep", "cub")]


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

    def matches(self, variant, at):
        kind = at.get("rays-kind", "primary")
        return self.variant == variant and self.params.get("rays-kind", "primary") == kind and all(
            self.params.get(name) == str(value) for name, value in at.items() if name != self.size
        )

    def where(self):
        names = [n for n in ("op", "graph", "type", "dist", "scene", self.size) if n in self.params]
        tree = ["paper's tree"] if self.params.get("tree") == "paper" else []
        kind = self.params.get("rays-kind", "primary")
        rays = [kind + " rays"] if kind != "primary" else []
        batch = self.params.get("batch", "1")
        return " ".join([self.params[n] for n in names] + rays + tree + (["batch " + batch] if batch != "1" else []))


def read_points():
    points = {}
    for line in read("counts.jsonl")[1:]:
        point = points.setdefault(line["key"], Point(line))
        point.kernels[line["kernel"]] = line["counts"]
    return list(points.values())


def scaled(points, items):
    """Kernels' counts at a size: as counted there, on the line through the two largest sizes that take
    the same kernels as the largest, or in proportion to the only one."""
    points = sorted(points, key=lambda p: p.items(float(p.params.get(p.size, 0))))
    sizes = [p.items(float(p.params.get(p.size, 0))) for p in points]
    if items in sizes:
        return points[sizes.index(items)].kernels, "counted"
    alike = [p.kernels.keys() == points[-1].kernels.keys() for p in points]
    points, sizes = [[x for x, same in zip(xs, alike) if same] for xs in (points, sizes)]
    if len(points) == 1:
        ratio = items / sizes[0]
        grown = lambda n, v: v if n in ("launches", "chain") else v * ratio
        return {k: {n: grown(n, v) for n, v in c.items()} for k, c in points[0].kernels.items()}, "in proportion"
    (small, large), (x, y) = points[-2:], sizes[-2:]
    kernels = {}
    for name, counts in large.kernels.items():
        before = small.kernels.get(name, {})
        slope = lambda n: (counts[n] - before.get(n, 0)) / (y - x)
        kernels[name] = {n: max(v + slope(n) * (items - y), 0) for n, v in counts.items()}
    return kernels, "on a line"


# ---- the model -----------------------------------------------------------------------------


class Gpu:
    def __init__(self, name, facts, common):
        self.name = name
        self.facts, self.common = facts, common
        self.hz = facts["mhz"] * 1e6
        self.l2_bytes = facts["l2_mb"] * 2**20
        self.l2_per_cycle = facts.get(
            "l2_bytes_per_cycle", facts["multiprocessors"] * common["port_bytes_per_cycle"])

    def blocks(self, threads, registers, shared):
        """Blocks that a multiprocessor holds at once."""
        warps = math.ceil(threads / 32)
        by_registers = REGISTERS // (math.ceil(registers * 32 / 256) * 256 * warps)
        by_shared = self.facts["shared_kb"] * 1024 // (shared + 1024)
        return max(1, min(self.facts["warps"] // warps, by_registers, by_shared, 32))


class Compiled:
    """What is known of a kernel's SASS, for the nearest architecture there is."""

    def __init__(self):
        self.rows = collections.defaultdict(dict)
        for row in read("sass.jsonl"):
            self.rows[row["kernel"]][int(row["arch"][3:])] = row

    def of(self, kernel, arch):
        rows = self.rows.get(kernel)
        if not rows:
            return {"ptx": 1, "sass": 1, "registers": 32, "shared": 0}
        return rows[max([a for a in rows if a <= arch] or [min(rows)])]


def sectors(counts, member):
    return sum(counts["global_%s.%s" % (kind, member)] for kind in ("load", "store", "atomic"))


def path_cycles(counts, ratio, waves, global_latency, common):
    """A warp's own way through a launch, wave after wave, if each instruction waits for the one before.
    The longest chain of loads is waited for once, by one wave; by the others what a warp loads on
    average, if that is less."""
    slow = sum(counts.get("classes." + name, 0) for name in SLOW)
    warps = counts["threads"] / 32
    quick = counts["warp_instructions"] * ratio - slow
    latency = common["latency"]
    cycles = (slow * latency["shared"] + max(quick, 0) * latency["arithmetic"]) / warps
    longest = counts["chain"] / counts["launches"]
    loads = (counts["global_load.requests"] + counts["global_atomic.requests"]) / warps
    return waves * cycles + (longest + (waves - 1) * min(longest, loads)) * global_latency


def kernel_us(counts, compiled, gpu, footprint):
    """{bound: us} over all launches of a kernel."""
    launches, common = counts["launches"], gpu.common
    if launches <= 0 or counts["threads"] <= 0:
        return {"launch": 0}
    blocks = counts["blocks"] / launches
    threads = counts["threads"] / counts["blocks"]
    ratio = compiled["sass"] / compiled["ptx"]
    used = min(gpu.facts["multiprocessors"], blocks)
    wavefronts = sum(counts["shared_%s.wavefronts" % k] for k in ("load", "store", "atomic"))
    traffic = SECTOR * (counts["global_load.sectors"] + counts["global_store.least"] + counts["global_atomic.least"])
    missed = max(0, 1 - gpu.l2_bytes / footprint)
    latency = common["latency"]["global" if missed else "l2"]
    held = gpu.blocks(threads, compiled["registers"], compiled["shared"])
    waves = math.ceil(blocks / (held * gpu.facts["multiprocessors"]))
    cycles = {
        "issue": counts["warp_instructions"] * ratio / (used * common["schedulers"]),
        "shared": wavefronts / used,
        "L2": SECTOR * sectors(counts, "sectors") / gpu.l2_per_cycle,
        "latency": launches * path_cycles(counts, ratio, waves, latency, common),
    }
    us = {bound: c / gpu.hz * 1e6 for bound, c in cycles.items()}
    us["DRAM"] = min(traffic * missed, launches * waves * footprint) / (gpu.facts["gb_per_s"] * 1e3)
    return us


def predict(kernels, compiled, gpu):
    """Time in us, and the share of each bound in it."""
    shares = collections.Counter()
    footprint = kernels["(run)"]["device_bytes"]
    for name, counts in kernels.items():
        if name == "(run)":
            continue
        us = kernel_us(counts, compiled.of(name, gpu.facts["arch"]), gpu, footprint)
        bound = max(us, key=us.get)
        shares[bound] += us[bound]
        # The last block's arrival goes to the L2 and back, and so does the look of each that waits.
        shares["barriers"] += counts.get("grid_barriers", 0) * 2 * gpu.common["latency"]["l2"] / gpu.hz * 1e6
        shares["launch"] += counts["launches"] * gpu.common["launch_us"]
    return sum(shares.values()), shares


# ---- the page ------------------------------------------------------------------------------


def show(us):
    return "%.1f us" % us if us < 100 else "%.0f us" % us if us < 1e4 else "%.1f ms" % (us / 1e3)


def row(*cells):
    print("| %s |" % " | ".join(map(str, cells)))


def head(*cells):
    row(*cells)
    print("|" + "---|" * len(cells))


def print_barriers(points, compiled, gpus):
    """Barriers of the grid: how many there are, and their part of the prediction."""
    print("\n## Barriers of the grid\n")
    print("Each is two round trips to the L2 here, whatever the number of blocks; how long the blocks wait for the last of them is not in it.\n")
    head("variant", "at", "blocks", "barriers", *("%s, of the whole" % name for name in SHOWN))
    for point in points:
        barriers = sum(counts.get("grid_barriers", 0) for counts in point.kernels.values())
        if not barriers:
            continue
        blocks = max(c["blocks"] for c in point.kernels.values() if c.get("grid_barriers"))
        cells = []
        for name in SHOWN:
            whole, shares = predict(point.kernels, compiled, gpus[name])
            cells.append("%s, %.0f %%" % (show(shares["barriers"]), 100 * shares["barriers"] / whole))
        row(point.variant, point.where(), blocks, barriers, *cells)


HEAD = """# What the CUDA variants should take

Predictions from exact counts, and how they fare against published times and against those of an H100. `scripts/predict.py` prints this page from
[counts.jsonl](counts.jsonl), [sass.jsonl](sass.jsonl), [gpus.json](gpus.json), [published.json](published.json) and the records in [measured](measured).

A launch of a kernel takes as long as the slowest of

- **issue**: warp instructions of its PTX, times the ratio of SASS to PTX instructions in its text, over the schedulers of the multiprocessors that have a block;
- **shared**: wavefronts, one a cycle and multiprocessor;
- **L2**: sectors of 32 bytes, over the L2's bytes a cycle (or 64 for each multiprocessor, where no figure is published);
- **DRAM**: sectors read and bytes written, over the peak bandwidth, less the share of the run's device memory that the L2 holds; a wave of
  blocks takes each byte once at most;
- **latency**: a warp's way through the kernel, instruction after instruction, with its chain of dependent global loads, times the waves of blocks that
  occupancy (registers, shared memory, warps) leaves;

A grid-wide **barrier** adds two round trips to the L2, and a **launch** costs {launch:g} us; so does each kernel of a CUDA graph, for which no published figure was
found. Nothing is fitted, and every constant has its source in gpus.json. The model leaves out clocks below boost, conflict misses, hits in the L1 (traversal of a
tree lives on them), two bounds at once, and waiting for another block's work: times of kernels with grid-wide barriers or look-back (bfs except basic and the papers'
variants, the sorts) are lower bounds. All rows use the counts of PTX for sm_90 on 132 multiprocessors, although CUB chooses other tiles elsewhere. SASS is that of
sm_90, or of sm_75 on GPUs before it. The variants on Vulkan have no rows: what a driver builds and its hardware traces cannot be counted here
([literature.md](literature.md) has published rates of ray queries).
"""


def print_check(published, points, compiled, gpus):
    """The table of published times; the ratios, predicted over published."""
    print("\n## Against published times\n")
    print("Of code that runs here: CUB's sort, copies, and the papers' algorithms on the papers' GPUs.\n")
    head("GPU", "variant", "at", "published", "predicted", "predicted / published", "bound", "counts", "source")
    ratios = []
    for known in published["rows"]:
        match = [p for p in points if p.matches(known["variant"], known["at"])]
        if not match:
            raise SystemExit("predict.py: no counts of %s at %s" % (known["variant"], known["at"]))
        size = known["at"].get(match[0].size, match[0].params[match[0].size])
        kernels, how = scaled(match, match[0].items(float(size)))
        us, shares = predict(kernels, compiled, gpus[known["gpu"]])
        ratios.append(us / known["us"])
        at = " ".join("%g" % v if isinstance(v, float) else str(v) for v in known["at"].values())
        note = ", " + known["note"] if "note" in known else ""
        row(known["gpu"], known["variant"], at + note, show(known["us"]), show(us), "%.2f" % ratios[-1],
            shares.most_common(1)[0][0], how, known["source"])
    return ratios


def print_spread(what, ratios):
    """How far off the model is; the factors, ascending."""
    off = sorted(max(r, 1 / r) for r in ratios)
    within = lambda factor: sum(o <= factor for o in off)
    print("\nPredicted over %s: median %.2f; from %.2f to %.2f. Off by a factor of %.2f in the median, %.2f at"
          " worst; within 1.5 in %d of %d rows, within 2 in %d." %
          (what, statistics.median(ratios), min(ratios), max(ratios), statistics.median(off), off[-1],
           within(1.5), len(off), within(2)))
    return off


def print_error(ratios):
    off = print_spread("published", ratios)
    nine = off[math.ceil(0.9 * len(off)) - 1]
    print("\nSo a measurement on a GPU is a **finding**, about the kernel or about this page, only if it is further from its row below"
          " than a factor of %.1f,\nwhich nine of ten of these rows keep; one within %.1f is as expected, and between the two nothing"
          " can be said. The model is more often too %s." %
          (nine, statistics.median(off), "fast" if statistics.median(ratios) < 1 else "slow"))


def measured_times(name):
    """{key: median in us} of the good records of measured/NAME."""
    times = {}
    for line in read(os.path.join("measured", name)):
        if line.get("type") == "record" and line["status"] in ("ok", "noisy"):
            times[line["key"]] = line["time"]["median"] / 1e3
    return times


def launches_of(kernels):
    return round(sum(counts.get("launches", 0) for counts in kernels.values()))


def bounds_of(us, shares):
    return ", ".join("%s %.0f %%" % (bound, 100 * share / us) for bound, share in shares.most_common(2))


def print_measured(points, compiled, gpus):
    """The table of what was measured; how far off the model is there."""
    print("\n## Against an %s\n" % MEASURED_GPU)
    print("Cold medians of [%s](%s), made by one command for each of the points of `scripts/counts.py` (`--min-time=0.05 --rel-ci=.02`); every result was verified. The model was\n"
          "not changed after these were seen.\n" % ((os.path.join("measured", MEASURED),) * 2))
    head("variant", "at", "launches", "measured", "predicted", "predicted / measured", "bound")
    times, ratios = measured_times(MEASURED), []
    for point in sorted(points, key=lambda p: p.variant.split("/")[0]):
        if point.key not in times:
            continue
        us, shares = predict(point.kernels, compiled, gpus[MEASURED_GPU])
        ratios.append((us / times[point.key], point))
        row(point.variant, point.where(), launches_of(point.kernels), show(times[point.key]), show(us),
            "%.2f" % ratios[-1][0], bounds_of(us, shares))
    print_spread("measured", [ratio for ratio, _ in ratios])
    median = statistics.median(ratio for ratio, _ in ratios)
    print("\nThe model is too fast by much the same factor throughout: %d of %d rows are within 1.5 of the median ratio, so it ranks variants and finds what moves a time,"
          " but is no\ntime itself. Furthest from the median: %s." % (
              sum(1 / 1.5 <= ratio / median <= 1.5 for ratio, _ in ratios), len(ratios),
              "; ".join("%s at %s (%.2f)" % (point.variant, point.where(), ratio) for ratio, point in sorted(
                  ratios, key=lambda r: -abs(math.log(r[0] / median)))[:5])))


def print_times(points, compiled, gpus):
    print("\n## Times\n")
    print("At the points of counts.jsonl, cold; sorts of 2^28 keys on the line through their two largest counts of the same kernels, or in proportion to the only one.\n")
    head("variant", "at", "launches", *SHOWN, "bound, " + SHOWN[0])
    rows = [(p.variant, p.where(), p.kernels) for p in points]
    for variant, at in LARGE:
        match = [p for p in points if p.matches(variant, at)]
        rows.append((variant, "%s 2^28" % at["type"], scaled(match, at["count"])[0]))
    for variant, where, kernels in sorted(rows, key=lambda r: r[0].split("/")[0]):
        times = [predict(kernels, compiled, gpus[name]) for name in SHOWN]
        row(variant, where, launches_of(kernels), *(show(t) for t, _ in times), bounds_of(*times[0]))


def per_key(point, compiled):
    """Of a sort: issue slots and shared wavefronts for 32 keys, sectors read and written for one."""
    keys, sums = float(point.params["count"]), [0, 0, 0, 0]
    for name, c in point.kernels.items():
        if "launches" not in c:
            continue
        sass = compiled.of(name, 90)
        wavefronts = sum(c["shared_%s.wavefronts" % k] for k in ("load", "store", "atomic"))
        of_kernel = (32 * c["warp_instructions"] * sass["sass"] / sass["ptx"], c["global_load.sectors"],
                     c["global_store.sectors"], 32 * wavefronts)
        sums = [s + k / keys for s, k in zip(sums, of_kernel)]
    return sums


def print_peer(points, compiled):
    print("\n## onesweep beside CUB, by counts\n")
    print("Per whole sort, sm_90: issue slots and shared wavefronts for 32 keys, sectors read and written for one.\n")
    head("type", "keys", "slots", "CUB", "sectors read", "CUB", "written", "CUB", "wavefronts", "CUB")
    for peer in sorted((p for p in points if p.variant == "radix/cub"), key=lambda p: p.where()):
        for ours in points:
            if ours.variant == "radix/onesweep" and ours.params == peer.params:
                both = zip(("%.0f", "%.3f", "%.3f", "%.1f"), per_key(ours, compiled), per_key(peer, compiled))
                row(peer.params["type"], peer.params["count"],
                    *(form % value for form, *pair in both for value in pair))


def print_flush(gpus):
    """flush.cu writes twice the L2, then reads twice the L2."""
    older, dirty = math.exp(-4), math.exp(-2)
    print("\n## What the flush leaves\n")
    print("Before each cold sample, twice the size of the L2 is written and then twice its size is read from another buffer. With LRU replacement"
          " only what was read\nremains. With random replacement e^-4 = %.1f %% of the L2 still holds older data and e^-2 = %.1f %% holds dirty lines,"
          " which a sample may have to write back:\nat most that share of its own misses, and never more than all of these lines.\n"
          % (100 * older, 100 * dirty))
    head("GPU", "L2, MB", "older data, MB", "to be written back, MB", "takes at most")
    for name in SHOWN:
        mb, rate = gpus[name].facts["l2_mb"], gpus[name].facts["gb_per_s"]
        row(name, "%g" % mb, "%.1f" % (older * mb), "%.1f" % (dirty * mb), show(dirty * mb / rate * 1e3))


def print_facts(known, published):
    print("\n## Facts\n")
    head("GPU", "multiprocessors", "MHz", "GB/s", "L2, MB", "warps", "source")
    for name, g in known["gpus"].items():
        row(name, g["multiprocessors"], g["mhz"], round(g["gb_per_s"]), "%g" % g["l2_mb"], g["warps"], ", ".join(g["source"]))
    print()
    for name, text in list(known["sources"].items()) + list(published["sources"].items()):
        print("- %s: %s" % (name, text))


def main():
    known, published = read("gpus.json"), read("published.json")
    gpus = {name: Gpu(name, facts, known["common"]) for name, facts in known["gpus"].items()}
    points, compiled = read_points(), Compiled()
    print(HEAD.format(launch=known["common"]["launch_us"]), end="")
    print_error(print_check(published, points, compiled, gpus))
    print_measured(points, compiled, gpus)
    print_times(points, compiled, gpus)
    print_peer(points, compiled)
    print_barriers(points, compiled, gpus)
    print_flush(gpus)
    print_facts(known, published)


if __name__ == "__main__":
    main()
