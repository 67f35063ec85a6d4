"""gaps.py -- the largest gaps between kernels and their bounds, then and now: a part of the page
that predict.py prints."""
import collections
import math
import types

import model
from tables import head, row, say, show

GRID, PLOC = "bfs/cuda/csr graph=grid", "lbvh/cuda/ploc scene=soup primitives=65536"
LARGE = "bfs/cuda/csr-do graph=kronecker scale=20"
WIDE = "lbvh/cuda/wide op=trace scene=knot primitives=32768 rays=%s"
BOUNCE = WIDE % 128 + " rays-kind=bounce"
FOLDER = model.MEASURED.split("/")[0]
MORTON = "octree/cuda/morton count=2097152"
LEVELS = 169  # of the search in the grid of 16384 vertices: metric "levels" of its record
# The kernels that were furthest from their bound on the H100: a text, the point's key, the kernels
# meant, a phase of the record or its whole time, the unit, a factor, and the goal.  The goal -n is
# an n-th of the time predicted then or, without one, of the measured time.
GAPS = (
    ("`bfs csr`, a level of a grid", GRID, "", "", "us", 1 / LEVELS, 1.2),
    ("`bfs csr-do`, kronecker 15", "bfs/cuda/csr-do graph=kronecker scale=15", "", "", "us", 1,
     -1),
    ("`bfs csr-do`, kronecker 20", LARGE, "", "", "us", 1, None),
    ("`bfs csr-do`, kronecker 20, slowest warps", LARGE, "", None, "instructions", 1, None),
    *[("`lbvh wide`, 256^2 primary rays", WIDE % 256, "", None, unit, 1e-6, None)
      for unit in ("M issue slots", "M sectors")],
    ("`lbvh wide`, collapse of 64Ki", "lbvh/cuda/wide scene=soup primitives=65536", "collapse",
     "collapse", "us", 1, 30),
    ("`radix onesweep`, 64Ki", "radix/cuda/onesweep count=65536", "", "", "us", 1, 28),
    ("`lbvh apetrei`, 64Ki", "lbvh/cuda/apetrei scene=soup primitives=65536", "", "", "launches", 1,
     None),
    ("`lbvh ploc`, 64Ki", PLOC, "", "", "launches", 1, None),
    ("`lbvh ploc`, hierarchy of 64Ki", PLOC, "cluster", "hierarchy", "us", 1, -1.5),
    *[("`lbvh wide`, 128^2 bounce rays", BOUNCE, "", None, unit, 1e-6, -1.3)
      for unit in ("M issue slots", "M sectors")],
    ("`cbt block`, a leaf of a full tree", "cbt/cuda/block op=decode depth=18 shape=full", "", None,
     "lane slots", 2 ** -18, 10),
)


def measure(kernels, unit, compiled, p):
    """The measure of some kernels on the H100, in `unit`."""
    gpu = p.gpus[model.MEASURED_GPU]
    if unit == "us":
        return model.time_of(model.terms_of(kernels, compiled, gpu), p.fitted, gpu.mhz)[0]
    if unit == "launches":
        return model.launches_of(kernels)
    if unit == "instructions":
        return sum(c.get("path", 0) for c in kernels.values())
    counted = [(c, compiled.of(name, 90)) for name, c in kernels.items() if name != "(run)"]
    if unit == "lane slots":
        return sum(32 * c["warp_instructions"] for c, _ in counted)
    return sum(model.sectors(c, "sectors") + c.get("classes.local", 0) if unit == "M sectors"
               else model.issued(c, of) for c, of in counted)


def kernel_of(kernels, name):
    return next((full, c) for full, c in kernels.items() if name in full)


def costs_at(p, kernels, name):
    """us of each constant in a kernel of today, and its term."""
    gpu, (full, c) = p.gpus[model.MEASURED_GPU], kernel_of(kernels, name)
    term = model.term_of(c, p.compiled.of(full, 90), gpu, kernels["(run)"]["device_bytes"])
    return dict(zip(model.CONSTANTS, model.costs(term, p.fitted, gpu.mhz))), term


def print_tried(p, now):
    """Changes that were not kept: tried.jsonl has their counts and what ptxas made of them."""
    for tried in model.read("tried.jsonl"):
        kernels = dict(now[tried["key"]], **{tried["kernel"]: tried["counts"]})
        compiled = types.SimpleNamespace(of=lambda *_: tried["compiled"])
        gpu = p.gpus[model.MEASURED_GPU]
        us, _ = model.time_of(model.terms_of(kernels, compiled, gpu), p.fitted, gpu.mhz)
        say("Not kept: %s, predicted to take %s. %s" % (tried["what"], show(us), tried["why"]))


def ratio_to_cub(p, at):
    """Measured, and predicted for today's kernels."""
    where = " ".join("%s=%s" % pair for pair in at.items())
    times = model.measured_times(FOLDER + "/radix-cub.jsonl")
    predicted = [p.predict(p.match("radix/" + v, at)[2], model.MEASURED_GPU)[0]
                 for v in ("onesweep", "cub")]
    return (times["radix/cuda/onesweep " + where] / times["radix/cuda/cub " + where],
            predicted[0] / predicted[1])


def print_gaps(p):
    say("""## The largest gaps

        The kernels that were furthest from their bound when the %s was measured: their time then,
        and what their counts give, then and now. Times are predicted. An access to local memory
        counts as one sector, its least.""" % model.MEASURED_GPU)
    records = {line["key"]: line for line in model.read("measured/" + model.MEASURED)[1:]
               if "time" in line}
    before = {q.key: q.kernels for q in model.read_points(model.read(model.BEFORE[0]))}
    now = {q.key: q.kernels for q in p.points}
    missed = []
    head("what", "unit", "measured", "then", "now", "goal")
    for what, key, kernel, phase, unit, factor, goal in GAPS:
        values = []
        for points, compiled in ((before, model.Compiled(as_measured=True)), (now, p.compiled)):
            chosen = dict(points.get(key, {}))
            if kernel:  # without copies
                chosen = {name: c if kernel in name else collections.Counter(
                    device_bytes=c["device_bytes"]) for name, c in chosen.items()
                    if kernel in name or name == "(run)"}
            values.append(factor * measure(chosen, unit, compiled, p) if chosen else None)
        record = records.get(key, {})
        time = record["phases"][phase] if phase else record.get("time")
        values.insert(0, factor * time["median"] / 1e3 if unit == "us" and time else None)
        if goal and goal < 0:
            goal = (values[1] or values[0]) / -goal
        row(what, unit, *("-" if v is None else "%.3g" % v for v in values + [goal]))
        if goal and values[-1] > goal:
            missed.append("%s (%s)" % (what, unit))
    for type in ("u64", "pairs"):
        measured, predicted = ratio_to_cub(p, {"count": 1 << 28, "type": type})
        row("`radix onesweep`, 2^28 " + type, "CUB's time", "%.2f" % measured, "-",
            "%.2f" % predicted, 1)
    print()
    level, _ = costs_at(p, now[GRID], "search_kernel")
    joins, term = costs_at(p, now[PLOC], "cluster")
    say("""Missed: %s. A level of the grid waits %.2f us for two loads, %.2f us for instructions of
        its slowest warp and %.2f us for shared memory, votes and a barrier. In the hierarchy, a
        join waits for those below it: %s for instructions, %s for shared memory and shuffles, %s
        for loads; issue alone would take %s. At 2^28, predictions for `onesweep` and CUB are in
        each other's intervals.
        """ % (
        "; ".join(missed), *(level[name] / LEVELS for name in ("load", "serial", "shared")),
        *(show(joins[name]) for name in ("serial", "shared", "load")), show(term.least)))
    print_tried(p, now)


def share_of_centre(side, scale=3 * math.pi / 16, steps=16):
    """The share of a Plummer sphere's bodies in a cube that has its centre as a corner."""
    at = [(side * (i + 0.5) / steps / scale) ** 2 for i in range(steps)]
    density = sum((1 + x + y + z) ** -2.5 for x in at for y in at for z in at) / steps ** 3
    return density * 3 / (4 * math.pi) * (side / scale) ** 3


def print_bytes(p):
    """Why morton moves no fewer bytes."""
    gpu = p.gpus[model.MEASURED_GPU]
    point = next(q for q in p.points if q.key == MORTON)
    bodies, kernels = float(point.params["count"]), point.kernels
    names = ("box_kernel", "made_kernel", "staged_pass_kernel", "tile_kernel")
    moved = {name: model.SECTOR * sum(kernel_of(kernels, name)[1]["global_%s.distinct" % kind]
                                      for kind in ("load", "store")) / bodies for name in names}
    say("""### Bytes of `octree morton`

        From 2^21 bodies on, a body takes %.0f bytes, for a goal of 110: the distinct sectors that
        each launch loads and stores, which DRAM moves unless the L2 has them. A body has 12 bytes
        of positions, read twice, 8 of a word and 4 of its key's other bits, and reads a sector more
        if it shares 39 bits with a neighbour.""" % sum(moved.values()))
    head("kernel", "bytes", "sectors", "dependent steps", "slowest bound")
    for name, amount in moved.items():
        cost, term = costs_at(p, kernels, name)
        row("`%s`" % name, "%.1f" % amount,
            "%.1f" % (model.SECTOR * model.sectors(kernel_of(kernels, name)[1], "sectors")
                      / bodies),
            show(cost["serial"] + cost["shared"] + cost["load"]),
            "%s %s" % (term.bound, show(term.least)))
    print()
    cost, term = costs_at(p, kernels, "staged_pass_kernel")
    passes = kernel_of(kernels, "staged_pass_kernel")[1]["launches"]
    share = share_of_centre(64 / 2 ** 8)
    sample = next(q for q in p.points if q.key == "radix/cuda/onesweep count=65536 type=u64")
    say("""With three passes of the sort, not %d, it would take %.0f. Then a cell at the centre of
        Plummer's sphere holds %.1f %% of the bodies: of 2^22, %.0f kB of words; a block has %d.
        Cells fitted to the bodies, whose other digits blocks order in shared memory, save bytes but
        hardly time: a pass waits %s for dependent steps, which stay, and %s for DRAM. Two passes
        fewer save %s of %s; sorting a sample of 64Ki keys, from which cells are made, takes %s."""
        % (passes, sum(moved.values()) - (passes - 3) / passes * moved["staged_pass_kernel"],
        100 * share, share * 2 ** 22 * 8 / 1e3, gpu.facts["shared_kb"],
        show((cost["serial"] + cost["shared"]) / passes), show(term.least / passes),
        show((passes - 3) * (cost["launch"] + cost["load"]) / passes),
        show(p.predict(kernels, gpu.name)[0]), show(p.predict(sample.kernels, gpu.name)[0])))
