#!/usr/bin/python3
"""predict.py -- predicts each CUDA variant's time on a GPU from exact counts and published facts.

    predict.py >docs/predictions.md    the page: the model and how far off it is, by workload
    predict.py --all                   every prediction, row by row, with the sources

Everything comes from stored files of results/: counts.jsonl (exact counts of each kernel),
sass.jsonl (what ptxas makes of its PTX), gpus.json (facts of each GPU, with their sources),
published.json (published times of code that runs here) and measured/ (records of a GPU at the
points of the counts).  Nothing is fitted: published and measured times show how far off the model
is.
"""

import argparse
import collections
import contextlib
import io
import itertools
import json
import math
import os
import statistics
import textwrap

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
# Classes of instructions whose latency is that of a shared-memory access.  Global loads are in the
# chain; all other instructions have the latency of arithmetic.
SLOW = ("warp", "synchronisation", "load_shared", "atomic_shared")

# Records of a GPU at the points of the counts, and the GPU's name in gpus.json.
MEASURED, MEASURED_GPU = "h100-2026-11-23/points.jsonl", "H100"

# GPUs that predictions are printed for, and sorts that are larger than their counts.
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
        batches = ["batch " + batch] if batch != "1" else []
        return " ".join([self.params[n] for n in names] + rays + tree + batches)


def read_points():
    points = {}
    for line in read("counts.jsonl")[1:]:
        point = points.setdefault(line["key"], Point(line))
        point.kernels[line["kernel"]] = line["counts"]
    return list(points.values())


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
        grown = lambda n, v: v if n in ("launches", "chain") else v * ratio
        kernels = {k: {n: grown(n, v) for n, v in c.items()} for k, c in points[0].kernels.items()}
        return kernels, "in proportion"
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
    """Facts about a kernel's SASS, for the nearest architecture available."""

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
    """Cycles of a warp's path through a launch, wave after wave, if each instruction waits for the
    one before.  One wave waits for the longest chain of loads; the others for a warp's average
    number of loads, if that is less."""
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
    traffic = SECTOR * (counts["global_load.sectors"] + counts["global_store.least"]
                        + counts["global_atomic.least"])
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
        # The last block's arrival goes to the L2 and back, and so does each waiting block's poll.
        barrier = 2 * gpu.common["latency"]["l2"] / gpu.hz * 1e6
        shares["barriers"] += counts.get("grid_barriers", 0) * barrier
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


def say(text):
    """Print paragraphs, headings and items of lists, wrapped; a blank line follows each but the
    items before the last."""
    blocks = [" ".join(block.split()) for block in text.split("\n\n") if block.strip()]
    for block, after in zip(blocks, blocks[1:] + [""]):
        item = block.startswith("- ")
        print(textwrap.fill(block, 120, subsequent_indent="  " if item else "",
                            break_long_words=False, break_on_hyphens=False))
        if not (item and after.startswith("- ")):
            print()


HEAD = """# Predicted times of the CUDA variants

This page tells how far off the predicted times of the CUDA variants are. On an {gpu} the model is
too fast by a factor of {fast:.1f} in the median, and it orders {ordered} of {pairs} pairs of
variants at the same point as measured. Use a prediction to rank variants and to find what limits a
kernel, not as the time to expect.

`scripts/predict.py` prints this page. `scripts/predict.py --all` prints every prediction and every
source. The inputs are [counts.jsonl](../results/counts.jsonl) (exact counts of each kernel),
[sass.jsonl](../results/sass.jsonl) (instructions and registers of the compiled kernels),
[gpus.json](../results/gpus.json) (published facts of each GPU),
[published.json](../results/published.json) (published times) and
[points.jsonl](../results/measured/{measured}) (measured times).

## Model

A launch of a kernel takes as long as the slowest of five bounds:

- **issue**: warp instructions of the PTX, times the kernel's ratio of SASS to PTX instructions,
divided by the schedulers of the multiprocessors that have a block;

- **shared**: shared-memory wavefronts, one per cycle and multiprocessor;

- **L2**: sectors of 32 bytes, divided by the L2's bytes per cycle (64 per multiprocessor where no
figure is published);

- **DRAM**: sectors read and bytes written, divided by the peak bandwidth, after the share of the
run's device memory that fits in the L2 is subtracted; a wave of blocks takes each byte once at
most;

- **latency**: a warp's instructions one after the other, with its longest chain of dependent
global loads, for each wave of blocks that the occupancy leaves.

A grid-wide **barrier** adds two round trips to the L2. A **launch** adds {launch:g} us, and so
does each kernel of a CUDA graph, for which no figure was found. Nothing is fitted.

The model leaves out clocks below boost, conflict misses, hits in the L1, the overlap of two bounds
and the wait for another block's work, so predictions are too low for kernels with grid-wide
barriers or look-back: the sorts, and bfs except the searches of its paper.
All counts are of PTX for sm_90 on 132 multiprocessors, although CUB chooses other tiles elsewhere.
The SASS is that of sm_90, or of sm_75 on an older GPU. Vulkan variants have no counts.
"""


def workload_of(point):
    bench = point.variant.split("/")[0]
    return bench + " " + point.params["op"] if bench == "lbvh" else bench


def print_ratios(name, rows):
    """Print the table of ratios of (group, ratio, ...) rows, by group."""
    groups = collections.defaultdict(list)
    for group, ratio, *_ in rows:
        groups[group].append(ratio)
    head(name, "rows", "median ratio", "lowest", "highest", "off by more than 2x")
    for group, ratios in groups.items():
        far = sum(max(r, 1 / r) > 2 for r in ratios)
        row(group, len(ratios), *("%.2f" % f(ratios) for f in (statistics.median, min, max)), far)
    print()


def spread(ratios):
    off = sorted(max(r, 1 / r) for r in ratios)
    within = lambda factor: sum(o <= factor for o in off)
    return ("The median ratio is %.2f. Predictions are off by a factor of %.2f in the median; %d of"
            " %d rows are within 1.5, and %d are within 2." % (
                statistics.median(ratios), statistics.median(off), within(1.5), len(off),
                within(2)))


def bounds_of(us, shares):
    main = shares.most_common(2)
    return ", ".join("%s %.0f %%" % (bound, 100 * share / us) for bound, share in main)


# Published times.


def published_rows(published, points, compiled, gpus):
    """(variant, predicted over published, description, the row of published.json, predicted us,
    shares, how the counts were obtained)"""
    rows = []
    for known in published["rows"]:
        match = [p for p in points if p.matches(known["variant"], known["at"])]
        if not match:
            raise SystemExit("predict.py: no counts of %s at %s" % (known["variant"], known["at"]))
        size = known["at"].get(match[0].size, match[0].params[match[0].size])
        kernels, how = scaled(match, match[0].items(float(size)))
        us, shares = predict(kernels, compiled, gpus[known["gpu"]])
        at = " ".join("%g" % v if isinstance(v, float) else str(v) for v in known["at"].values())
        rows.append((known["variant"], us / known["us"], at, known, us, shares, how))
    return rows


def print_published(rows, everything):
    say("""## Against published times

        The published times are of code that runs here: copies, CUB's sort, and the papers'
        algorithms on the papers' GPUs. A ratio is the predicted time divided by the published
        one.""")
    if everything:
        head("GPU", "variant", "at", "published", "predicted", "ratio", "bound", "counts",
             "source")
        for variant, ratio, at, known, us, shares, how in rows:
            note = ", " + known["note"] if "note" in known else ""
            row(known["gpu"], variant, at + note, show(known["us"]), show(us), "%.2f" % ratio,
                shares.most_common(1)[0][0], how, known["source"])
        print()
    print_ratios("variant", rows)
    off = sorted(rows, key=lambda r: -abs(math.log(r[1])))
    nine = sorted(max(r[1], 1 / r[1]) for r in rows)[math.ceil(0.9 * len(rows)) - 1]
    say("%s Furthest off: %s." % (spread([r[1] for r in rows]), "; ".join(
        "%s at %s on an %s (%.2f)" % (r[0], r[2], r[3]["gpu"], r[1]) for r in off[:4])))
    say("Nine of ten rows are within a factor of %.1f. A measurement further from its prediction"
        " than that is a finding about the kernel or about the model." % nine)


# Measured times.


def measured_times(name):
    """{key: median in us} of the valid records of measured/NAME."""
    times = {}
    for line in read(os.path.join("measured", name)):
        if line.get("type") == "record" and line["status"] in ("ok", "noisy"):
            times.setdefault(line["key"], line["time"]["median"] / 1e3)
    return times


def measured_rows(points, compiled, gpus):
    """(workload, predicted over measured, point, measured us, predicted us, shares)"""
    times, rows = measured_times(MEASURED), []
    for point in sorted(points, key=lambda p: p.variant.split("/")[0]):
        if point.key in times:
            us, shares = predict(point.kernels, compiled, gpus[MEASURED_GPU])
            rows.append((workload_of(point), us / times[point.key], point, times[point.key], us,
                         shares))
    return sorted(rows, key=lambda r: r[0])


def median_ratio(rows):
    return statistics.median(r[1] for r in rows)


def order(rows):
    """Pairs of variants at the same point that are predicted in the measured order, and all."""
    groups = collections.defaultdict(list)
    for workload, _, point, measured, us, _ in rows:
        groups[workload, tuple(sorted(point.params.items()))].append((measured, us))
    pairs = [(a, b) for g in groups.values() for a, b in itertools.combinations(g, 2)
             if a[0] != b[0]]
    return sum((a[0] < b[0]) == (a[1] < b[1]) for a, b in pairs), len(pairs)


def launches_of(kernels):
    return round(sum(counts.get("launches", 0) for counts in kernels.values()))


def print_measured(rows, everything):
    say("""## Against an %s

        The measured times are cold medians of verified results at the points of
        `scripts/counts.py`. The model was not changed after they were seen. A ratio is the
        predicted time divided by the measured one.
        """ % MEASURED_GPU)
    if everything:
        head("variant", "at", "launches", "measured", "predicted", "ratio", "bound")
        for _, ratio, point, measured, us, shares in rows:
            row(point.variant, point.where(), launches_of(point.kernels), show(measured), show(us),
                "%.2f" % ratio, bounds_of(us, shares))
        print()
    print_ratios("workload", rows)
    median = median_ratio(rows)
    near = sum(1 / 1.5 <= r[1] / median <= 1.5 for r in rows)
    furthest = sorted(rows, key=lambda r: -abs(math.log(r[1] / median)))[:5]
    say("%s %d rows are within a factor of 1.5 of the median ratio. Furthest from it: %s. The GPU"
        " executes more in `lock` and `lf` than the counts say, because threads repeat their"
        " compare-and-swap there ([counters.md](counters.md))." % (
            spread([r[1] for r in rows]), near,
            "; ".join("%s at %s (%.2f)" % (r[2].variant, r[2].where(), r[1]) for r in furthest)))


# Predictions.


def print_times(points, compiled, gpus, everything):
    say("""## Other GPUs

        `--all` prints the predicted times with cold caches at the points of counts.jsonl and for
        sorts of 2^28 keys, whose counts are extrapolated. The table has the number of rows by the
        largest part of the time, and the median ratio of the predicted times of two GPUs.""")
    rows = [(workload_of(p), p.variant, p.where(), p.kernels) for p in points]
    for variant, at in LARGE:
        match = [p for p in points if p.matches(variant, at)]
        rows.append(("radix 2^28", variant, "%s 2^28" % at["type"], scaled(match, at["count"])[0]))
    groups = collections.defaultdict(list)
    if everything:
        head("variant", "at", "launches", *SHOWN, "bound, " + SHOWN[0])
    for workload, variant, where, kernels in sorted(rows, key=lambda r: r[0]):
        times = [predict(kernels, compiled, gpus[name]) for name in SHOWN]
        groups[workload].append(times)
        if everything:
            row(variant, where, launches_of(kernels), *(show(t) for t, _ in times),
                bounds_of(*times[0]))
    if everything:
        print()
    head("workload", "rows", "largest part on the " + SHOWN[0],
         *("%s / %s" % (name, SHOWN[0]) for name in SHOWN[1:]))
    for workload, lines in groups.items():
        bounds = collections.Counter(times[0][1].most_common(1)[0][0] for times in lines)
        ratio = lambda n: statistics.median(times[n][0] / times[0][0] for times in lines)
        row(workload, len(lines), ", ".join("%s %d" % pair for pair in bounds.most_common()),
            *("%.2f" % ratio(n) for n in range(1, len(SHOWN))))
    print()


def per_key(point, compiled):
    """Issue slots and shared wavefronts of a sort for 32 keys, sectors read and written for one."""
    keys, sums = float(point.params["count"]), [0, 0, 0, 0]
    for name, c in point.kernels.items():
        if "launches" not in c:
            continue
        sass = compiled.of(name, 90)
        wavefronts = sum(c["shared_%s.wavefronts" % k] for k in ("load", "store", "atomic"))
        of_kernel = (32 * c["warp_instructions"] * sass["sass"] / sass["ptx"],
                     c["global_load.sectors"], c["global_store.sectors"], 32 * wavefronts)
        sums = [s + k / keys for s, k in zip(sums, of_kernel)]
    return sums


def print_peer(points, compiled):
    say("""## onesweep beside CUB, by counts

        The counts are for a whole sort on sm_90: issue slots and shared wavefronts per 32 keys,
        sectors read and written per key. The second number of a cell is CUB's. `onesweep` issues
        fewer instructions than CUB except for 2^20 pairs; it reads more sectors and writes
        fewer.""")
    head("type", "keys", "issue slots", "sectors read", "sectors written", "shared wavefronts")
    for peer in sorted((p for p in points if p.variant == "radix/cub"), key=lambda p: p.where()):
        for ours in points:
            if ours.variant == "radix/onesweep" and ours.params == peer.params:
                both = zip(("%.0f", "%.3f", "%.3f", "%.1f"), per_key(ours, compiled),
                           per_key(peer, compiled))
                row(peer.params["type"], peer.params["count"],
                    *("%s / %s" % (form % a, form % b) for form, a, b in both))
    print()


def print_barriers(points, compiled, gpus, everything):
    """Print the grid's barriers: how many there are, and their part of the prediction."""
    say("## Grid-wide barriers")
    gpu, rows = gpus[SHOWN[0]], []
    for point in points:
        barriers = sum(counts.get("grid_barriers", 0) for counts in point.kernels.values())
        if barriers:
            whole, shares = predict(point.kernels, compiled, gpu)
            rows.append((shares["barriers"] / whole, point, barriers, shares["barriers"]))
    share, point, barriers, us = max(rows, key=lambda r: r[0])
    say("A barrier costs two round trips to the L2, whatever the number of blocks; the wait for"
        " the last block is not in the model. On the %s, barriers are at most %.0f %% of a"
        " prediction (%s at %s: %d barriers, %s), and more than a tenth at %d of the %d points"
        " with barriers." % (
            gpu.name, 100 * share, point.variant, point.where(), barriers, show(us),
            sum(r[0] > .1 for r in rows), len(rows)))
    if everything:
        head("variant", "at", "barriers", "time on the " + gpu.name, "share")
        for share, point, barriers, us in rows:
            row(point.variant, point.where(), barriers, show(us), "%.0f %%" % (100 * share))
        print()


def print_flush(gpus):
    """Print what flush.cu leaves in the L2; it writes twice the L2, then reads twice the L2."""
    older, dirty = math.exp(-4), math.exp(-2)
    most = lambda facts: dirty * facts["l2_mb"] / facts["gb_per_s"] * 1e3
    say("## Data that the flush leaves in the L2")
    say("Before each cold sample, the program writes twice the size of the L2 and then reads twice"
        " its size from another buffer (`cuda/flush.cu`). If the L2 replaces the line used least"
        " recently, only what was read remains. If it replaces random lines, e^-4 = %.1f %% of the"
        " L2 still holds older data and e^-2 = %.1f %% holds dirty lines. Writing all of these"
        " back takes at most %s." % (
            100 * older, 100 * dirty,
            ", ".join("%s on the %s" % (show(most(gpus[name].facts)), name) for name in SHOWN)))


def print_facts(known, published):
    say("## Facts")
    head("GPU", "multiprocessors", "MHz", "GB/s", "L2, MB", "warps", "source")
    for name, g in known["gpus"].items():
        row(name, g["multiprocessors"], g["mhz"], round(g["gb_per_s"]), "%g" % g["l2_mb"],
            g["warps"], ", ".join(g["source"]))
    print()
    for name, text in list(known["sources"].items()) + list(published["sources"].items()):
        print("- %s: %s" % (name, text))


def print_page(everything):
    known, published = read("gpus.json"), read("published.json")
    gpus = {name: Gpu(name, facts, known["common"]) for name, facts in known["gpus"].items()}
    points, compiled = read_points(), Compiled()
    measured = measured_rows(points, compiled, gpus)
    ordered, pairs = order(measured)
    say(HEAD.format(gpu=MEASURED_GPU, fast=1 / median_ratio(measured), ordered=ordered,
                    pairs=pairs, measured=MEASURED, launch=known["common"]["launch_us"]))
    print_measured(measured, everything)
    print_published(published_rows(published, points, compiled, gpus), everything)
    print_times(points, compiled, gpus, everything)
    print_peer(points, compiled)
    print_barriers(points, compiled, gpus, everything)
    if everything:
        print_flush(gpus)
        print_facts(known, published)


def main(page=print_page, usage=__doc__):
    """Print a page without blank lines at its end."""
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("--all", action="store_true", help="print every row")
    everything = parser.parse_args().all
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        page(everything)
    print(text.getvalue().rstrip("\n"))


if __name__ == "__main__":
    main()
