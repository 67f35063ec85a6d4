#!/usr/bin/python3
"""literature.py -- the best variants compared with published results.

usage: literature.py >results/literature.md

Published figures come from results/literature.json, each with its citation, and results/published.json; ours are the
exact counts of results/counts.jsonl and the times that scripts/predict.py derives from them.
"""

import predict
from predict import head, row

HEAD = """# Compared with the literature

`scripts/literature.py` prints this page from [literature.json](literature.json), [published.json](published.json) and
[counts.jsonl](counts.jsonl). Our times are those of [predictions.md](predictions.md): **predicted, not measured**.

Published figures are quoted as printed in the cited source, for its GPU and input; "not found" means that the cited part gives none. Rates on different GPUs
are not comparable; **peak bytes per item** is the GPU's peak bandwidth divided by the rate, that is, how much the GPU could have moved per item ("-": the GPU is not
in [gpus.json](gpus.json)). For our variants, bytes read and written are counted 32-byte sectors over all kernels of a run, and instructions are 32
times the warp instructions of the PTX for sm_90.
"""
GPU = "H200"


def digits(value):
    return "%.0f" % value if value >= 100 else "%.3g" % value


def rate_of(rate):
    return "-" if not rate else "%.2f G" % (rate / 1e9) if rate >= 1e9 else "%.0f M" % (rate / 1e6)


def peak_bytes(gpus, name, rate):
    return "%.0f" % (gpus[name]["gb_per_s"] * 1e9 / rate) if rate and name in gpus else "-"


def print_works(section):
    head("work", "method", "here")
    for work in section["works"]:
        row("%s: %s" % (work["name"], work["cite"]), work["does"], work["differs"])


def published(section, rows, points):
    """The rows of published.json that belong here, as those of a section."""
    for known in rows:
        if not known["variant"].startswith(tuple(section.get("published", ["none"]))):
            continue
        point = next(p for p in points if p.matches(known["variant"], known["at"]))
        size = float(known["at"].get(point.size, point.params[point.size]))
        what = " ".join([known["variant"]] + [str(v) for v in known["at"].values()])
        yield {"work": known["source"], "gpu": known["gpu"], "what": what + (", " + known["note"] if "note" in known else ""),
               "printed": predict.show(known["us"]), "rate": point.items(size) / known["us"] * 1e6}


def print_theirs(section, rows, points, gpus):
    print("\nPublished:\n")
    head("work", "GPU", "what", "printed", "items/s", "peak bytes per item")
    for their in section["rows"] + list(published(section, rows, points)):
        rate = their.get("rate") or ("us" in their and their["items"] / their["us"] * 1e6)
        row(their["work"], their["gpu"] or "-", their["what"], their["printed"] or "not found", rate_of(rate),
            peak_bytes(gpus, their["gpu"], rate))


def print_ours(section, points, compiled, gpu):
    print("\nOurs:\n")
    head("variant", "at", "counts", "launches", "instructions per item", "bytes read", "written", "predicted, " + GPU, "items/s",
         "peak bytes per item")
    for our in section["ours"]:
        match = [p for p in points if p.matches(our["variant"], our["at"])]
        if not match:
            raise SystemExit("literature.py: no counts of %s at %s" % (our["variant"], our["at"]))
        whole = our.get("unit") == "run"  # no items that compare
        items = match[0].items(float(our["at"].get(match[0].size, match[0].params[match[0].size])))
        kernels, how = (match[0].kernels, "counted") if whole else predict.scaled(match, items)
        items = 1 if whole else items
        us, _ = predict.predict(kernels, compiled, gpu)
        total = lambda *names: sum(c.get(n, 0) for c in kernels.values() for n in names)
        at = " ".join("%s=%s" % pair for pair in our["at"].items()) + (", a run" if whole else "")
        rate = None if whole else items / us * 1e6
        row(our["variant"], at, how, round(total("launches")), digits(32 * total("warp_instructions") / items),
            digits(32 * total("global_load.sectors", "global_atomic.sectors") / items),
            digits(32 * total("global_store.sectors") / items), predict.show(us), rate_of(rate),
            peak_bytes({GPU: gpu.facts}, GPU, rate))


def main():
    known = predict.read("gpus.json")
    gpu = predict.Gpu(GPU, known["gpus"][GPU], known["common"])
    points, compiled = predict.read_points(), predict.Compiled()
    print(HEAD, end="")
    for section in predict.read("literature.json")["sections"]:
        print("\n## %s\n" % section["title"])
        print_works(section)
        print_theirs(section, predict.read("published.json")["rows"], points, known["gpus"])
        print_ours(section, points, compiled, gpu)
        if "note" in section:
            print("\n" + section["note"])


if __name__ == "__main__":
    main()
