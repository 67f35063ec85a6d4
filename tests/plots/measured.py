"""Synthetic records in gpubench's format: two machines, several launches, each kind of benchmark in
a picture.  All numbers come from formulas, so their pictures are the same everywhere."""

import json

MACHINES = ("Alpha 9000", "Beta 64")


def run_line(number, machine, commit="c0ffee0"):
    return {
        "type": "run",
        "schema": 2,
        "run_id": "%016x" % number,
        "started": "2026-01-%02dT12:00:00Z" % (number % 27 + 1),
        "tool": {"name": "gpubench", "version": "0.1.0", "commit": commit, "compiler": "gcc 12"},
        "host": {"hostname": "host", "cpu": machine},
        "gpus": [],
        "settings": {"device": 0, "cold": True},
    }


def record(number, bench, variant, params, ns, **more):
    """Three samples around ns; items and bytes follow from the size."""
    size = params.get("count", 1000)
    backend, name = variant.split("/")
    spread = more.pop("spread", 0.05)
    samples = [ns * (1 - spread), ns, ns * (1 + spread)]
    found = {
        "type": "record",
        "schema": 2,
        "run_id": "%016x" % number,
        "bench": bench,
        "backend": backend,
        "variant": name,
        "peer": name in ("qsort", "embree"),
        "key": " ".join([bench + "/" + variant] + ["%s=%s" % p for p in params.items()]),
        "params": params,
        "status": "ok",
        "reason": None,
        "verify": {"result": "pass"},
        "cold": True,
        "emulated": False,
        "work": {"items": size,
                 "unit": {"radix": "keys", "octree": "bodies"}.get(bench, "items"),
                 "bytes": 8 * size},
        "copy_bytes_per_s": 2e10,
        "time": {"clock": "monotonic", "median": ns, "ci95": [samples[0], samples[2]],
                 "samples": samples},
    }
    found.update(more)
    return found


def sort_time(variant, count, machine, launch):
    """ns: n log n or linear in n; one machine is twice as fast; launches differ by 2 %."""
    of = {"cpu/qsort": 4 * count * count.bit_length(), "cpu/lsd8": 8 * count + 20000,
          "cpu/best": 5 * count + 8000}
    return of[variant] / (1 + machine) * (1 + 0.02 * launch)


def sorts(launches=1, machines=(0, 1), slower=1.0, word=""):
    """word: appended to the names of machines and distributions."""
    lines = []
    for machine in machines:
        for launch in range(launches):
            number = 1 + 50 * machine + launch
            lines.append(run_line(number, MACHINES[machine] + word))
            for count in (1000, 10000, 100000):
                for variant in ("cpu/qsort", "cpu/lsd8", "cpu/best"):
                    params = {"count": count, "type": "u32", "distribution": "uniform" + word,
                              "seed": 1}
                    ns = sort_time(variant, count, machine, launch)
                    ns *= slower if variant == "cpu/best" else 1
                    lines.append(record(number, "radix", variant, params, ns))
    return lines


def mixed():
    """Types and sizes in step, and an operation that only some records name."""
    lines = [run_line(1, MACHINES[0])]
    for k, (count, kind) in enumerate(((1000, "u32"), (2000, "pairs"), (3000, "u64"))):
        for depth in (10, 20):
            params = {"count": count, "type": kind, "depth": depth}
            lines.append(record(1, "radix", "cpu/best", params, 1001 + 7 * k + depth))
        lines.append(record(1, "cbt", "cpu/block", {"depth": 10 + k}, 5003 + k))
        lines.append(record(1, "cbt", "cpu/block", {"depth": 20 + k, "op": "update"}, 7001 + k))
    return lines


def far_apart():
    """Times of words that differ a thousand times."""
    lines = [run_line(1, MACHINES[0])]
    for k, scene in enumerate(("teapot", "knot")):
        for v, variant in enumerate(("cpu/wide", "cpu/embree", "cpu/stack")):
            params = {"scene": scene, "op": "trace"}
            lines.append(record(1, "lbvh", variant, params, (3 + k) * 1000 ** (v + 1)))
    return lines


def many_trees():
    """Builds of 16 variants."""
    lines = [run_line(1, MACHINES[0])]
    for v in range(16):
        for scene, triangles in (("teapot", 3752), ("dragon", 871414)):
            params = {"op": "build", "scene": scene, "count": triangles}
            lines.append(record(1, "lbvh", "cpu/v%d" % v, params, triangles * (5 + v)))
    return lines


def threaded_sorts():
    """The same with 1 and 2 threads at equal speed; qsort has no threads."""
    lines = []
    for line in sorts():
        if line["type"] == "run" or line["variant"] == "qsort":
            lines.append(line)
        else:
            lines += [{**line, "params": {**line["params"], "threads": n}} for n in (1, 2)]
    return lines


def trees():
    """lbvh builds and traversals of three scenes, octree builds with phases."""
    lines = [run_line(1, MACHINES[0])]
    scenes = ("teapot", 3752), ("bunny", 69451), ("dragon", 871414)
    for k, (scene, triangles) in enumerate(scenes):
        for v, variant in enumerate(("cpu/wide", "cpu/embree")):
            params = {"op": "build", "scene": scene, "count": triangles, "threads": 1}
            lines.append(record(1, "lbvh", variant, params, triangles * (60 + 30 * v)))
            params = {"op": "trace", "scene": scene, "count": triangles, "rays": 512,
                      "threads": 1}
            trace = record(1, "lbvh", variant, params, 3e7 * (1 + k) * (1 + v / 4), spread=0.1)
            trace["work"]["items"] = 512 * 512
            lines.append(trace)
    for v, variant in enumerate(("cpu/lock", "cpu/lf", "cpu/morton")):
        parts = {"keys": {"median": 1e6}, "insert": {"median": (9 - 4 * v) * 1e6},
                 "link": {"median": v * 1e6}}
        ns = sum(p["median"] for p in parts.values())
        params = {"count": 100000, "distribution": "plummer"}
        lines.append(record(1, "octree", variant, params, ns, phases=parts))
    return lines


def papers():
    """The records that `repro radix:table1` stores: rows of the table up to 10 million keys."""
    lines = [run_line(1, MACHINES[0])]
    for count in (10000, 50000, 100000, 1000000, 10000000):
        params = {"count": count, "type": "u32", "distribution": "uniform", "seed": 1}
        key = "radix/cpu/split count=%d" % count
        lines.append(record(1, "radix", "cpu/split", params, 300 * count, key=key))
    return lines


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
