"""sweeps.py -- at which points each workload's kernels are run under the checkers: lines for
drive.c, "WORKLOAD OPTION...".

small    takes every path of every kernel once: for the slowest checkers
quick    several tiles or blocks of everything: for `make test`
large    for `make simt-stress`
A new workload adds its lines to the three lists.
"""

SWEEPS = {
    "radix": {
        "small": ["--count=33,3000 --type=u64,pairs --distribution=uniform,few"],
        "quick": ["--count=33,12000 --type=u64,pairs --distribution=uniform,few"],
        "large": ["--count=33,5000,20000 --type=u64,f32,pairs --distribution=uniform,few,sorted"],
    },
}


def lines(size, workload=None):
    """The lines of one size, of one workload or of all."""
    names = [workload] if workload else sorted(SWEEPS)
    return [name + " " + line for name in names for line in SWEEPS[name][size]]
