#!/usr/bin/python3
"""plot.py -- pictures from record files, for papers and slides (the page of `gpubench report
--format=html` has its own).  -o PICTURE names the output; its ending, svg, pdf or png, decides the format.

A machine, a build or a cache mode that differs is a series of its own; several launches of one are pooled.
Needs matplotlib: Debian's python3-matplotlib, and so Debian's /usr/bin/python3.
"""

import argparse
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("plot.py needs matplotlib for %s (Debian: python3-matplotlib)" % sys.executable)

from plots import sweeps, verdicts
from plots.records import QUANTITIES, Trouble

ENDINGS = ("svg", "pdf", "png")

# Name, what draws it, its files, what it shows.
KINDS = (
    ("sweep", sweeps.sweep, "FILE", "times or rates over a parameter: lines over numbers, bars over words"),
    ("speedup", sweeps.speedup, "FILE", "each variant over --over VARIANT at the same point"),
    ("roofline", sweeps.roofline, "FILE", "items per second over items per byte, below the copy bandwidth"),
    ("phases", sweeps.phases, "FILE", "where the time goes: phases stacked, a bar for each variant and point"),
    ("meshes", sweeps.meshes, "FILE", "lbvh: time of builds over triangles, each mesh with its name"),
    ("paper", verdicts.paper, "REPRO.json", "a published table beside the same measured here, from `gpubench repro --format=json`"),
    ("ab", verdicts.ab, "FILE", "BASE and NEW: each measurement's launches on both sides"),
    ("versus", verdicts.versus, "VERSUS.json", "speed-ups, from `gpubench versus --format=json`"),
    ("history", verdicts.history, "HISTORY.json", "levels and shifts, from `gpubench history --format=json`"),
)


def size(text):
    """mm"""
    value = float(text)
    if not 20 <= value <= 2000:
        raise argparse.ArgumentTypeError("%s is not within 20 and 2000 mm" % text)
    return value


def dots(text):
    value = int(text)
    if not 20 <= value <= 2400:
        raise argparse.ArgumentTypeError("%s is not within 20 and 2400" % text)
    return value


def picture(text):
    if text.rpartition(".")[2].lower() not in ENDINGS:
        raise argparse.ArgumentTypeError("%s does not end in .%s" % (text, ", .".join(ENDINGS)))
    return text


def common(parser):
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("-o", "--output", type=picture, default="plot.svg", metavar="PICTURE")
    parser.add_argument("--title", help="above the picture")
    parser.add_argument("--columns", type=int, choices=(1, 2), default=2, help="of a journal's page that it is wide: 85 or 178 mm [2]")
    parser.add_argument("--width", type=size, metavar="MM", help="instead of --columns")
    parser.add_argument("--height", type=size, metavar="MM", help="of the whole; else as high as it takes")
    parser.add_argument("--dpi", type=dots, default=300, metavar="N", help="of a .png [300]")
    parser.add_argument("--where", action="append", metavar="NAME=VALUE,...", help="only records with one of these values (* and ? match); NAME: a parameter, variant, bench, machine, host, commit, compiler or caches; may be repeated")


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for name, plot, files, text in KINDS:
        kind = kinds.add_parser(name, help=text, description=text)
        common(kind)
        if plot.__module__ == sweeps.__name__:
            kind.add_argument("--x", metavar="NAME", help="on the x axis [the number that varies most]")
            kind.add_argument("--series", metavar="NAME,...", help="what tells series apart, besides the variant [all that varies]")
            kind.add_argument("--facet", metavar="NAME", help="a panel for each of its values")
        if name == "sweep":
            kind.add_argument("--y", choices=list(QUANTITIES), default="time")
        if name == "speedup":
            kind.add_argument("--over", metavar="VARIANT", required=True, help="cuda/cub, say")
        kind.set_defaults(plot=plot)
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    try:
        options.plot(options).save(options.output, options.dpi)
    except (OSError, Trouble) as error:
        sys.exit("plot.py: %s" % error)
    print(options.output)


if __name__ == "__main__":
    main(sys.argv[1:])
