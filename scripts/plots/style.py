"""The look of all pictures: sizes in mm for a journal's column, text that can be edited and
searched, colours that the colour-blind can tell apart, each with a mark and a dash, and a legend
below the panels, where it hides no point."""

import textwrap

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.container import BarContainer
from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from .records import Trouble

# Okabe and Ito, "Color universal design", 2008, with a dark yellow: a light one is lost on paper.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#000000", "#7a8288")
MARKS = "os^Dv<>PX*dphx+1"  # as many as MOST_SERIES: series of points only have no dashes
MOST_SERIES = 16
DASHES = ("-", "--", ":", "-.")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----", "++++", "oooo")
MM = 1 / 25.4  # inch
COLUMN = {1: 85, 2: 178}  # mm
GREY = "#59636e"
CHARACTER = 1.5  # mm; mean width at the size of ticks
# Units of numeric parameters.
UNITS = {
    "count": "{items}",
    "vertices": "vertices",
    "primitives": "triangles",
    "triangles": "triangles",
    "rays": "rays a side",
    "threads": "threads",
    "depth": "levels",
    "sources": "sources",
    "batch": "sources a run",
    "bucket": "bodies a leaf",
    "fill": "share of leaves",
    "p": "probability of an edge",
    "scale": "log2 of vertices",
    "edgefactor": "edges a vertex",
}

EngFormatter.ENG_PREFIXES = {**EngFormatter.ENG_PREFIXES, -6: "u"}  # "us", as in the tables
plt.rcParams.update(
    {
        "font.size": 8,
        "axes.titlesize": 8,
        "legend.fontsize": 7,
        "xtick.labelsize": 7,
        "ytick.labelsize": 7,
        "axes.linewidth": 0.6,
        "lines.linewidth": 1,
        "lines.markersize": 3.5,
        "grid.linewidth": 0.4,
        "grid.alpha": 0.4,
        "hatch.linewidth": 0.5,
        "errorbar.capsize": 1.5,
        "axes.axisbelow": True,
        "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
        "ps.fonttype": 42,
        "svg.fonttype": "none",  # text, not outlines
        "svg.hashsalt": "gpubench",  # the same picture from the same records
    }
)


def series(i):
    """The look of series number i of a line chart."""
    n = len(COLORS)
    return {
        "color": COLORS[i % n],
        "marker": MARKS[i % len(MARKS)],
        "linestyle": DASHES[i // n % len(DASHES)],
    }


def fill(i):
    """The look of series number i of a bar chart."""
    n = len(COLORS)
    return {
        "color": COLORS[i % n],
        "hatch": HATCHES[(i % n + i // n) % n],
        "edgecolor": "white",
        "linewidth": 0.4,
    }


def number_label(name, unit):
    """ "count (keys)" """
    what = UNITS.get(name, "").replace("{items}", unit)
    return "%s (%s)" % (name, what) if what and what != name else name


def quantity_axis(ax, axis, what, unit, values):
    """Label, scale and ticks of an axis of "time", "rate" or "bandwidth" with these values."""
    text = {"time": "time", "rate": "rate (%s/s)" % unit, "bandwidth": "bandwidth (B/s)"}[what]
    getattr(ax, "set_%slabel" % axis)(text)
    scale(ax, axis, values, EngFormatter("s" if what == "time" else ""))


def plain_scale(ax, axis, values):
    """scale() for numbers in a unit of their own: in full, unless they are long."""
    scale(ax, axis, values, PLAIN if max(values) < 1e5 else EngFormatter())


def scale(ax, axis, values, formatter=None):
    """Make an axis logarithmic if its values want it, with ticks at 1, 2, 5 for few decades.  Bars
    begin at 0 and are never logarithmic."""
    one = getattr(ax, axis + "axis")
    bars = axis == "y" and any(isinstance(c, BarContainer) for c in ax.containers)
    if spread(values) and not bars:
        getattr(ax, "set_%sscale" % axis)("log")
        if max(values) < 200 * min(values):
            one.set_major_locator(LogLocator(subs=(1, 2, 5)))
        one.set_minor_formatter(NullFormatter())
    one.set_major_formatter(formatter or EngFormatter())


PLAIN = FuncFormatter(lambda value, _: "%g" % value)  # ratios, and numbers in a unit of their own


def spread(values, times=4):
    """True if the values want a logarithmic axis."""
    return min(values) > 0 and max(values) >= times * min(values)


def errors(threes):
    """Lengths of the error bars below and above each (middle, low, high)."""
    return [[max(middle - low, 0) for middle, low, _ in threes],
            [max(high - middle, 0) for middle, _, high in threes]]


def width(options):
    """Width of the picture in mm."""
    return options.width or COLUMN[options.columns]


def wrapped(text, room):
    """The text in lines of at most that many mm, at the size of ticks."""
    return textwrap.fill(text, max(8, int(room / CHARACTER)))


def name_rows(ax, names, room):
    """Name the rows of a panel, from the top, in at most that many mm."""
    ax.set_yticks(range(len(names)), [wrapped(name, room) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6)


def rows_height(names, room):
    """The height in mm of a panel with these rows, all as high as the highest."""
    lines = max(wrapped(name, room).count("\n") + 1 for name in names)
    return 16 + (1.5 + 3 * lines) * len(names)


class Sheet:
    """A figure of some panels with a title and one legend below; its size is that of the file.
    Names get colours in the order of their first use, the same in all panels."""

    def __init__(self, options, panels, columns=None, height=None, heights=None):
        """heights: of each row of panels in mm, instead of the height of all."""
        self.width = width(options) * MM
        across = columns or max(1, min(panels, int(self.width / (70 * MM))))
        down = -(-panels // across)
        self.height = (options.height or height or sum(heights or [62] * down)) * MM
        self.figure, axes = plt.subplots(
            down, across, squeeze=False, figsize=(self.width, self.height), layout="constrained",
            height_ratios=heights,
        )
        self.axes = list(axes.flat)
        for ax in self.axes[panels:]:
            ax.set_visible(False)
        self.title = options.title
        self.fixed_height = options.height is not None
        self.number, self.handles = {}, {}

    def series(self, name):
        number = self.number.setdefault(name, len(self.number))
        if number >= MOST_SERIES:
            raise Trouble("more than %d series are not distinguishable; choose some by --where, "
                          "--series or --facet" % MOST_SERIES)
        return number

    def marks(self, ax, name, at, threes, across=False, **look):
        """Draw a series' values with their intervals, (middle, low, high), at places of the x axis;
        across: of the y axis."""
        middles = [middle for middle, _, _ in threes]
        look = {**series(self.series(name)), **look, "elinewidth": 0.6}
        if across:
            handle = ax.errorbar(middles, at, xerr=errors(threes), **look)
        else:
            handle = ax.errorbar(at, middles, yerr=errors(threes), **look)
        ax.relim()  # by caps and marks: matplotlib 3.10 takes logarithms as limits of the bars
        self.add(name, handle)

    def add(self, name, handle):
        self.handles.setdefault(name, handle)

    def note(self, text):
        """Add a line about the whole picture to the legend."""
        self.handles.setdefault(text, plt.Line2D([], [], linestyle="none"))

    def _legend(self):
        """Draw the legend in as many columns as fit; return its height in inches and if it fits."""
        figure = self.figure
        names = [wrapped(name, self.width / MM - 15) for name in self.handles]
        for columns in range(min(4, len(self.handles)), 0, -1):
            legend = figure.legend(
                self.handles.values(),
                names,
                loc="lower center",
                ncols=columns,
                frameon=False,
                handlelength=2.6,
                columnspacing=1.2,
                borderpad=0.2,
            )
            box = legend.get_window_extent(figure.canvas.get_renderer())
            if box.width <= figure.bbox.width or columns == 1:
                return box.height / figure.dpi, box.width <= figure.bbox.width
            legend.remove()
        return 0, True

    def _wrap(self):
        """Break titles and labels that are longer than their axes."""
        self.figure.get_layout_engine().execute(self.figure)
        for ax in self.axes:
            box = ax.get_window_extent()
            for text, room, length in (
                (ax.title, box.width, "width"),
                (ax.xaxis.label, box.width, "width"),
                (ax.yaxis.label, box.height, "height"),
            ):
                used = getattr(text.get_window_extent(), length)
                lines = text.get_text().split("\n")
                if used > room:
                    most = max(8, int(max(map(len, lines)) * room / used * 0.95))
                    text.set_text("\n".join(textwrap.fill(line, most) for line in lines))

    def arrange(self):
        """Put title, legend and panels into their places."""
        if self.title:
            self.figure.suptitle(wrapped(self.title, 0.8 * self.width / MM), fontsize=9)
        if self.handles:
            below, fits = self._legend()
            below += 1.5 * MM
            if not fits:
                raise Trouble("the names of the series are wider than the picture: give --width")
            if not self.fixed_height:
                self.height += below
                self.figure.set_size_inches(self.width, self.height)
            elif below > 0.6 * self.height:
                raise Trouble("the legend leaves no room: give more --height, or fewer series by"
                              " --where")
            share = below / self.height
            self.figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
        self._wrap()

    def save(self, path, dpi):
        self.arrange()
        ending = path.rpartition(".")[2].lower()
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending)
        self.figure.savefig(path, dpi=dpi if ending == "png" else None, metadata=metadata)
        plt.close(self.figure)
