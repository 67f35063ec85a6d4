/* chart.c -- the chart of a section's rows, as SVG inside a page.
 *
 * The x axis is the numeric parameter with the most values; the other parameters are those of the
 * first row.  The axes are logarithmic, and the interval of the median is a band.  The LINES lines
 * that end fastest are drawn, each with its name at its end.  Times of the emulator are not drawn.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/section.h"
#include "common/text.h"

enum {
	WIDTH = 480,
	HEIGHT = 280,
	LEFT = 60,
	RIGHT = 150, /* for the names */
	TOP = 10,
	BOTTOM = 44,
	MIN_VALUES = 3,
	LINES = 8,
	LABEL = 13,   /* height of a name */
	LETTERS = 26, /* of a name */
	NAME = 240,
};

/* A row's time at a value of the x axis. */
struct mark {
	size_t series;
	const struct gb_member *value;
	struct gb_span ns;
};

/* A variant, with the parameters that only some variants have. */
struct series {
	char name[NAME];
	size_t first, count; /* its marks */
	double ns;           /* of the last one */
};

struct chart {
	const struct gb_section *section;
	FILE *file;
	size_t abscissa;   /* axis of the section */
	struct mark *mark; /* by series, then by value */
	size_t marks, count, lines;
	struct series *series, *line; /* line: the last `lines` series, from slow to fast */
	struct scale {
		double low, high, from, to; /* values low .. high are pixels from .. to */
	} x, y;
};

static void put_text(FILE *file, const char *text)
{
	gb_table_print_text(file, text, GB_FORMAT_HTML);
}

/* ---- scales ------------------------------------------------------------------------------- */

/* The pixel of a value, by logarithms. */
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

/* The value of axis a in a row; NAN if it is no positive number. */
static double value_at(const struct gb_section *section, size_t a, size_t row)
{
	const struct gb_member *v = gb_axis_value(&section->axes, a, section->row[row].record);

	return v && v->kind == GB_VALUE_NUMBER && v->number > 0 ? v->number : (double)NAN;
}

/* The numeric parameter with the most values, at least MIN_VALUES; axes.count if there is none. */
static size_t find_abscissa(const struct gb_section *section)
{
	size_t best = section->axes.count, most = MIN_VALUES - 1;

	for (size_t a = 0; a < section->axes.count; a++) {
		size_t values = 0;

		for (size_t i = 0; i < section->row_count && gb_axis_is_point(&section->axes, a);
		     i++) {
			const double value = value_at(section, a, i);
			size_t k = 0;

			while (k < i && !(fabs(value_at(section, a, k) - value) <= 0))
				k++;
			values += k == i && !isnan(value);
		}
		best = values > most ? a : best;
		most = values > most ? values : most;
	}
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
	const char *run = gb_context_name(&section->report->names, record->run_id);
	char value[GB_VALUE_MAX];

	(void)snprintf(name, NAME, "%.60s/%.60s", record->backend, record->variant);
	for (size_t i = 0; i < section->axes.count; i++) {
		const struct gb_member *v = gb_axis_value(&section->axes, i, record);

		if (section->axes.axis[i].varies && !gb_axis_is_point(&section->axes, i) && v)
			gb_text_append(name, NAME, " %.20s=%.20s", section->axes.axis[i].name,
				       gb_axis_text(value, v));
	}
	if (section->mixed_runs && run[0])
		gb_text_append(name, NAME, ", %s", run);
}

/* The series of a record, which is added if it is new. */
static size_t series_of(struct chart *c, const struct gb_record *record)
{
	struct series *s = &c->series[c->count];
	size_t i = 0;

	series_name(c->section, record, s->name);
	while (!gb_equal(c->series[i].name, s->name))
		i++;
	c->count += i == c->count;
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
		c->mark[c->marks++] = mark;
	}
	qsort(c->mark, c->marks, sizeof *c->mark, by_series);
	for (size_t i = 0; i < c->marks; i++) {
		struct series *s = &c->series[c->mark[i].series];

		s->first = s->count++ ? s->first : i;
		s->ns = c->mark[i].ns.at;
	}
}

static int by_end(const void *a, const void *b)
{
	const struct series *x = a, *y = b;

	return GB_ORDER(y->ns, x->ns);
}

/* ---- drawing ------------------------------------------------------------------------------ */

/* Based on Okabe and Ito, "Color universal design", 2008; each has enough contrast on white and
 * black. */
static const char *const colors[LINES] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
					   "#b8860b", "#3fa0d8", "#7a8288", "#a05195" };

/* Draw a line with its band, and each mark with its tooltip, such as "count=1M: 8.52 ms". */
static void put_line(const struct chart *c, size_t line)
{
	const struct mark *m = &c->mark[c->line[line].first];
	const size_t count = c->line[line].count;
	const char *color = colors[line];

	(void)fprintf(c->file, "<path fill=\"%s\" fill-opacity=\".2\" d=\"M", color);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(c->file, "%.1f %.1f ", at(&c->x, m[i].value->number),
			      at(&c->y, m[i].ns.low));
	for (size_t i = count; i-- > 0;)
		(void)fprintf(c->file, "%.1f %.1f ", at(&c->x, m[i].value->number),
			      at(&c->y, m[i].ns.high));
	(void)fprintf(c->file,
		      "z\"/><polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"",
		      color);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(c->file, "%.1f,%.1f ", at(&c->x, m[i].value->number),
			      at(&c->y, m[i].ns.at));
	(void)fputs("\"/>\n", c->file);
	for (size_t i = 0; i < count; i++) {
		char title[NAME], value[GB_VALUE_MAX], time[GB_TEXT_MAX];

		(void)snprintf(title, sizeof title, "%.40s=%s: %s", m[i].value->name,
			       gb_axis_text(value, m[i].value), gb_text_time(time, m[i].ns.at));
		(void)fprintf(c->file,
			      "<circle fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>", color,
			      at(&c->x, m[i].value->number), at(&c->y, m[i].ns.at));
		put_text(c->file, title);
		(void)fputs("</title></circle>", c->file);
	}
	(void)fputc('\n', c->file);
}

/* Put the names beside the ends of the lines, below each other. */
static void put_names(const struct chart *c)
{
	double next = TOP;

	for (size_t i = 0; i < c->lines; i++) {
		const char *name = c->line[i].name;
		const double y = fmax(at(&c->y, c->line[i].ns), next);

		next = y + LABEL;
		(void)fprintf(c->file, "<text fill=\"%s\" x=\"%d\" y=\"%.1f\">", colors[i],
			      WIDTH - RIGHT + 8, y + 4);
		gb_table_print_part(c->file, name, strnlen(name, LETTERS), GB_FORMAT_HTML);
		(void)fputs("<title>", c->file);
		put_text(c->file, name);
		(void)fputs("</title></text>\n", c->file);
	}
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

static void put_chart(struct chart *c)
{
	char text[NAME];

	c->x = (struct scale){ INFINITY, 0, LEFT, WIDTH - RIGHT };
	c->y = (struct scale){ INFINITY, 0, HEIGHT - BOTTOM, TOP };
	for (size_t i = 0; i < c->lines; i++)
		for (size_t k = 0; k < c->line[i].count; k++) {
			const struct mark *m = &c->mark[c->line[i].first + k];

			widen(&c->x, m->value->number);
			widen(&c->y, m->ns.low);
			widen(&c->y, m->ns.high);
		}
	settle(&c->x);
	settle(&c->y);
	shared_text(c, text);
	(void)fprintf(c->file,
		      "<figure><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
		      "aria-label=\"",
		      WIDTH, HEIGHT, WIDTH, HEIGHT);
	put_text(c->file, text);
	(void)fputs("\">\n", c->file);
	put_axis(c->file, &c->y, true);
	put_axis(c->file, &c->x, false);
	(void)fprintf(c->file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
		      (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
	put_text(c->file, c->section->axes.axis[c->abscissa].name);
	(void)fputs("</text>\n", c->file);
	for (size_t i = 0; i < c->lines; i++)
		put_line(c, i);
	put_names(c);
	(void)fputs("</svg><figcaption>", c->file);
	put_text(c->file, text);
	(void)fputs("; bands: 95 % interval of the median", c->file);
	if (c->count > c->lines)
		(void)fprintf(c->file, "; %zu more lines are in the table only",
			      c->count - c->lines);
	(void)fputs("</figcaption></figure>\n", c->file);
}

void gb_section_print_chart(const struct gb_section *section)
{
	struct chart c = { .section = section,
			   .file = section->report->document->file,
			   .abscissa = find_abscissa(section) };

	if (c.abscissa == section->axes.count)
		return;
	c.mark = calloc(section->row_count, sizeof *c.mark);
	c.series = calloc(section->row_count + 1, sizeof *c.series);
	if (c.mark && c.series) {
		take_marks(&c);
		qsort(c.series, c.count, sizeof *c.series, by_end);
		c.lines = c.count < LINES ? c.count : LINES;
		c.line = c.series + c.count - c.lines;
	}
	if (c.marks)
		put_chart(&c);
	free(c.mark);
	free(c.series);
}
