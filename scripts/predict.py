#!/usr/bin/env python3
"""predict.py -- what each CUDA variant should take, from bytes, launches and dependent steps.

usage: predict.py [OBJECT...] >results/predictions.md

Prints the whole page.  Registers and shared memory come from results/ptxas.txt; the widths of loads
and stores from the SASS of the OBJECTs ($(find build/release/cuda -name '*.cu.o'), by cuobjdump), if
there are any.
Nothing here was measured.  A row that a GPU contradicts by more than half is a finding, either
about the kernel or about this page.
"""

import collections
import re
import shutil
import subprocess
import sys

# Copy bandwidth (TB/s: nine tenths of the peak), multiprocessors, registers and bytes of shared
# memory of each, warps that it holds, the architecture.
GPUS = {
    "H200": (4.3, 132, 65536, 227 * 1024, 64, "sm_90"),
    "A100": (1.4, 108, 65536, 163 * 1024, 64, "sm_80"),
    "RTX 4090": (0.9, 128, 65536, 99 * 1024, 48, "sm_89"),
}
LAUNCH_US = 2.0  # from one kernel's end to the next one's start in a stream
FIRST_US = 2.0  # the first, from event to event
M, MIB = 1e6, 2.0**20
N28, N20 = 2.0**28, 2.0**20
F28 = N28 / 8

# variant, where, bytes, share of copy bandwidth it can draw, launches, dependent steps in us, why
ROWS = [
    ("radix/split", "2^28 u32", 896 * N28, 0.9, 160, 0, "32 bits x (predicate, scan, scatter)"),
    ("radix/split-fused", "2^28 u32", 260 * N28, 0.9, 34, 0, "one read to count, then 8 bytes per bit"),
    ("radix/lsd4", "2^28 u32", 96 * N28, 0.8, 24, 0, "8 digits, each read twice and written"),
    ("radix/onesweep", "2^28 u32", 36 * N28, 0.8, 7, 0, "one read, then 4 passes of 8 bytes"),
    ("radix/onesweep", "2^28 pairs", 68 * N28, 0.8, 7, 0, "one read of keys, then 4 passes of 16"),
    ("radix/onesweep", "2^20 u32", 36 * N20, 0.4, 7, 8, "4 look-backs over 128 tiles"),
    ("radix/small", "2^16 u32", 8 * 2.0**16, 0.05, 1, 6, "one cluster; digits in shared memory"),
    ("bfs/ccam", "16K, p=.05", 0.53 * M, 0.12, 1, 3.6, "two levels of 1.8 us in one cluster"),
    ("bfs/ccam-pull", "16K, p=.05", 2.1 * M, 0.5, 1, 7, "two grid barriers, probes in a row"),
    ("bfs/csr-do", "16K, p=.05", 2.9 * M, 0.5, 1, 10, "three grid barriers, probes in a row"),
    ("bfs/csr", "16K, p=.05", 24 * M, 0.7, 1, 8, "670 thousand edges, one sector of L2 for each"),
    ("bfs/ccam-paper", "16K, p=.05", 32 * M, 0.3, 6, 60, "three levels, a wait of the host for each"),
    ("bfs/basic", "16K, p=.05", 268 * M, 0.1, 6, 60, "a byte per vertex pair, 32 sectors per request"),
    ("cbt/block", "reduce, D=28", 4 * F28, 1, 2, 0, "reads the field, writes three times as much"),
    ("cbt/block", "decode, D=28 full", F28 + 4 * N28, 1, 1, 0, "4 bytes per id"),
    ("cbt/block", "cycle, D=17", 64 * 1024, 0.01, 1, 0.5, "one block; a dozen steps in shared memory"),
    ("cbt/ocbt", "reduce, D=28", 17 / 16 * F28, 1, 1, 0, "reads the field, writes a sixteenth"),
    ("cbt/descent", "reduce, D=28", 8 * F28, 0.8, 28, 0, "every level read and written"),
    ("cbt/descent", "decode, D=28 full", 20 * 4 * N28, 1, 1, 0, "28 dependent sectors per leaf, from L1, L2"),
    ("octree/lock", "16M Plummer", 230 * 16 * M, 0.25, 5, 0, "as lf, a lock for each split, a barrier"),
    ("octree/lf", "16M Plummer", 230 * 16 * M, 0.55, 5, 0, "a warp waits for its slowest lane"),
    ("octree/lf-shared", "16M Plummer", 235 * 16 * M, 0.7, 16, 0, "the sort is half of it"),
    ("octree/morton", "16M Plummer", 320 * 16 * M, 0.75, 18, 0, "8 passes of sort"),
    ("lbvh/apetrei", "1.6M triangles", 320 * 1.6 * M, 0.7, 13, 20, "30 levels of climbing overlap"),
    ("lbvh/karras-radix", "1.6M triangles", 400 * 1.6 * M, 0.7, 46, 0, "32 passes of refit launched"),
    ("lbvh/karras64", "1.6M triangles", 550 * 1.6 * M, 0.7, 18, 20, "8 passes of sort"),
    ("lbvh/karras-bitonic", "1.6M triangles", 231 * 32 * MIB, 1.2, 280, 0, "sorts in L2, a launch per step"),
    ("lbvh/ploc", "1.6M triangles", 700 * 1.6 * M, 0.35, 20, 0, "merging: 8 rounds of 8 neighbours"),
    ("lbvh/wide", "1.6M triangles", 520 * 1.6 * M, 0.6, 16, 60, "apetrei, then 10 levels to collapse"),
]

# Kernels that decide: file, start of the name, threads of a block, bytes of dynamic shared memory.
KERNELS = [
    ("primitives/sort.cu", "pass_kernel<key_u32,false,unsignedint,16>", 512, 0),
    ("primitives/sort.cu", "pass_kernel<key_u32,true,unsignedint,12>", 512, 0),
    ("radix/lsd4.cu", "scatter_kernel<key_u32,false>", 256, 0),
    ("radix/split_fused.cu", "split_kernel<key_u32,false>", 256, 0),
    ("bfs/ccam_pull.cu", "search_kernel", 512, 0),
    ("bfs/csr_do.cu", "search_kernel", 512, 0),
    ("bfs/ccam_paper.cu", "expand<false>", 1024, 0),
    ("cbt/block.cu", "tile_kernel", 256, 0),
    ("cbt/block.cu", "decode_kernel<cbt_heap_sums>", 256, 0),
    ("cbt/ocbt.cu", "reduce_kernel", 256, 0),
    ("octree/lf.cu", "insert_kernel<false>", 256, 0),
    ("octree/lock.cu", "insert_kernel<false>", 256, 0),
    ("octree/morton.cu", "link_kernel", 256, 0),
    ("lbvh/parts/hierarchy.cu", "fused_kernel<unsignedint>", 256, 0),
    ("lbvh/ploc.cu", "cluster_kernel", 128, 0),
    ("lbvh/parts/collapse.cu", "collapse_kernel", 128, 0),
    ("lbvh/stack.cu", "lbvh_trace_kernel", 128, 0),
    ("lbvh/wide.cu", "lbvh_trace_kernel", 128, 0),
]

HEAD = """# What the CUDA variants should take

Predictions, made on paper: no figure on this page was measured. `scripts/predict.py $(find build/release/cuda -name '*.cu.o')` prints it.

    time = first launch + launches x gap + dependent steps + bytes / (copy bandwidth x share)

- **bytes** are those that the opening comment of each file counts, from and to main memory, or the L2 where it says so;
- **share** of copy bandwidth is what kernels of the kind reach: 0.9 to 1 streaming, 0.8 scattering in runs, 0.25 to 0.7 with one sector per lane, less where
  a few multiprocessors draw alone;
- **gap** between launches {gap:g} us, the first one {first:g} us from event to event; **steps** are dependent trips to memory (0.6 to 0.8 us) and barriers of a grid (1 to 2 us).

A measurement above twice its row means that the kernel or the row is wrong: look there first. One below the row's **floor** (bytes at full copy bandwidth, nothing
else) means that the bytes are wrong.
"""


def tables():
    """(file, kernel, arch) -> (registers, shared bytes, stack bytes) of results/ptxas.txt."""
    found = {}
    with open("results/ptxas.txt") as file:
        for line in file.read().splitlines()[2:]:
            name, arch, kernel, registers, stack, _, _, shared = line.split()
            found[name, kernel, arch] = int(registers), int(shared), int(stack)
    return found


def occupancy(registers, shared, block, gpu):
    """Blocks of a multiprocessor, and the share of its warps: allocation in 256 registers per warp
    and 1 KiB of shared memory per block that the system takes."""
    _, _, file, most_shared, most_warps, _ = gpu
    warps = block // 32
    by_warps = most_warps // warps
    by_registers = file // (-(-registers * 32 // 256) * 256 * warps)
    by_shared = most_shared // (-(-(shared + 1024) // 128) * 128)
    blocks = min(by_warps, by_registers, by_shared, 32)
    return blocks, blocks * warps / most_warps


def widths(objects, arch):
    """(file, mangled kernel) -> counts of memory instructions by space and width."""
    counts = {}
    for path in objects:
        text = subprocess.run(
            ["cuobjdump", "-sass", "-arch", arch, path], capture_output=True, text=True, check=True
        ).stdout
        kernel = None
        for line in text.splitlines():
            start = re.search(r"Function : (\S+)", line)
            if start:
                kernel = path.split("/cuda/")[-1][: -len(".o")], start[1]
                counts[kernel] = collections.Counter()
            access = re.search(r"\b(LDG|STG|LDS|STS|LDL|STL)(\.\S*)?\s", line) if kernel else None
            if access:
                width = re.search(r"\b(128|64)\b", (access[2] or "").replace(".", " "))
                counts[kernel][access[1], int(width[1]) if width else 32] += 1
    return counts


def time_us(bytes_, share, launches, steps, bandwidth):
    return FIRST_US + (launches - 1) * LAUNCH_US + steps + bytes_ / (bandwidth * 1e6 * share)


def show(us):
    return "%.1f us" % us if us < 100 else "%.0f us" % us if us < 1e4 else "%.1f ms" % (us / 1e3)


def print_times():
    print("\n## Times\n")
    print("| variant | at | bytes | launches | floor, H200 | H200 | A100 | RTX 4090 | what decides |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, where, bytes_, share, launches, steps, why in ROWS:
        row = [show(time_us(bytes_, share, launches, steps, g[0])) for g in GPUS.values()]
        size = "%.3g GB" % (bytes_ / 1e9) if bytes_ > 1e9 else "%.3g MB" % (bytes_ / 1e6)
        floor = show(bytes_ / (GPUS["H200"][0] * 1e6))
        print("| %s |" % " | ".join([name, where, size, str(launches), floor] + row + [why]))


def print_occupancy(known):
    print("\n## Occupancy, on paper\n")
    print("Registers and shared memory as `results/ptxas.txt` has them; blocks per multiprocessor, and the share of its warps.\n")
    print("| file | kernel | threads | registers | shared | " + " | ".join(GPUS) + " |")
    print("|---|---|---|---|---|" + "---|" * len(GPUS))
    for name, start, block, dynamic in KERNELS:
        cells, first = [], None
        for gpu in GPUS.values():
            match = [k for k in known if k[0] == name and k[1].startswith(start) and k[2] == gpu[5]]
            if not match:
                sys.exit("results/ptxas.txt has no %s of %s for %s" % (start, name, gpu[5]))
            registers, shared, _ = known[match[0]]
            first = first or (registers, shared + dynamic)
            blocks, part = occupancy(registers, shared + dynamic, block, gpu)
            cells.append("%d, %.0f %%" % (blocks, 100 * part))
        print("| %s | `%s` | %d | %d | %d | %s |" % ((name, start, block) + first + (" | ".join(cells),)))


def print_widths(objects):
    if not objects or not shutil.which("cuobjdump"):
        return
    print("\n## Loads and stores in the SASS of sm_90\n")
    print("Instructions of each width in bits. Local accesses are the traversals' stacks; no kernel spills.\n")
    print("| file | kernels | loads 128 / 64 / 32 | stores 128 / 64 / 32 | shared 128 / 64 / 32 | local |")
    print("|---|---|---|---|---|---|")
    by_file = collections.defaultdict(list)
    for (name, _), count in sorted(widths(objects, "sm_90").items()):
        by_file[name].append(count)
    for name, all_counts in by_file.items():
        total = sum(all_counts, collections.Counter())
        cell = lambda *kinds: " / ".join(
            str(sum(total[kind, width] for kind in kinds)) for width in (128, 64, 32)
        )
        local = sum(n for (kind, _), n in total.items() if kind in ("LDL", "STL"))
        print(
            "| %s | %d | %s | %s | %s | %d |"
            % (name, len(all_counts), cell("LDG"), cell("STG"), cell("LDS", "STS"), local)
        )


def main():
    print(HEAD.format(gap=LAUNCH_US, first=FIRST_US), end="")
    print_times()
    print_occupancy(tables())
    print_widths(sys.argv[1:])


if __name__ == "__main__":
    main()
