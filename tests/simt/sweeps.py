"""sweeps.py -- the points at which the checkers run each workload's kernels, as lines for drive.c,
"WORKLOAD OPTION...".  A workload without lines here runs at the points of its `check` list, at
every size.

small    every path of every kernel once, for the slowest checkers
quick    several tiles or blocks of everything, for `make test`
large    for `make simt-stress`

Some paths are only taken on certain devices or with options of drive.c: DEVICES, for all checkers.
"""

import array
import os
import re

WORKLOADS = os.path.join(os.path.dirname(__file__), "../../cli/workloads/workloads.def")
TILES = "build/tiles.keys"

SWEEPS = {
    # pairs: more nodes than fit in a task of lf-shared, so its last kernel has work too; 16384 clustered: runs that a block of morton merges, and
    # leaves of several bodies just below the top nodes of lf-shared
    "octree": {
        "small": [
            "--count=33,4500 --distribution=plummer",
            "--count=0,300 --distribution=pairs,coincident --bucket=1,16",
        ],
        "quick": [
            "--count=33,5000 --distribution=plummer,cube",
            "--count=700 --distribution=pairs,coincident,clustered --bucket=1,16",
            "--count=2500 --distribution=coincident,pairs",
            "--count=16384 --distribution=clustered --bucket=1,16",
            "--count=0,3 --distribution=pairs",
        ],
        "large": [
            "--count=1,2,33,5000,30000 --distribution=plummer,cube",
            "--count=700,9000 --distribution=pairs,coincident,clustered --bucket=1,16,32",
        ],
    },
    "cbt": {
        "small": [
            "--op=bitfield,decode,cycle,update --depth=3,11 --shape=random --fill=0.4 --frames=2",
            "--op=cycle --ids=sum --depth=5,12 --shape=random --fill=0.3",
        ],
        "quick": [
            "--op=bitfield,decode,cycle,update --depth=4,11,14 --shape=random --fill=0.3",
            "--op=cycle,update --depth=18 --shape=random --fill=0.01 --frames=2",
            "--op=update --depth=12,15 --shape=random --fill=0.0003",
            "--op=cycle --ids=sum --depth=5,12,15 --shape=random --fill=0.3",
        ],
        "large": [
            "--op=bitfield,decode,cycle,update --depth=1:13 --shape=random --fill=0.3",
            "--op=cycle,update --depth=16,18 --shape=random,terrain --fill=0.01,0.4",
            "--op=bitfield,cycle --ids=sum --depth=5,12,18",
        ],
    },
    # copies: a whole warp handles one leaf; points: leaves with a few triangles
    "lbvh": {
        "small": [
            "--scene=soup,copies --count=1,2,300",
            "--op=trace --scene=knot --count=300 --rays=17",
            "--op=trace --rays-kind=shadow,bounce --scene=knot --count=300 --rays=9",
            "--op=trace --order=spatial --scene=knot --count=300 --rays=9",
        ],
        "quick": [
            "--scene=terrain,points,copies,flat --count=33,1500",
            "--op=trace --scene=knot,copies --count=1000 --rays=33",
            "--op=trace --rays-kind=shadow,random --scene=knot --count=1000 --rays=8,33",
            "--op=trace --order=spatial --scene=knot --count=300 --rays=9",
        ],
        "large": [
            "--scene=soup,points,copies,city --count=33,5000",
            "--op=trace --scene=terrain,soup --count=3000 --rays=64",
            "--op=trace --rays-kind=ambient,bounce --scene=soup --count=3000 --rays=64",
        ],
    },
    # 33: onesweep has one block; else several tiles, of 4096 keys on 4 multiprocessors (u64: 2048);
    # constant: tiles with one digit, whose f32 keys are converted back in place
    "radix": {
        "small": [
            "--count=33,5000 --type=u64 --distribution=few",
            "--count=33,5000 --type=pairs --distribution=uniform",
            "--count=33,5000 --type=u32,f32 --distribution=uniform",
        ],
        "quick": [
            "--count=33,7000 --type=u64 --distribution=few",
            "--count=33,13000 --type=pairs --distribution=uniform",
            "--count=1500,12000 --type=u32,f32 --distribution=uniform,constant",
        ],
        "large": ["--count=33,5000,20000 --type=u64,f32,pairs --distribution=uniform,few,sorted"],
    },
    "bfs": {
        "small": [
            "--vertices=33,400 --p=0.05 --sources=1 --result=both",
            "--vertices=33 --p=0.05 --sources=1 --result=dist",
            "--vertices=33,700 --p=0.02 --sources=15 --batch=17",
        ],
        "quick": [
            "--vertices=33,1500 --p=0.03 --sources=1 --result=both",
            "--graph=kronecker --scale=8 --sources=2 --result=dist",
            # 8 edges a vertex: a narrow level with two groups of edges each, and one with too many
            "--vertices=600 --p=0.013 --sources=1 --result=both",
            "--vertices=33,1100 --p=0.02 --sources=50 --batch=17,64",
        ],
        "large": [
            "--vertices=33,1025,3000 --p=0.01,0.3 --sources=3 --result=both",
            "--graph=kronecker --scale=6,10 --sources=3 --result=both",
            "--graph=grid --vertices=144 --sources=2 --result=dist,parent",
            "--vertices=33,1025,3000 --p=0.01,0.3 --sources=70 --batch=64",
        ],
    },
}

EVERY_TYPE = "--type=u32,u64,f32,pairs --distribution=uniform"

# (name, settings, words).  Shapes of onesweep's blocks depend on the keys per multiprocessor, and
# those of small on the largest cluster.  With one multiprocessor, a block sorts several tiles from
# 11521 keys of 64 bits on, or 20481 of 32 bits.
DEVICES = [
    ("one multiprocessor", {"SMS": 1}, [
        "--only", "onesweep", "--only", "morton", "--only", "lf-shared",
        "radix --count=12000,21000 --type=u32,u64,f32 --distribution=uniform,few",
        "radix --file=%s --type=u32,u64,f32" % TILES,
        "octree --count=6500 --distribution=plummer",
    ]),
    ("two multiprocessors", {"SMS": 2}, [
        "--only", "onesweep", "--only", "morton", "--only", "lf-shared",
        "radix --count=10000,20000 " + EVERY_TYPE,
        "octree --count=6500 --distribution=plummer",
    ]),
    ("one block per multiprocessor", {"SM_BLOCKS": 1, "SMS": 1}, [
        "--only", "onesweep", "--only", "karras-radix", "--only", "ploc",
        "radix --count=21000 --type=u64 --distribution=few", "lbvh --scene=soup --count=2500",
    ]),
    ("a queue of rays", {"SM_BLOCKS": 4, "SMS": 1}, [
        "--only", "wide",
        "lbvh --op=trace --scene=soup --count=100 --rays=39 --rays-kind=ambient,bounce",
    ]),
    ("small clusters", {"CLUSTER_BLOCKS": 4}, [
        "--only", "small",
        "radix --count=1025:1029,3000,5000,9000,17000,33000,66000 " + EVERY_TYPE,
    ]),
    ("no clusters", {"CLUSTERS": 0}, [
        "--only", "ccam", "--only", "small",
        "radix --count=33,1500,3000,5000 " + EVERY_TYPE,
        "bfs --vertices=33,400 --p=0.05 --sources=1 --result=dist,both",
    ]),
    ("large inputs", {}, [
        "--only", "block", "--only", "karras-bitonic",
        "cbt --op=cycle --depth=18 --shape=random --fill=0.01",
        "lbvh --scene=soup --count=2100",
    ]),
    ("cold caches", {}, ["--cold", "--only", "copy", "stream --count=64Ki"]),
    # two blocks link all bodies again
    ("tiles of bodies", {"SMS": 2, "SM_BLOCKS": 1}, [
        "--tiles", "--only", "morton", "octree --count=33,5000 --distribution=plummer --bucket=1,16",
        "octree --count=2500 --distribution=pairs,two-clusters",
    ]),
    ("wide words", {}, [
        "--wide", "--only", "onesweep", "--only", "morton", "--only", "lf-shared",
        "--only", "karras-radix", "--only", "ploc",
        "radix --count=33,9000 " + EVERY_TYPE,
        "octree --count=6500 --distribution=plummer", "lbvh --scene=soup --count=300",
    ]),
]


def write_tiles():
    """The keys of a file whose only digit that varies is the same in the first tiles of a sort and
    not in the next: a block that sorts several tiles must notice."""
    words = array.array("Q", (i * i % 251 if i > 11520 else 0 for i in range(28900)))
    os.makedirs(os.path.dirname(TILES), exist_ok=True)
    with open(TILES + ".new", "wb") as file:
        words.tofile(file)
    os.replace(TILES + ".new", TILES)


def workloads():
    with open(WORKLOADS) as file:
        return sorted(re.findall(r"^WORKLOAD\((\w+)\)", file.read(), re.MULTILINE))


def lines(size, workload=None):
    """The lines of one size for one workload or all; a name alone selects its check list."""
    found = []
    for name in [workload] if workload else workloads():
        found += [name + " " + line for line in SWEEPS[name][size]] if name in SWEEPS else [name]
    return found
