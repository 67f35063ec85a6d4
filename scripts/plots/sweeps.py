"""sweep, speedup, roofline, phases, meshes: pictures of the measurements of one or several runs."""

from . import style
from .records import (
    QUANTITIES,
    Trouble,
    at,
    by_bench,
    label,
    points,
    rate,
    ratio,
    read,
    seconds,
    select,
    series_of,
    setup_names,
    value_of,
    varying,
    word,
)


def rows_of(options):
    return select(read(options.files), options.where)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def choose_x(rows, wanted):
    """The parameter of the x axis: as wanted, else the number with the most values, else the word
    with the most, else the variant.  A word in step with that number, as a scene with its
    triangles, goes before it: a line over the number would join different scenes."""
    if wanted:
        if not any(value_of(r, wanted) is not None for r in rows):
            raise Trouble("--x=%s: no record has such a parameter" % wanted)
        return wanted
    count = lambda n: len({word(r.params[n]) for r in rows if n in r.params})
    names = varying(rows)
    numbers = [n for n in names if all(is_number(r.params.get(n, 0)) for r in rows)]
    x = max(numbers or names, key=count, default="variant")
    words = [n for n in names if n not in numbers and count(n) == count(x)]
    in_step = [n for n in words if follows(rows, x, n)]
    return in_step[0] if in_step else x


def series_names(rows, options, x):
    """Names that tell series apart, besides the variant: as wanted, else all that vary but x, the
    facets and what follows from x.  Names that tell setups apart are always included, because
    setups are never joined."""
    apart = {x, options.facet}
    setups = [n for n in setup_names(rows) if n not in apart]
    wanted = (
        options.series.split(",")
        if options.series
        else [n for n in varying(rows) if not follows(rows, n, x)]
    )
    for name in wanted:
        if not any(value_of(r, name) is not None for r in rows):
            raise Trouble("--series=%s: no record has such a parameter" % name)
    return [n for n in wanted if n not in apart and n not in setups] + setups


def follows(rows, name, x):
    """True if x is a word, each value of which has one value of the parameter, as a scene has of
    its triangles.  Over a number, a line would join what differs in the parameter."""
    pairs = {(word(value_of(r, x)), word(r.params[name])) for r in rows if name in r.params}
    words = not all(is_number(value_of(r, x)) for r in rows if value_of(r, x) is not None)
    return words and len(pairs) == len({at_x for at_x, _ in pairs})


def facets(rows, options):
    """[(title, rows)]: a panel for each benchmark and each value of the facet."""
    panels = []
    for bench, mine in by_bench(rows):
        values = (
            dict.fromkeys(value_of(r, options.facet) for r in mine) if options.facet else [None]
        )
        for value in values:
            if value is None and options.facet:
                continue
            some = [r for r in mine if not options.facet or value_of(r, options.facet) == value]
            title = bench if value is None else "%s, %s=%s" % (bench, options.facet, word(value))
            panels.append((title, some))
    if not panels:
        raise Trouble("--facet=%s: no record has such a parameter" % options.facet)
    return panels


def grouped(rows, names, x, value):
    """{series: {x: (middle, low, high)}}; Trouble if a series has two values at one x."""
    lines = {}
    for point in points(rows):
        pooled = point.pooled(value)
        at_x = value_of(point.first, x)
        if pooled is None or at_x is None:
            continue
        series = series_of(point.first, names)
        line = lines.setdefault(series[1:] if x == "variant" else series, {})
        if at_x in line:
            missing = [n for n in varying(rows) if n not in names and n != x]
            raise Trouble(
                "%s=%s has several values of one series: they differ in %s; choose by --where, "
                "--series or --facet" % (x, word(at_x), ", ".join(missing) or "nothing recorded")
            )
        line[at_x] = pooled
    if not lines:
        raise Trouble("no record has what is to be drawn")
    return lines


def word_labels(rows, x):
    """{word: label}: a word on the x axis with the numbers that follow from it."""
    names = [n for n in varying(rows) if n != x and follows(rows, n, x)]
    labels = {}
    for row in rows:
        more = ["%s=%s" % (n, word(row.params[n])) for n in names if n in row.params]
        labels.setdefault(value_of(row, x), "\n".join([word(value_of(row, x) or ""), *more]))
    return labels


def name_of(series):
    return ", ".join(series) or "all"


def draw_lines(sheet, ax, lines):
    for series, line in lines.items():
        xs = sorted(line)
        sheet.marks(ax, name_of(series), xs, [line[x] for x in xs])


def draw_bars(sheet, ax, lines, labels):
    """Draw a group of bars for each word on the x axis; of values that are far apart, points, whose
    axis may be logarithmic."""
    words = list(dict.fromkeys(x for line in lines.values() for x in line))
    wide = 0.8 / len(lines)
    for i, (series, line) in enumerate(lines.items()):
        name = name_of(series)
        have = [k for k, w in enumerate(words) if w in line]
        places = [k + (i - (len(lines) - 1) / 2) * wide for k in have]
        threes = [line[words[k]] for k in have]
        if style.spread(values_of(lines), 10):
            sheet.marks(ax, name, places, threes, linestyle="none")
            continue
        handle = ax.bar(
            places,
            [three[0] for three in threes],
            wide,
            yerr=style.errors(threes),
            error_kw={"elinewidth": 0.6},
            **style.fill(sheet.series(name)),
        )
        sheet.add(name, handle)
    texts = [labels.get(w, word(w)) for w in words]
    long = max(len(line) for t in texts for line in t.split("\n")) * len(words) > 60
    ax.set_xticks(
        range(len(words)),
        texts,
        rotation=35 if long else 0,
        ha="right" if long else "center",
    )


def values_of(lines):
    return [v for line in lines.values() for three in line.values() for v in three]


def draw(sheet, ax, lines, x, rows):
    """Draw lines over numbers, bars over words."""
    xs = [v for line in lines.values() for v in line]
    if all(is_number(v) for v in xs):
        draw_lines(sheet, ax, lines)
        style.scale(ax, "x", xs)
        if not style.spread(xs) and all(v == int(v) for v in xs) and len(set(xs)) < 12:
            ax.set_xticks(sorted(set(xs)), [word(v) for v in sorted(set(xs))])
        ax.set_xlabel(style.number_label(x, rows[0].unit))
    else:
        draw_bars(sheet, ax, lines, word_labels(rows, x))
        ax.set_xlabel(x)


def note_intervals(sheet, rows):
    several = any(len(p.rows) > 1 for p in points(rows))
    sheet.note("bars: 95 % interval" + (", of few launches their range" if several else ""))


def panelled(options, rows, draw_panel, **size):
    """A sheet with a panel for each facet."""
    panels = facets(rows, options)
    sheet = style.Sheet(options, len(panels), **size)
    for ax, (title, mine) in zip(sheet.axes, panels):
        draw_panel(sheet, ax, mine)
        ax.grid(True)
        ax.set_title(title)
    return sheet


def sweep(options):
    rows = rows_of(options)

    def panel(sheet, ax, mine):
        x = choose_x(mine, options.x)
        lines = grouped(mine, series_names(mine, options, x), x, QUANTITIES[options.y])
        draw(sheet, ax, lines, x, mine)
        style.quantity_axis(ax, "y", options.y, mine[0].unit, values_of(lines))

    sheet = panelled(options, rows, panel)
    note_intervals(sheet, rows)
    return sheet


def speedup(options):
    """Each series over --over VARIANT at the same point of the same machine and caches."""
    rows = rows_of(options)
    if not any(r.variant == options.over for r in rows):
        raise Trouble("--over=%s: no record is of that variant" % options.over)

    def panel(sheet, ax, mine):
        x = choose_x(mine, options.x)
        names = series_names(mine, options, x)
        ratios = over_base(grouped(mine, names, x, seconds), options.over, x)
        if not ratios:
            raise Trouble("%s: nothing is at a point where %s is" % (mine[0].bench, options.over))
        draw(sheet, ax, ratios, x, mine)
        ax.axhline(1, color=style.GREY, linewidth=0.8)
        style.scale(ax, "y", values_of(ratios), style.PLAIN)
        ax.set_ylabel("speed-up over %s (1)" % options.over)

    sheet = panelled(options, rows, panel)
    sheet.note("bars: what the intervals of both times allow")
    return sheet


def over_base(lines, variant, x):
    """{series: {x: speed-up over the variant's time at x}}, where there is one."""
    ratios = {}
    for series, line in lines.items():
        if x == "variant":
            base = {v: line[variant] for v in line if variant in line and v != variant}
        else:
            base = {} if series[0] == variant else base_of(lines, series, variant)
        line = {at_x: ratio(base[at_x], three) for at_x, three in line.items() if at_x in base}
        if line:
            ratios[series] = line
    return ratios


def base_of(lines, series, variant):
    """The variant's line in the same setup, with the same parameters where it has them: qsort has
    no threads."""
    fitting = [s for s in lines if s[0] == variant and set(s[1:]) <= set(series[1:])]
    return lines[max(fitting, key=len)] if fitting else {}


def roofline(options):
    """Items per second over items per byte, below the copy bandwidth measured in the same run."""
    rows = [
        r
        for r in rows_of(options)
        if at(r.record, "copy_bytes_per_s") and at(r.record, "work.bytes") and rate(r.record)
    ]
    if not rows:
        raise Trouble("no record has bytes, items and a copy bandwidth")
    return panelled(options, rows, draw_roofs)


def draw_roofs(sheet, ax, rows):
    names = [n for n in ("threads", *setup_names(rows)) if len({value_of(r, n) for r in rows}) > 1]
    intensities = []
    for point in points(rows):
        record = point.first.record
        intensities.append(at(record, "work.items") / at(record, "work.bytes"))
        name = label(point.first, names)
        sheet.marks(ax, name, intensities[-1:], [point.pooled(rate)], linestyle="none")
    roofs = {}
    for r in rows:
        what = ", ".join(word(v) for v in (value_of(r, n) for n in names) if v not in (None, ""))
        roofs.setdefault(what, at(r.record, "copy_bytes_per_s"))
    ends = (min(intensities) / 1.5, max(intensities) * 1.5)
    for i, (what, copy) in enumerate(roofs.items()):
        (handle,) = ax.plot(
            ends,
            [e * copy for e in ends],
            color=style.GREY,
            linestyle=style.DASHES[i % 4],
            marker="",
        )
        sheet.add("copy bandwidth" + (", " + named(names, what) if what else ""), handle)
    ax.set_yscale("log")
    style.scale(ax, "x", ends, style.PLAIN)
    ax.set_xlabel("%s a byte moved" % rows[0].unit)
    ax.set_ylabel("rate (%s/s)" % rows[0].unit)
    ax.yaxis.set_major_formatter(style.EngFormatter())


def named(names, what):
    """Say what a bare number of threads counts."""
    return "threads=" + what if names[:1] == ["threads"] else what


def phases(options):
    """Time of the phases: a stacked bar for each variant and point."""
    rows = [r for r in rows_of(options) if r.record.get("phases")]
    if not rows:
        raise Trouble("no record has phases")
    panels = facets(rows, options)
    most = max(len(points(mine)) for _, mine in panels)

    def panel(sheet, ax, mine):
        names = series_names(mine, options, None)
        bars = points(mine)
        for row, point in enumerate(bars):
            left = 0
            for phase in point.first.record["phases"]:
                pooled = point.pooled(lambda r: phase_of(r, phase))
                if not pooled:
                    continue
                handle = ax.barh(row, pooled[0], left=left, **style.fill(sheet.series(phase)))
                sheet.add(phase, handle)
                left += pooled[0]
        ax.set_yticks(range(len(bars)), [label(p.first, names) for p in bars])
        ax.set_ylim(len(bars) - 0.4, -0.6)
        ax.set_xlabel("time, sum of the phases' medians")
        ax.xaxis.set_major_formatter(style.EngFormatter("s"))

    return panelled(options, rows, panel, columns=1, height=len(panels) * (22 + 4.2 * most))


def phase_of(record, phase):
    median = at(record, "phases")[phase].get("median")
    return median and (median * 1e-9,) * 3


def meshes(options):
    """Build times over the number of triangles, each mesh with its name."""
    rows = [r for r in rows_of(options) if r.bench == "lbvh" and r.params.get("op") == "build"]
    if not rows:
        raise Trouble("no record of lbvh has op=build")
    sheet = style.Sheet(options, 1, columns=1, height=75)
    ax = sheet.axes[0]
    names = [n for n in series_names(rows, options, "scene") if n not in ("count", "file")]
    texts, values = {}, []
    for point in points(rows):
        items = at(point.first.record, "work.items")
        middle, _, high = three = point.pooled(seconds)
        sheet.marks(ax, label(point.first, names), [items], [three], linestyle="none")
        scene = word(value_of(point.first, "file") or value_of(point.first, "scene") or "")
        texts.setdefault(items, {})[scene.rpartition("/")[2]] = None
        values.append((items, middle, high))
    for items, scenes in texts.items():
        ax.annotate(
            ", ".join(scenes) if len(scenes) < 4 else "%d scenes" % len(scenes),
            (items, max(v[2] for v in values if v[0] == items)),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=6,
            rotation=60 if len(texts) > 4 else 0,
        )
    style.scale(ax, "x", [v[0] for v in values])
    style.quantity_axis(ax, "y", "time", "triangles", [v[1] for v in values])
    ax.margins(y=0.15)
    ax.set_xlabel("triangles")
    ax.grid(True)
    ax.set_title("lbvh, build")
    note_intervals(sheet, rows)
    return sheet
