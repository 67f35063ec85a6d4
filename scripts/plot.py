#!/usr/bin/python3
"""plot.py -- draws pictures from record files, for papers and slides.

-o PICTURE names the output; its ending, svg, pdf or png, decides the format.  (The page of
`gpubench report --format=html` has pictures of its own.)  Machines, builds and cache modes that
differ are separate series; several launches of one are pooled.

Needs matplotlib: Debian's python3-matplotlib, and so Debian's /usr/bin/python3.
"""

import argparse
import os
import select
import stat
import sys
import tempfile
import time
import warnings

try:
    import matplotlib
except ImportError:
    sys.exit("plot.py needs matplotlib for %s (Debian: python3-matplotlib; pip: matplotlib)"
             % sys.executable)

from plots import style, sweeps, verdicts
from plots.records import QUANTITIES, Trouble

ENDINGS = ("svg", "pdf", "png")
PATIENCE_S = 10  # for the first writer of a FIFO

# Raised by records whose members have other types than a gpubench writes, or numbers that no
# picture can show.
MALFORMED = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError,
             RuntimeWarning, TypeError, ValueError)

# Name, function, input file, help.
KINDS = (
    ("sweep", sweeps.sweep, "FILE",
     "times or rates over a parameter: lines over numbers, bars over words"),
    ("speedup", sweeps.speedup, "FILE", "speed-up of each variant over --over at the same point"),
    ("roofline", sweeps.roofline, "FILE",
     "items per second over items per byte, below the copy bandwidth"),
    ("phases", sweeps.phases, "FILE", "time of each phase: a stacked bar per variant and point"),
    ("meshes", sweeps.meshes, "FILE", "lbvh: build time over triangles, each mesh with its name"),
    ("paper", verdicts.paper, "REPRO.json",
     "published tables beside the values measured here, a picture each, from `gpubench repro"
     " --format=json`"),
    ("ab", verdicts.ab, "FILE", "BASE and NEW: launches of each measurement on both sides"),
    ("machines", verdicts.machines, "MACHINES.json",
     "speed-ups, from `gpubench compare --by=machine --format=json`"),
)


def size(text):
    """A length in mm."""
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
    parser.add_argument("--title", help="title above the picture")
    parser.add_argument("--columns", type=int, choices=(1, 2), default=2,
                        help="width in columns of a journal's page: 85 or 178 mm [2]")
    parser.add_argument("--width", type=size, metavar="MM",
                        help="width in mm, instead of --columns")
    parser.add_argument("--height", type=size, metavar="MM",
                        help="height in mm of the whole picture [as high as it needs]")
    parser.add_argument("--dpi", type=dots, default=300, metavar="N",
                        help="resolution of a .png in dots per inch [300]")
    parser.add_argument("--where", action="append", metavar="NAME=VALUE,...",
                        help="use only records with one of these values (* and ? match); NAME: a"
                        " parameter, variant, bench, machine, host, commit, compiler or caches;"
                        " may be repeated")


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for name, plot, files, text in KINDS:
        kind = kinds.add_parser(name, help=text, description=text)
        common(kind)
        if plot.__module__ == sweeps.__name__:
            kind.add_argument("--x", metavar="NAME",
                              help="parameter on the x axis [the number that varies most]")
            kind.add_argument("--series", metavar="NAME,...",
                              help="parameters that make a series, besides the variant"
                              " [all that vary]")
            kind.add_argument("--facet", metavar="NAME",
                              help="parameter with a panel for each of its values")
        if name == "sweep":
            kind.add_argument("--y", choices=list(QUANTITIES), default="time")
        if name == "speedup":
            kind.add_argument("--over", metavar="VARIANT", required=True,
                              help="variant to compare with, such as cuda/cub")
        kind.set_defaults(plot=plot)
    return parser.parse_args(arguments)


def copy_fifo(path, copy):
    """Copy what is written to a FIFO; Trouble if nothing opens it to write."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    begun, end = False, time.monotonic() + PATIENCE_S
    with open(descriptor, "rb", buffering=0), open(copy, "wb") as file:
        while True:
            try:
                data = os.read(descriptor, 1 << 20)
            except BlockingIOError:  # It has a writer, which is silent.
                begun = True
                select.select([descriptor], [], [])
                continue
            begun = begun or data != b""
            if not data and begun:
                return
            if not data and time.monotonic() > end:
                raise Trouble("%s: nothing writes this FIFO" % path)
            if not data:
                time.sleep(0.05)
            file.write(data)


def clean(text):
    """The text on one line, without characters that control a terminal."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(str(text).split()))[:300]


def draw(options):
    """Draw, save and name the picture; of several tables one each, PICTURE with their names."""
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(options.files):
            if stat.S_ISFIFO(os.stat(path).st_mode):
                options.files[number] = "%s/%d" % (folder, number)
                copy_fifo(path, options.files[number])
        # Numbers beyond any axis.
        warnings.filterwarnings("error", "All-NaN|overflow|invalid|divide", RuntimeWarning)
        pictures = options.plot(options)
        if isinstance(pictures, style.Sheet):
            pictures = [("", pictures)]
        stem, ending = os.path.splitext(options.output)
        for suffix, sheet in pictures:
            sheet.save(stem + suffix + ending, options.dpi)
            print(stem + suffix + ending)


def main(arguments):
    options = parse(arguments)
    names = clean(", ".join(options.files))
    try:
        draw(options)
    except (OSError, Trouble) as error:
        fault = clean(error)
    except MALFORMED as error:
        fault = "%s: cannot be drawn: %s" % (names, clean("%s: %s" % (type(error).__name__, error)))
    else:
        return
    print("plot.py: %s" % fault, file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
