#!/usr/bin/python3
"""predict.py -- predicts times of CUDA kernels on a GPU from exact counts; all are marked as such.

    predict.py >docs/predictions.md    the page: the model and how far off it is, by workload
    predict.py --all                   every prediction with its interval, and the sources
    predict.py --gpu=NAME FILE...      times of the records of a gpubench-ptx (- reads stdin)

scripts/model.py has the model.  The inputs are stored files of results/: counts.jsonl (exact counts
of each kernel), sass.jsonl (what ptxas makes of its PTX), gpus.json (facts of each GPU, with their
sources), published.json (published times of code that runs here) and measured/ (records of a GPU at
the points of the counts, and of the microbenchmarks).
"""

import argparse
import collections
import contextlib
import io
import itertools
import json
import math
import re
import statistics
import sys

import counts
import gaps
import model
from tables import head, row, say, show, show_interval

# GPUs that predictions are printed for, and sorts that are larger than their counts.
SHOWN = ("H200", "A100", "RTX 4090")
LARGE = [("radix/%s" % v, {"type": t, "count": 1 << 28})
         for t in ("u32", "u64", "pairs") for v in ("onesweep", "cub")]
GOAL = 1.4  # the median error of a benchmark that the constants were not fitted to


class Predictor:
    """The model with its constants for each GPU, and how far off it has been."""

    def __init__(self):
        self.points, self.compiled = model.read_points(), model.Compiled()
        self.gpus = model.read_gpus()
        self.rows = model.measured_rows(self.points, self.gpus[model.MEASURED_GPU])
        self.fitted = model.fit(self.rows)
        self.calibrated = model.calibrations(self.points, self.compiled, self.gpus)
        self.without = model.group_out(self.rows)
        self.published = [self.beside(known) for known in model.read("published.json")["rows"]]

    def constants(self, gpu):
        return self.calibrated[gpu][0] if gpu in self.calibrated else self.fitted

    def source(self, gpu):
        return (self.calibrated[gpu][1] if gpu in self.calibrated
                else "fitted to the %s's times" % model.MEASURED_GPU)

    def predict(self, kernels, gpu):
        """us on the GPU of that name, and the part of each bound in it."""
        terms = model.terms_of(kernels, self.compiled, self.gpus[gpu])
        return model.time_of(terms, self.constants(gpu), self.gpus[gpu].mhz)

    def interval(self, us, gpu):
        """Nine of ten measured times of other benchmarks (on other GPUs: of published times) were
        as far from their predictions as the ends are."""
        same = self.gpus[gpu].facts.get("chip", gpu) == model.MEASURED_GPU
        off = self.without if same else [known["us"] / predicted
                                         for known, _, predicted, *_ in self.published]
        return us * model.quantile(off, 0.05), us * model.quantile(off, 0.95)

    def match(self, variant, at):
        """The counts of a variant at a point, their number of items, and how they were obtained."""
        match = [p for p in self.points if p.matches(variant, at)]
        if not match:
            raise SystemExit("predict.py: no counts of %s at %s" % (variant, at))
        items = match[0].items(float(at.get(match[0].size, match[0].params[match[0].size])))
        return (match, items, *model.scaled(match, items))

    def beside(self, known):
        """A row of published.json, its point, predicted us, shares, how the counts were
        obtained."""
        _, _, kernels, how = self.match(known["variant"], known["at"])
        us, shares = self.predict(kernels, known["gpu"])
        at = " ".join("%g" % v if isinstance(v, float) else str(v) for v in known["at"].values())
        return known, at, us, shares, how


# ---- text ------------------------------------------------------------------------------------


def bounds_of(us, shares):
    main = shares.most_common(2)
    return ", ".join("%s %.0f %%" % (bound, 100 * share / us) for bound, share in main)


def factors(ratios):
    """Each ratio as a factor of at least 1."""
    return [max(r, 1 / r) for r in ratios]


def errors(ratios):
    """The median factor and that of nine of ten rows."""
    off = factors(ratios)
    return "%.2f" % statistics.median(off), "%.2f" % model.quantile(off, 0.9)


# ---- the page --------------------------------------------------------------------------------

HEAD = """# Predicted times of the CUDA variants

This page tells how far off the predicted times of the CUDA variants are. For points that its
constants were not fitted to, a prediction for an {gpu} is off by a factor of {median} in the
median, and nine of ten are within {nine}. The model orders {ordered} of {pairs} pairs of variants
at the same point as measured. Tables and programs mark a prediction as such and give an interval.

"""
COMMANDS = """    scripts/predict.py          this page
    scripts/predict.py --all    every prediction with its interval, counts beside CUB's, sources
    # times of these kernels, without a GPU, on a device of its 132 multiprocessors
    GPUBENCH_PTX_PREDICT=H100 GPUBENCH_PTX_SMS=132 ./gpubench-ptx radix
"""
MODEL = """
The inputs are in [results](../results): counts.jsonl (exact counts of each kernel), sass.jsonl
(instructions and registers of the compiled kernels), gpus.json (published facts of each GPU),
published.json (published times) and [points.jsonl](../results/measured/{measured}) (measured
times).

## Model

A launch of a kernel takes as long as the slowest of six bounds:

- **latency**: the instructions of a warp, one after the other, at two costs, and its longest chain
of dependent global loads, for each wave of blocks that the occupancy leaves. The warp is the
average one or, from barrier to barrier of the grid, the slowest;

- **issue**: the instructions of the SASS, divided by the schedulers of the multiprocessors that
have a block. These are the executed ones of the PTX, with those that ptxas adds for divisions and
roots, times the kernel's ratio of SASS to PTX;

- **shared**: shared-memory wavefronts, one per cycle and multiprocessor;

- **L2**: sectors of 32 bytes, divided by the L2's bytes per cycle (64 per multiprocessor where no
figure is published);

- **atomics**: compare-and-swaps that threads repeat at the sector where they all begin, one a cycle
([GK110's rate](../results/gpus.json) at an address);

- **DRAM**: each byte once, because samples are cold, and again the share that does not fit in the
L2, at {share:.0f} % of the peak bandwidth.

Six constants are not published. `gpubench stream` measures each one on a GPU, and
`scripts/gpu-suite.sh` runs that first. Its records, results/measured/*/{calibration}, are used for
the GPU that made them. {source}
"""
CONSTANT = {
    "launch": "a launch or memset, in a graph too",
    "issue": "an instruction that waits for the one before",
    "shared": "the same of shared memory, a shuffle, a vote or a block's barrier",
    "latency": "a load that waits for the one before",
    "barrier": "a barrier of the grid, beyond the way of its slowest warp",
    "host": "a copy that the host waits for",
}
LIMITS = """
The model leaves out clocks below boost, conflict misses and waits for another block's work. All
counts are of PTX for sm_90 on 132 multiprocessors, although CUB chooses other tiles elsewhere. The
SASS is that of sm_90, or of sm_75 on an older GPU. Vulkan variants have no counts.
"""


def figure(value):
    return "%.3g" % value if value >= 0.01 else "below 0.01"


def print_constants(p):
    names = list(p.calibrated) or [model.MEASURED_GPU]
    head("constant", "`gpubench stream`", *names)
    ops = dict(zip(model.CONSTANTS, ("launch", "issue", "shared", "latency", "barrier", "host")))
    for n, name in enumerate(model.CONSTANTS):
        row(CONSTANT[ops[name]], "`--op=%s`" % ops[name],
            *("%s %s" % (figure(p.constants(gpu)[n]), model.UNITS[name]) for gpu in names))
    print()


def workload_of(point):
    bench = point.variant.split("/")[0]
    return bench + " " + point.params["op"] if bench == "lbvh" else bench


def order(rows, times):
    """Pairs of variants at the same point that are predicted in the measured order, and all."""
    groups = collections.defaultdict(list)
    for r, us in zip(rows, times):
        groups[workload_of(r.point), tuple(sorted(r.point.params.items()))].append((r.us, us))
    pairs = [(a, b) for g in groups.values() for a, b in itertools.combinations(g, 2)
             if a[0] != b[0]]
    return sum((a[0] < b[0]) == (a[1] < b[1]) for a, b in pairs), len(pairs)


def furthest(named, number):
    named = sorted(named, key=lambda pair: -abs(math.log(pair[1])))[:number]
    return "; ".join("%s (%.2f)" % pair for pair in named)


def print_measured(p, halves, everything):
    say("""## Against an %s

        The measured times are cold medians of verified results at the points of
        `scripts/counts.py`. An error is the factor between the measured and the predicted time;
        the cells have the median, and the factor that nine of ten rows are within. The constants
        are fitted to all points, to a random half without the row, or to the other benchmarks; each
        benchmark has the same weight. The form of the model and these weights were chosen on the
        same points, so another GPU, or points measured later, are the real test.
        """ % model.MEASURED_GPU)
    groups = collections.defaultdict(list)
    for n, r in enumerate(p.rows):
        groups[r.group].append(n)
    fitted = model.off_by(p.rows, p.fitted)
    columns = [[[ratio] for ratio in fitted], halves, [[ratio] for ratio in p.without]]
    head("benchmark", "rows", "fitted to all", "to half", "to other benchmarks")
    groups["all"] = range(len(p.rows))
    for name, members in groups.items():
        row(name, len(members), *(" / ".join(errors([r for n in members for r in column[n]]))
                                  for column in columns))
    print()
    above = [name for name, members in groups.items()
             if statistics.median(factors(p.without[n] for n in members)) >= GOAL]
    inside = 0
    for r in p.rows:
        low, high = p.interval(model.time_of(r.terms, p.fitted, r.mhz)[0], model.MEASURED_GPU)
        inside += low <= r.us <= high
    say("The goal for benchmarks left out, a median below %.1f, is %s. The printed interval holds"
        " %d of the %d measured times." % (
            GOAL, "missed by " + ", ".join(above) if above else "met by each", inside,
            len(p.rows)))
    if everything:
        say("Furthest off, as measured over predicted: %s." % furthest(
            [("%s at %s" % (r.point.variant, r.point.where()), ratio)
             for r, ratio in zip(p.rows, fitted)], 5))
        head("variant", "at", "launches", "measured", "predicted", "9 of 10", "ratio", "bound")
        for r in p.rows:
            us, shares = model.time_of(r.terms, p.fitted, r.mhz)
            row(r.point.variant, r.point.where(), model.launches_of(r.point.kernels), show(r.us),
                show(us), show_interval(p.interval(us, model.MEASURED_GPU)),
                "%.2f" % (r.us / us), bounds_of(us, shares))
        print()


def print_published(p, everything):
    say("""## Against published times

        The published times are of code that runs here: copies, CUB's sort, and the papers'
        algorithms on the papers' GPUs. Nothing is fitted to them, and the errors give the interval
        of a prediction for another chip.""")
    rows = [(known, at, known["us"] / us, us, shares, how)
            for known, at, us, shares, how in p.published]
    if everything:
        head("GPU", "variant", "at", "published", "predicted", "ratio", "bound", "counts",
             "source")
        for known, at, ratio, us, shares, how in rows:
            note = ", " + known["note"] if "note" in known else ""
            row(known["gpu"], known["variant"], at + note, show(known["us"]), show(us),
                "%.2f" % ratio, shares.most_common(1)[0][0], how, known["source"])
        print()
    groups = collections.defaultdict(list)
    for known, _, ratio, *_ in rows:
        groups[known["variant"]].append(ratio)
    groups["all"] = [ratio for _, _, ratio, *_ in rows]
    head("variant", "rows", "error", "lowest ratio", "highest")
    for name, ratios in groups.items():
        row(name, len(ratios), " / ".join(errors(ratios)), "%.2f" % min(ratios),
            "%.2f" % max(ratios))
    print()
    if everything:
        say("Furthest off: %s." % furthest(
            [("%s at %s on an %s" % (known["variant"], at, known["gpu"]), ratio)
             for known, at, ratio, *_ in rows], 4))


def print_times(p):
    say("""## Other GPUs

        Predicted times with cold caches at the points of counts.jsonl and for sorts of 2^28 keys,
        whose counts are extrapolated; then the number of rows by the largest part of the time, and
        the median ratio of the predicted times of two GPUs.""")
    rows = [(workload_of(q), q.variant, q.where(), q.kernels) for q in p.points
            if not q.calibrates]
    for variant, at in LARGE:
        rows.append(("radix 2^28", variant, "%s 2^28" % at["type"], p.match(variant, at)[2]))
    groups = collections.defaultdict(list)
    head("variant", "at", "launches", *SHOWN, "bound, " + SHOWN[0])
    for workload, variant, where, kernels in sorted(rows, key=lambda r: r[0]):
        times = [p.predict(kernels, name) for name in SHOWN]
        groups[workload].append(times)
        row(variant, where, model.launches_of(kernels),
            *("%s, %s" % (show(us), show_interval(p.interval(us, name)))
              for name, (us, _) in zip(SHOWN, times)), bounds_of(*times[0]))
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
        wavefronts = sum(c["shared_%s.wavefronts" % k] for k in ("load", "store", "atomic"))
        of_kernel = (32 * model.issued(c, compiled.of(name, 90)), c["global_load.sectors"],
                     c["global_store.sectors"], 32 * wavefronts)
        sums = [s + k / keys for s, k in zip(sums, of_kernel)]
    return sums


def print_peer(p):
    say("""## onesweep beside CUB, by counts

        The counts are for a whole sort on sm_90: issue slots and shared wavefronts per 32 keys,
        sectors read and written per key. The second number of a cell is CUB's. `onesweep` issues
        fewer instructions than CUB except for 2^20 pairs; it reads more sectors and writes
        fewer.""")
    head("type", "keys", "issue slots", "sectors read", "sectors written", "shared wavefronts")
    for peer in sorted((q for q in p.points if q.variant == "radix/cub"), key=lambda q: q.where()):
        for ours in p.points:
            if ours.variant == "radix/onesweep" and ours.params == peer.params:
                both = zip(("%.0f", "%.3f", "%.3f", "%.1f"), per_key(ours, p.compiled),
                           per_key(peer, p.compiled))
                row(peer.params["type"], peer.params["count"],
                    *("%s / %s" % (form % a, form % b) for form, a, b in both))
    print()


def print_flush(p):
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
            ", ".join("%s on the %s" % (show(most(p.gpus[n].facts)), n) for n in SHOWN)))


def print_facts():
    known, published = model.read("gpus.json"), model.read("published.json")
    say("## Facts")
    head("GPU", "multiprocessors", "MHz", "GB/s", "L2, MB", "warps", "source")
    for name, g in known["gpus"].items():
        row(name, g["multiprocessors"], g["mhz"], round(g["gb_per_s"]), "%g" % g["l2_mb"],
            g["warps"], ", ".join(g["source"]))
    print()
    for name, text in list(known["sources"].items()) + list(published["sources"].items()):
        print("- %s: %s" % (name, text))


def print_page(everything):
    p = Predictor()
    halves = model.half_out(p.rows)
    median, nine = errors([ratio for ratios in halves for ratio in ratios])
    ordered, pairs = order(p.rows, [r.us / ratio for r, ratio in zip(p.rows, p.without)])
    common = model.read("gpus.json")["common"]
    source = "Until a GPU has such records, its constants are those fitted to the times of an %s:" \
        % model.MEASURED_GPU
    say(HEAD.format(gpu=model.MEASURED_GPU, median=median, nine=nine, ordered=ordered, pairs=pairs))
    print(COMMANDS)
    say(MODEL.format(measured=model.MEASURED, share=100 * common["dram_share"],
                     calibration=model.CALIBRATION, source=source))
    print_constants(p)
    say(LIMITS)
    print_measured(p, halves, everything)
    print_published(p, everything)
    gaps.print_gaps(p)
    gaps.print_bytes(p)
    if everything:
        print_times(p)
        print_peer(p)
        print_flush(p)
        print_facts()


# ---- records ---------------------------------------------------------------------------------


def print_records(files, gpu):
    """Print a predicted time for each record with counts."""
    p, found = Predictor(), 0
    for name in files:
        with sys.stdin if name == "-" else open(name) as file:
            for record in map(json.loads, file):
                if record.get("type") != "record" or "counts" not in record:
                    continue
                found += 1
                kernels = {line["kernel"]: line["counts"] for line in counts.of_record(record)}
                us, shares = p.predict(kernels, gpu)
                name = record.get("key") or ", ".join(
                    sorted({re.split(r"[<(]", k.removeprefix("void "))[0].split("::")[-1]
                            for k in kernels if k != "(run)"}))
                print("%s: predicted for an %s: %s (9 of 10: %s); %s; constants %s" % (
                    name, gpu, show(us), show_interval(p.interval(us, gpu)),
                    bounds_of(us, shares), p.source(gpu)))
    if not found:
        raise ValueError("no record has counts; gpubench-ptx makes them")


def main(page=print_page, usage=__doc__):
    """Print a page without blank lines at its end."""
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("--all", action="store_true", help="print every row")
    if page == print_page:
        known = ", ".join(model.read("gpus.json")["gpus"])
        parser.add_argument("--gpu", metavar="NAME", help=known)
        parser.add_argument("file", nargs="*", help="records of a gpubench-ptx")
    options = parser.parse_args()
    if page == print_page and (options.gpu or options.file):
        if not (options.gpu and options.file):
            parser.error("--gpu=NAME and FILE belong together")
        if options.gpu not in known.split(", "):
            print("predict.py: GPU '%s' is none of %s" % (options.gpu, known), file=sys.stderr)
            return 2
        try:
            return print_records(options.file, options.gpu)
        except (OSError, ValueError, LookupError, ArithmeticError, TypeError,
                AttributeError) as fault:
            print("predict.py: %s: %s" % (" ".join(options.file), fault), file=sys.stderr)
            return 2
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        page(options.all)
    print(text.getvalue().rstrip("\n"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
