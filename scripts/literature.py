#!/usr/bin/python3
"""literature.py -- compares the best variants with published results.

    literature.py >docs/literature.md    the page: measured times beside published rates
    literature.py --all                  all works with citations, all published rows, all counts

Published figures come from results/literature.json, each with its citation, and from
results/published.json.  Ours are times measured on an H100 (results/measured/) and the exact counts
of results/counts.jsonl.  A point without a record gets the time and interval that
scripts/predict.py predicts, and says so.
"""

import glob
import os

import model
import predict
from predict import head, row, say

GPU = model.MEASURED_GPU
FOLDER = os.path.dirname(model.MEASURED)
# Records of the H100; the first file that has a point gives its time.
FILES = ("points", "radix-cub", "papers-radix", "papers-cbt-gpu", "papers-octree-lf-shared",
         "papers-octree", "papers-lbvh")

HEAD = """# Compared with the literature

This page compares the best CUDA variants with published results. Our times are **measured** on an
{gpu} ([records](../results/measured/{folder})) with cold caches. Published figures are those of the
sources in
[literature.json](../results/literature.json) and [published.json](../results/published.json).

`scripts/literature.py --all` adds citations, methods, CUB on other GPUs, published speed-ups and
[exact counts](../results/counts.jsonl).

Rates on different GPUs are not comparable. **Peak bytes per item** is the GPU's peak bandwidth
([gpus.json](../results/gpus.json)) divided by the rate: the bytes it could move per item.
"""
SAME_CODE = """## The same code elsewhere

These published times are of code that runs here: CUB's sort and the papers' algorithms. On an
{gpu}, our times are {low:.2f} to {high:.2f} times the published ones. Keys of entropy .544 are
compared with uniform ones.
"""
# Values of parameters that are newer than some records.
UNSAID = {"values": "index", "unstable": "no"}

BEST = """## The best variants

Our fastest CUDA variant with a time or counts at a point, beside the highest published rate of a
section below or of the point. **Bound** is the time of the variant's launches if nothing waited: by
launches, issue, shared memory, L2 and DRAM; about, if its counts are those of fewer keys in
proportion. Predictions are for an {gpu}, with the interval of nine in ten; a variant that changed
since it was measured has both.
"""
# The section with comparable rates, if any; benchmark and point.
POINTS = (
    ("radix: sort", "radix", {"type": "u32", "count": 1 << 20}),
    ("radix: sort", "radix", {"type": "u32", "count": 1 << 28}),
    ("bfs: breadth-first search", "bfs", {"graph": "kronecker", "scale": 15}),
    ("bfs: breadth-first search", "bfs", {"graph": "kronecker", "scale": 20}),
    ("bfs: breadth-first search", "bfs", {"graph": "grid", "vertices": 16384}),
    ("cbt: concurrent binary tree", "cbt", {"op": "decode", "ids": "sum", "depth": 17}),
    ("cbt: concurrent binary tree", "cbt", {"op": "update", "depth": 17}),
    ("octree: construction", "octree", {"dist": "plummer", "count": 1 << 20}),
    ("lbvh: building", "lbvh", {"op": "build", "scene": "soup", "primitives": 65536}),
    ("lbvh: traversal", "lbvh",
     {"op": "trace", "scene": "teapot", "rays": 2048, "tree": "paper"}),
)

# How our variants differ from the published works, and keys of our records beside their rates.
SECTIONS = {
    "radix: sort": ("""
`onesweep` is the method of Adinets and Merrill (2022), which CUB also uses. [radix.md](radix.md)
describes its changes. No GPU variant is a hybrid MSD sort.""", [
        "radix/cuda/onesweep count=268435456", "radix/cuda/cub count=268435456",
    ]),
    "bfs: breadth-first search": ("""
`csr-do` is direction-optimizing like Enterprise (2015) and GAPBS, with two of Enterprise's four
degree classes and no hub cache. `csr` and `csr-do` run all levels in one launch; Gunrock launches
each operator. The graphs are not the same: kron_g500-logn20 has 2.8 times the edges of ours, and
road_usa has 6249 levels.""", []),
    "cbt: concurrent binary tree": ("""
`descent` is the method of Dupuy (2020), which computes sums level by level and descends the tree to
find a leaf; `libcbt` sums the lowest levels in one pass, as his library does. `block` reads the bit
field once for all levels, without atomics, and finds leaves by counting bits.""", []),
    "octree: construction": ("""
`lf` is the lock-free insertion of Cordeiro and Zola (2024), and `lock` that of Burtscher and
Pingali (2011). `morton` sorts the bodies, as Karras (2012) and Cornerstone (2023) do, but makes no
binary tree and builds from scratch. Schütz et al. (2023) do not sort fully: their leaves hold tens
of thousands of points. Our times run from positions to a tree with one body per leaf.""", [
        "octree/cuda/morton count=16000000 dist=cube", "octree/cuda/lf count=16000000 dist=cube",
    ]),
    "lbvh: building": ("""
`apetrei` has one launch for nodes and boxes. `ploc` is H-PLOC (2024). No variant restructures
treelets (ATRBVH, 2015). HIP-BVH is a third-party implementation whose times include the sort, as
ours do. Our scene is generated.""", [
        "lbvh/cuda/apetrei scene=city primitives=243000",
        "lbvh/cuda/ploc scene=city primitives=243000",
    ]),
    "lbvh: traversal": ("""
`stack2` has a thread and a stack per ray, like Aila and Laine (2009). `wide` has their persistent
warps for incoherent rays, and the 80-byte nodes of Ylitie et al. (2017) with children sorted by
distance. TinyBVH traces a tree that the CPU built by SAH. Frolov and Galaktionov use hardware ray
queries, as `vulkan/driver-rt` does. Our rays are 2048 x 2048 primary rays.""", [
        "lbvh/cuda/stack2 op=trace scene=teapot primitives=25600 tree=paper",
        "lbvh/cuda/wide op=trace scene=teapot primitives=25600 tree=paper",
    ]),
}


class Ours:
    """Our counts, and times measured on the H100 or predicted for it."""

    def __init__(self):
        self.facts = model.read("gpus.json")["gpus"]
        self.predictor = predict.Predictor()
        self.by_key, self.by_params = {}, {}
        self.changed = {line["key"] for line in model.read(model.BEFORE[0])}
        for name in FILES:
            for line in model.read(os.path.join("measured", FOLDER, name + ".jsonl")):
                if line.get("type") == "record" and line["status"] in ("ok", "noisy"):
                    self.by_key.setdefault(line["key"], line)
                    at = self.identity(line["bench"] + "/" + line["variant"], line["params"])
                    if line["backend"] == "cuda":
                        self.by_params.setdefault(at, line)

    @staticmethod
    def identity(variant, params):
        """A point; numbers may be written in several ways."""
        return variant, tuple(sorted((k, str(v)) for k, v in params.items()
                                     if k != "threads" and UNSAID.get(k) != v))

    def record(self, variant, at):
        match = self.predictor.match(variant, at)[0]
        params = dict(match[0].params, **{k: str(v) for k, v in at.items()})
        return self.by_params.get(self.identity(variant, params))

    def predicted(self, variant, at):
        """us at a point, and how tables show it."""
        us = self.predictor.predict(self.predictor.match(variant, at)[2], GPU)[0]
        ends = self.predictor.interval(us, GPU)
        return us, "predicted %s (%s)" % (predict.show(us), predict.show_interval(ends))

    def time(self, variant, at):
        """us at a point, and how it was obtained."""
        record = self.record(variant, at)
        return ((record["time"]["median"] / 1e3, "measured") if record
                else self.predicted(variant, at))

    def best(self, bench, at):
        """Our fastest variant at a point, and the point's items."""
        names = {p.variant for p in self.predictor.points
                 if p.variant.startswith(bench + "/") and p.matches(p.variant, at)}
        records = {name: self.record(name, at) for name in names - {"radix/cub"}}
        return (min((self.time(name, at)[0], name) for name, record in records.items()
                    if record or self.predictor.match(name, at)[3] == "counted")[1],
                next((r for r in [*records.values(), *cpu_records(at)] if r))["work"]["items"])

    def bound(self, variant, at):
        """The time of a variant's launches if none waited.  A ray of a smaller picture is less
        coherent and tells nothing."""
        p = self.predictor
        _, _, kernels, how = p.match(variant, at)
        us = sum(t.launch * p.constants(GPU)[0] + t.least
                 for t in model.terms_of(kernels, p.compiled, p.gpus[GPU]))
        if how != "in proportion":
            return predict.show(us)
        return "-" if "rays" in at else "about " + predict.show(us)


def cpu_records(at):
    """Records of a graph that only a CPU has searched; it reaches the same edges."""
    for name in glob.glob(os.path.join(model.RESULTS, "measured", "cpu-*", "bfs-sparse.jsonl")):
        for line in model.read(name):
            if all(line.get("params", {}).get(k) == v for k, v in at.items()):
                yield line


def digits(value):
    return "%.0f" % value if value >= 100 else "%.3g" % value


def rate_of(rate):
    return "-" if not rate else "%.2f G" % (rate / 1e9) if rate >= 1e9 else "%.0f M" % (rate / 1e6)


def peak_bytes(facts, name, rate):
    return "%.0f" % (facts[name]["gb_per_s"] * 1e9 / rate) if rate and name in facts else "-"


def published_rate(their):
    return their.get("rate") or ("us" in their and their["items"] / their["us"] * 1e6)


def short(value):
    """The value, or the power of two that it is."""
    power = value.bit_length() - 1 if isinstance(value, int) else 0
    return "2^%d" % power if power > 15 and value == 1 << power else str(value)


def note_of(text, row):
    return text + (": " + row["note"] if "note" in row else "")


def print_best(ours, sections, published):
    say(BEST.format(gpu=GPU))
    head("at", "variant", "bound", GPU, "items/s", "published", "by")
    for title, bench, at in POINTS:
        name, items = ours.best(bench, at)
        us, how = ours.time(name, at)
        time = predict.show(us) if how == "measured" else how
        changed = any(p.key in ours.changed for p in ours.predictor.match(name, at)[0])
        if changed and how == "measured":
            time += "; now " + ours.predicted(name, at)[1]
        theirs = [(published_rate(r), "%s, %s: %s" % (r["work"], r["gpu"], r["what"]))
                  for r in sections[title]["rows"] if published_rate(r)
                  and r.get("graph", "kronecker") == at.get("graph", "kronecker")]
        theirs += [(items / r["us"] * 1e6, note_of("%s, %s" % (r["source"], r["gpu"]), r))
                   for r in published if r["variant"].startswith(bench + "/") and r["at"] == at]
        rate, by = max(theirs, default=(None, "-"))
        row(bench + " " + " ".join(map(short, at.values())), "`%s`" % name.split("/")[1],
            ours.bound(name, at), time, rate_of(items / us * 1e6), rate_of(rate), by)
    print()


def print_same_code(ours, rows, everything):
    rows = [(known, *ours.time(known["variant"], known["at"])) for known in rows
            if not known["variant"].startswith("stream/")
            and (everything or known["gpu"] == GPU or known["variant"] != "radix/cub")]
    ratios = [us / known["us"] for known, us, _ in rows if known["gpu"] == GPU]
    say(SAME_CODE.format(gpu=GPU, low=min(ratios), high=max(ratios)))
    head("variant", "at", "GPU", "published", "measured, " + GPU, "source")
    for known, us, how in sorted(rows, key=lambda r: r[0]["gpu"] != GPU):
        row(known["variant"], note_of(" ".join(map(short, known["at"].values())), known),
            known["gpu"], predict.show(known["us"]),
            predict.show(us) if how == "measured" else how, known["source"])
    print()


def print_rates(ours, section, keys):
    """Print the published results that have a rate, and our records."""
    if not keys:
        return
    head("by", "GPU", "input", "items/s", "peak bytes per item")
    for their in filter(published_rate, section["rows"]):
        rate = published_rate(their)
        row(their["work"], their["gpu"], their["what"], rate_of(rate),
            peak_bytes(ours.facts, their["gpu"], rate))
    for key in keys:
        record = ours.by_key[key]
        variant, _, at = key.partition(" ")
        rate = record["work"]["items"] / record["time"]["median"] * 1e9
        row("`%s`" % variant.split("/")[2], GPU + ", measured", at, rate_of(rate),
            peak_bytes(ours.facts, GPU, rate))
    print()


def print_works(section):
    head("work", "method", "here")
    for work in section["works"]:
        row("%s: %s" % (work["name"], work["cite"]), work["does"], work["differs"])
    print()


def print_theirs(ours, section):
    say("Published:")
    head("work", "GPU", "what", "printed", "items/s", "peak bytes per item")
    for their in section["rows"]:
        rate = published_rate(their)
        row(their["work"], their["gpu"] or "-", their["what"], their["printed"] or "not found",
            rate_of(rate), peak_bytes(ours.facts, their["gpu"], rate))
    print()


def print_counts(ours, section):
    """Print our counts: sectors of 32 bytes over all kernels of a run, and 32 times the warp
    instructions of the PTX for sm_90."""
    say("Ours, on the %s; bytes are counted 32-byte sectors, and instructions are 32 times the warp"
        " instructions of the PTX for sm_90:" % GPU)
    head("variant", "at", "counts", "launches", "instructions per item", "bytes read", "written",
         "time", "items/s", "peak bytes per item")
    for our in section["ours"]:
        match, items, kernels, how = ours.predictor.match(our["variant"], our["at"])
        whole = our.get("unit") == "run"  # its items are not comparable
        kernels, how = (match[0].kernels, "counted") if whole else (kernels, how)
        us, source = ours.time(our["variant"], our["at"])
        items = 1 if whole else items
        total = lambda *names: sum(c.get(n, 0) for c in kernels.values() for n in names)
        at = " ".join("%s=%s" % pair for pair in our["at"].items()) + (", a run" if whole else "")
        rate = None if whole else items / us * 1e6
        row(our["variant"], at, how, round(total("launches")),
            digits(32 * total("warp_instructions") / items),
            digits(32 * total("global_load.sectors", "global_atomic.sectors") / items),
            digits(32 * total("global_store.sectors") / items),
            predict.show(us) + ", measured" if source == "measured" else source, rate_of(rate),
            peak_bytes(ours.facts, GPU, rate))
    print()


def print_page(everything):
    ours = Ours()
    say(HEAD.format(gpu=GPU, folder=FOLDER))
    published, sections = model.read("published.json")["rows"], model.read("literature.json")
    print_best(ours, {s["title"]: s for s in sections["sections"]}, published)
    print_same_code(ours, published, everything)
    for section in sections["sections"]:
        prose, keys = SECTIONS[section["title"]]
        say("## %s\n\n%s" % (section["title"], prose))
        print_rates(ours, section, keys)
        if everything:
            print_works(section)
            print_theirs(ours, section)
            print_counts(ours, section)
            say(section.get("note", ""))


if __name__ == "__main__":
    predict.main(print_page, __doc__)
