#!/usr/bin/env python3
"""coalescing.py -- the memory traffic of kernels whose speed is their coalescing.

usage: coalescing.py BUILD

BUILD/check/drive counts, for each source line, the requests of warps and the sectors of 32 bytes
that they touch: 4 for 32 neighbouring words of 4 bytes, 8 for words of 8, 16 for vectors of 16, and
up to 32 where every lane goes its own way.  A rule bounds the sectors per request of the lines that
contain a text.  A rule that no line fits fails: the kernel was changed, and the rule has to follow.
"""

import concurrent.futures
import os
import re
import subprocess
import sys

LINE = re.compile(
    r"simt-traffic: (.*) (\S+):(\d+) (global|shared) (read|write): "
    r"(\d+) requests, ([\d.]+) sectors each"
)

U32, U64, PAIRS = [("onesweep", "radix --count=40000 --type=" + t) for t in ("u32", "u64", "pairs")]
ROWS = ("ccam", "bfs --vertices=4096 --p=0.05 --sources=1 --result=dist")
LEAVES = ("apetrei", "lbvh --scene=soup --primitives=20000")
RAYS = "lbvh --op=trace --scene=terrain --primitives=20000 --rays=128"
# (variant and sweep, direction, text of the source line, least and most sectors per request).
# The last ones show that scattered accesses are seen as such: a small table, written by columns, a
# matrix turned by columns, boxes of primitives in the order of the curve, a sector each.
RULES = [
    (U32, "read", "pack[p] = first[(size_t)p * step];", 15, 16),
    (U32, "read", "item[k] = first[WARP * k];", 4, 4),
    (U32, "write", "out[s->shift[d] + i]", 4, 8),
    (U64, "read", "item[k] = first[WARP * k];", 8, 8),
    (U64, "write", "out[s->shift[d] + i]", 8, 14),
    (PAIRS, "write", "out[s->shift[d] + i]", 4, 8),
    (ROWS, "read", "bits[k] = *(const uint4 *)(a.out", 14, 16),
    (LEAVES, "read", "begin = mine ? g->first[number]", 4, 4.6),
    (LEAVES, "read", "(const void *)(g->box + g->index[i])", 4, 4.6),
    (LEAVES, "read", "widen(b, from[0], from[1]);", 1, 8),
    (LEAVES, "write", "to[0] = make_uint4(__float_as_uint(b->lo[0])", 1, 12),
    (("stack", RAYS), "read", "low = from[0], high = from[1];", 1, 8),
    (("wide", RAYS), "read", "head = from[0];", 1, 5),
    (("wide", RAYS), "read", "planes = from[2 + d];", 1, 5),
    (("wide", RAYS), "read", "a = v[0], b = v[1], c = v[2];", 1, 8),
    (ROWS, "write", "transpose[v * pitch + row / 32 + g] = turned;", 32, 32),
    (LEAVES, "read", "widen(&b, box[0], box[1]);", 29, 32),
]


def source_line(name, number):
    if not os.path.exists(name):
        return ""
    with open(name) as file:
        return file.read().splitlines()[number - 1]


def traffic(program, variant, words):
    """(direction, source line, requests, sectors per request) of every line that was counted."""
    env = dict(os.environ, GPUBENCH_SIMT_TRAFFIC="1", OMP_THREAD_LIMIT="1")
    done = subprocess.run(
        [program, "--once", "--only", variant, words], env=env, capture_output=True, check=True
    )
    rows = {}
    for found in LINE.finditer((done.stdout + done.stderr).decode()):
        _, name, number, space, direction, requests, sectors = found.groups()
        if space == "global":
            key = direction, source_line(name, int(number))
            before = rows.get(key, (0, 0.0))
            rows[key] = before[0] + int(requests), before[1] + int(requests) * float(sectors)
    return [(d, text, n, total / n) for (d, text), (n, total) in rows.items()]


def main():
    program = os.path.join(sys.argv[1], "check", "drive")
    points = list(dict.fromkeys(rule[0] for rule in RULES))
    failed = 0

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counted = dict(zip(points, pool.map(lambda point: traffic(program, *point), points)))
    for point, direction, text, least, most in RULES:
        rows = [r for r in counted[point] if r[0] == direction and text in r[1]]
        requests = sum(r[2] for r in rows)
        sectors = sum(r[2] * r[3] for r in rows) / requests if requests else 0
        right = requests > 0 and least - 0.05 <= sectors <= most + 0.05
        failed += not right
        print(
            "%s %-10s %-34s %-5s %5.1f sectors a request, %g to %g: %s"
            % (("ok    " if right else "FAILED",) + point + (direction, sectors, least, most, text))
        )
    print("%d passed, %d failed" % (len(RULES) - failed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
