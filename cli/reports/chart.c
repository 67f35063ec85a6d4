/* chart.c -- the chart of a section's rows, as SVG inside a page.
 *
 * The x axis is the numeric parameter with the most values; the other parameters are those of the
 * first row.  The chart has a line per variant, logarithmic axes, and the interval of the median as
 * a band.  Times of the emulator are not drawn.  The picture is as wide as a phone, so that it is
 * not scaled down there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/section.h"
#include "common/stats.h"
#include "common/text.h"

enum {
	WIDTH = 356,
	HEIGHT = 260,
	LEFT = 60,
	RIGHT = 8,
	TOP = 10,
	BOTTOM = 44,
	MIN_VALUES = 3,
	SERIES = 16, /* so that all look different */
	NAME = 240,
};

/* A row's time at a value of the x axis. */
struct mark {
	size_t series;
	const struct gb_member *value;
	struct gb_span ns;
};

struct chart {
	const struct gb_section *section;
	FILE *file;
	size_t abscissa;   /* axis of the section */
	struct mark *mark; /* by series, then by value */
	size_t marks, series;
	size_t left_out; /* rows that did not fit into these series */
	char name[SERIES][NAME];
};

static void put_text(FILE *file, const char *text)
{
	gb_grid_print_text(file, text, GB_FORMAT_HTML);
}

/* ---- scales ------------------------------------------------------------------------------- */

/* Maps values low .. high to pixels from .. to, by their logarithms. */
struct scale {
	double low, high, from, to;
};

static double at(const struct scale *s, double value)
{
	return s->from +
	       (log(value) - log(s->low)) / (log(s->high) - log(s->low)) * (s->to - s->from);
}

static void widen(struct scale *s, double value)
{
	value = fmin(fmax(value, 1e-100), 1e100); /* powers of ten are exact to far beyond */
	s->low = fmin(s->low, value);
	s->high = fmax(s->high, value);
}

/* Add a margin, so that the range is not empty. */
static void settle(struct scale *s)
{
	const double air = fmax(pow(s->high / s->low, 0.04), 1.02);

	s->low /= air;
	s->high *= air;
}

/* The next of 1, 2, 5, 10, 20, ... after value, or the power of ten `decades` further if that is
 * not 0. */
static double next_tick(double value, int decades)
{
	const double power = pow(10, floor(log10(value * (1 + 1e-9))));
	const double lead = value / power;

	if (decades)
		return power * pow(10, decades);
	return power * (lead < 2 - 1e-6 ? 2 : lead < 5 - 1e-6 ? 5 : 10);
}

/* Shorten "2.00 ms" to "2 ms". */
static void tidy(char *text)
{
	char *const unit = strchr(text, ' ');
	char *end = unit;

	if (!unit)
		return;
	while (memchr(text, '.', (size_t)(end - text)) && (end[-1] == '0' || end[-1] == '.'))
		end--;
	memmove(end, unit, strlen(unit) + 1);
}

/* Draw the ticks: 1, 2, 5, 10, ..., or only powers of ten where these would be too close. */
static void put_axis(FILE *file, const struct scale *s, bool vertical)
{
	const double apart = vertical ? 14 : 48;
	const double decade = fabs(s->to - s->from) * log(10) / log(s->high / s->low);
	const int decades = decade * log10(2) < apart ? (int)fmin(ceil(apart / decade), 300) : 0;
	double next = pow(10, floor(log10(s->low)));

	while (next <= s->high) {
		const double tick = next, p = at(s, tick);
		char text[GB_TEXT_MAX];

		next = next_tick(tick, decades);
		if (tick < s->low)
			continue;
		tidy(vertical ? gb_text_time(text, tick) : gb_text_scaled(text, tick));
		(void)fprintf(file,
			      "<line class=\"rule\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
			      "y2=\"%.1f\"/><text class=\"soft\" x=\"%.1f\" y=\"%.1f\" "
			      "text-anchor=\"%s\">%s</text>\n",
			      vertical ? LEFT : p, vertical ? WIDTH - RIGHT : p, vertical ? p : TOP,
			      vertical ? p : HEIGHT - BOTTOM, vertical ? LEFT - 6 : p,
			      vertical ? p + 4 : HEIGHT - BOTTOM + 16, vertical ? "end" : "middle",
			      text);
	}
}

/* ---- what is drawn ------------------------------------------------------------------------ */

/* The number of positive values of axis a; `room` has space for one of each row. */
static size_t count_values(const struct gb_section *section, size_t a, double *room)
{
	size_t count = 0, values = 0;

	for (size_t i = 0; i < section->row_count; i++) {
		const struct gb_member *v =
			gb_axis_value(&section->axes, a, section->row[i].record);

		if (v && v->kind == GB_VALUE_NUMBER && v->number > 0)
			room[count++] = v->number;
	}
	gb_sort(room, count);
	for (size_t i = 0; i < count; i++)
		values += i == 0 || room[i] > room[i - 1];
	return values;
}

/* The numeric parameter with the most values, at least MIN_VALUES; axes.count if there is none or
 * no memory. */
static size_t find_abscissa(const struct gb_section *section)
{
	double *room = calloc(section->row_count + 1, sizeof *room);
	size_t best = section->axes.count, most = MIN_VALUES - 1;

	for (size_t a = 0; room && a < section->axes.count; a++) {
		size_t values;

		if (!gb_axis_is_point(&section->axes, a) ||
		    section->axes.axis[a].value->kind != GB_VALUE_NUMBER)
			continue;
		values = count_values(section, a, room);
		if (values > most) {
			most = values;
			best = a;
		}
	}
	free(room);
	return best;
}

/* True if the record agrees with the first row in every point parameter except the x axis. */
static bool is_drawn(const struct chart *c, const struct gb_record *record)
{
	const struct gb_record *first = c->section->row[0].record;
	const struct gb_axes *axes = &c->section->axes;

	for (size_t i = 0; i < axes->count; i++)
		if (i != c->abscissa && gb_axis_is_point(axes, i) &&
		    !gb_member_equal(gb_axis_value(axes, i, first), gb_axis_value(axes, i, record)))
			return false;
	return true;
}

/* "cpu/best threads=2": the variant and the parameters that only some variants have. */
static void series_name(const struct gb_section *section, const struct gb_record *record,
			char name[NAME])
{
	char value[GB_VALUE_MAX];

	(void)snprintf(name, NAME, "%.60s/%.60s", record->backend, record->variant);
	for (size_t i = 0; i < section->axes.count; i++) {
		const struct gb_member *v = gb_axis_value(&section->axes, i, record);

		if (section->axes.axis[i].varies && !gb_axis_is_point(&section->axes, i) && v)
			gb_text_append(name, NAME, " %.20s=%.20s", section->axes.axis[i].name,
				       gb_axis_text(value, v));
	}
	if (section->mixed_runs)
		gb_text_append(name, NAME, ", %s",
			       gb_run_name(&section->table->runs, record->run_id));
}

/* The series of a record, which is added if there is room; SERIES if there is none. */
static size_t series_of(struct chart *c, const struct gb_record *record)
{
	char name[NAME];
	size_t i = 0;

	series_name(c->section, record, name);
	while (i < c->series && !gb_equal(c->name[i], name))
		i++;
	if (i == c->series && i < SERIES)
		memcpy(c->name[c->series++], name, sizeof name);
	return i;
}

static int by_series(const void *a, const void *b)
{
	const struct mark *p = a, *q = b;
	const int order = GB_ORDER(p->series, q->series);

	return order ? order : GB_ORDER(p->value->number, q->value->number);
}

static void take_marks(struct chart *c)
{
	for (size_t i = 0; i < c->section->row_count; i++) {
		const struct gb_row *row = &c->section->row[i];
		struct mark mark = { .value = gb_axis_value(&c->section->axes, c->abscissa,
							    row->record) };

		(void)gb_row_span(row, &mark.ns);
		if (!is_drawn(c, row->record) || !(mark.ns.low > 0) || !(mark.value->number > 0))
			continue;
		mark.series = series_of(c, row->record);
		if (mark.series < SERIES)
			c->mark[c->marks++] = mark;
		else
			c->left_out++;
	}
	qsort(c->mark, c->marks, sizeof *c->mark, by_series);
}

/* ---- drawing ------------------------------------------------------------------------------ */

/* Based on Okabe and Ito, "Color universal design", 2008; each has enough contrast on white and
 * black.  No two series have both the same colour and the same dashes. */
static const char *const colors[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
				      "#b8860b", "#3fa0d8", "#7a8288", "#a05195" };

static const char *color_of(size_t series)
{
	return colors[series % GB_COUNT(colors)];
}

static const char *dashes_of(size_t series)
{
	return series < GB_COUNT(colors) ? "none" : "5 3";
}

/* Draw the series' mark; title, which may be NULL, is its tooltip. */
static void put_mark(FILE *file, size_t series, double x, double y, const char *title)
{
	/* Circle, square, triangle, diamond, with the same apparent size. */
	static const char *const shape[] = { "a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
					     "m.3-2.7h5.4v5.4h-5.4z", "m-.5 2.5h7l-3.5-6z",
					     "l3-3.8 3 3.8-3 3.8z" };

	(void)fprintf(file, "<path fill=\"%s\" d=\"M%.1f %.1f%s\"%s", color_of(series), x - 3, y,
		      shape[series % GB_COUNT(shape)], title ? "><title>" : "/>");
	if (!title)
		return;
	put_text(file, title);
	(void)fputs("</title></path>", file);
}

/* Draw the `count` marks of a series: the band, the line, then each with its title, such as
 * "count=1M: 8.52 ms". */
static void put_series(FILE *file, const struct mark *m, size_t count, const struct scale *x,
		       const struct scale *y)
{
	const size_t series = m->series;

	(void)fprintf(file, "<path fill=\"%s\" fill-opacity=\".2\" d=\"M", color_of(series));
	for (size_t i = 0; i < count; i++)
		(void)fprintf(file, "%.1f %.1f ", at(x, m[i].value->number), at(y, m[i].ns.low));
	for (size_t i = count; i-- > 0;)
		(void)fprintf(file, "%.1f %.1f ", at(x, m[i].value->number), at(y, m[i].ns.high));
	(void)fprintf(file,
		      "z\"/><polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" "
		      "stroke-dasharray=\"%s\" points=\"",
		      color_of(series), dashes_of(series));
	for (size_t i = 0; i < count; i++)
		(void)fprintf(file, "%.1f,%.1f ", at(x, m[i].value->number), at(y, m[i].ns.at));
	(void)fputs("\"/>\n", file);
	for (size_t i = 0; i < count; i++) {
		char title[NAME], value[GB_VALUE_MAX], time[GB_TEXT_MAX];

		(void)snprintf(title, sizeof title, "%.40s=%s: %s", m[i].value->name,
			       gb_axis_text(value, m[i].value), gb_text_time(time, m[i].ns.at));
		put_mark(file, series, at(x, m[i].value->number), at(y, m[i].ns.at), title);
	}
	(void)fputc('\n', file);
}

static void put_legend(const struct chart *c)
{
	(void)fputs("<ul class=\"legend\">\n", c->file);
	for (size_t i = 0; i < c->series; i++) {
		(void)fprintf(c->file,
			      "<li><svg width=\"24\" height=\"10\" aria-hidden=\"true\"><line "
			      "x1=\"0\" x2=\"24\" y1=\"5\" y2=\"5\" stroke=\"%s\" "
			      "stroke-width=\"1.6\" stroke-dasharray=\"%s\"/>",
			      color_of(i), dashes_of(i));
		put_mark(c->file, i, 12, 5, NULL);
		(void)fputs("</svg> ", c->file);
		put_text(c->file, c->name[i]);
		(void)fputs("</li>\n", c->file);
	}
	(void)fputs("</ul>", c->file);
}

/* "time over count, threads=2, type=u64": the x axis and the values that the rows share. */
static void shared_text(const struct chart *c, char text[NAME])
{
	const struct gb_record *first = c->section->row[0].record;
	const struct gb_axes *axes = &c->section->axes;
	char value[GB_VALUE_MAX];

	(void)snprintf(text, NAME, "time over %.40s", axes->axis[c->abscissa].name);
	for (size_t i = 0; i < axes->count; i++)
		if (i != c->abscissa && gb_axis_is_point(axes, i))
			gb_text_append(text, NAME, ", %.40s=%s", axes->axis[i].name,
				       gb_axis_text(value, gb_axis_value(axes, i, first)));
}

static void put_chart(const struct chart *c)
{
	struct scale x = { INFINITY, 0, LEFT, WIDTH - RIGHT };
	struct scale y = { INFINITY, 0, HEIGHT - BOTTOM, TOP };
	char text[NAME];

	for (size_t i = 0; i < c->marks; i++) {
		widen(&x, c->mark[i].value->number);
		widen(&y, c->mark[i].ns.low);
		widen(&y, c->mark[i].ns.high);
	}
	settle(&x);
	settle(&y);
	shared_text(c, text);
	(void)fprintf(c->file,
		      "<figure><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
		      "aria-label=\"",
		      WIDTH, HEIGHT, WIDTH, HEIGHT);
	put_text(c->file, text);
	(void)fputs("\">\n", c->file);
	put_axis(c->file, &y, true);
	put_axis(c->file, &x, false);
	(void)fprintf(c->file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
		      (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
	put_text(c->file, c->section->axes.axis[c->abscissa].name);
	(void)fputs("</text>\n", c->file);
	for (size_t i = 0, end; i < c->marks; i = end) {
		for (end = i; end < c->marks && c->mark[end].series == c->mark[i].series; end++)
			;
		put_series(c->file, &c->mark[i], end - i, &x, &y);
	}
	(void)fputs("</svg><figcaption>", c->file);
	put_text(c->file, text);
	(void)fputs("; bands: 95 % interval of the median\n", c->file);
	put_legend(c);
	if (c->left_out)
		(void)fprintf(c->file, "%zu more rows are in the table only.", c->left_out);
	(void)fputs("</figcaption></figure>\n", c->file);
}

void gb_section_print_chart(const struct gb_section *section)
{
	struct chart c = { .section = section,
			   .file = section->table->sheet->file,
			   .abscissa = find_abscissa(section) };

	if (c.abscissa == section->axes.count)
		return;
	c.mark = calloc(section->row_count, sizeof *c.mark);
	if (c.mark)
		take_marks(&c);
	if (c.marks)
		put_chart(&c);
	free(c.mark);
}
