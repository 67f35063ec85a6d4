/* figures.c -- charts of a section's rows, as SVG inside a page.
 *
 * The x axis is the numeric parameter with the most values, at least three; without one there are
 * no charts, only the spans in the table.  Each combination of the other parameters gets a chart
 * with a line per variant, logarithmic axes, and the interval of the median as a band.  Times of
 * the emulator are not drawn.
 */
#include "cli/reports/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/grid/picture.h"
#include "cli/reports/grid/scale.h"
#include "common/stats.h"
#include "common/text.h"

enum {
	HEIGHT = 260,
	LEFT = 60,
	RIGHT = 8,
	TOP = 10,
	BOTTOM = 44,
	MAX_FIGURES = 24,
	MIN_VALUES = 3,
	NAME = 240,
};

/* One row's time at a value of the x axis. */
struct point {
	const struct gb_member *value; /* on the x axis; x is its number */
	double x;
	struct gb_span ns;
};

static void put_text(FILE *file, const char *text)
{
	gb_grid_print_text(file, text, GB_FORMAT_HTML);
}

/* ---- axes --------------------------------------------------------------------------------- */

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

/* ---- lines over a parameter --------------------------------------------------------------- */

/* True if two records share a chart: they agree in every point parameter except the x axis. */
static bool same_picture(const struct gb_section *section, size_t abscissa,
			 const struct gb_record *a, const struct gb_record *b)
{
	for (size_t i = 0; i < section->axes.count; i++) {
		const struct gb_member *x = gb_axis_value(&section->axes, i, a);
		const struct gb_member *y = gb_axis_value(&section->axes, i, b);

		if (i != abscissa && gb_axis_is_point(&section->axes, i) &&
		    !(x && y && gb_member_equal(x, y)))
			return false;
	}
	return true;
}

/* "cpu/best threads=2": the variant and the parameters that only some variants have. */
static void line_name(const struct gb_section *section, const struct gb_record *record, char *text,
		      size_t size)
{
	char value[GB_VALUE_MAX];

	(void)snprintf(text, size, "%.60s/%.60s", record->backend, record->variant);
	for (size_t i = 0; i < section->axes.count; i++) {
		const struct gb_member *v = gb_axis_value(&section->axes, i, record);

		if (section->axes.axis[i].varies && !gb_axis_is_point(&section->axes, i) && v)
			gb_text_append(text, size, " %.20s=%.20s", section->axes.axis[i].name,
				       gb_axis_text(value, v));
	}
	if (section->mixed_runs)
		gb_text_append(text, size, ", %s",
			       gb_run_name(&section->table->runs, record->run_id));
}

struct line {
	char name[NAME];
	size_t count;
	struct point *point; /* by x */
};

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return GB_ORDER(p->x, q->x);
}

static struct line *find_line(struct line *line, size_t *count, const char *name, size_t room)
{
	size_t i = 0;

	while (i < *count && !gb_equal(line[i].name, name))
		i++;
	if (i == GB_PICTURE_SERIES)
		return NULL;
	if (i == *count) {
		line[i].point = calloc(room, sizeof *line[i].point);
		if (!line[i].point)
			return NULL;
		(void)snprintf(line[i].name, sizeof line[i].name, "%s", name);
		++*count;
	}
	return &line[i];
}

/* Draw a point, with a title such as "count=1M: 8.52 ms". */
static void put_mark(FILE *file, const struct point *p, size_t series, const struct gb_scale *x,
		     const struct gb_scale *y)
{
	char title[NAME], value[GB_VALUE_MAX], time[GB_TEXT_MAX];

	(void)snprintf(title, sizeof title, "%.40s=%s: %s", p->value->name,
		       gb_axis_text(value, p->value), gb_text_time(time, p->ns.at));
	gb_picture_mark(file, series, gb_scale_at(x, p->x), gb_scale_at(y, p->ns.at), title);
}

static void put_line(FILE *file, const struct line *line, size_t series, const struct gb_scale *x,
		     const struct gb_scale *y)
{
	const struct point *p = line->point;

	(void)fprintf(file, "<path fill=\"%s\" fill-opacity=\".2\" d=\"M",
		      gb_picture_color(series));
	for (size_t i = 0; i < line->count; i++)
		(void)fprintf(file, "%.1f %.1f ", gb_scale_at(x, p[i].x),
			      gb_scale_at(y, p[i].ns.low));
	for (size_t i = line->count; i-- > 0;)
		(void)fprintf(file, "%.1f %.1f ", gb_scale_at(x, p[i].x),
			      gb_scale_at(y, p[i].ns.high));
	(void)fprintf(file,
		      "z\"/><polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" "
		      "stroke-dasharray=\"%s\" points=\"",
		      gb_picture_color(series), gb_picture_dashes(series));
	for (size_t i = 0; i < line->count; i++)
		(void)fprintf(file, "%.1f,%.1f ", gb_scale_at(x, p[i].x),
			      gb_scale_at(y, p[i].ns.at));
	(void)fputs("\"/>\n", file);
	for (size_t i = 0; i < line->count; i++)
		put_mark(file, &p[i], series, x, y);
	(void)fputc('\n', file);
}

/* "time over count, threads=2, type=u64": the x axis and the values that the rows share. */
static void shared_text(const struct gb_section *section, size_t abscissa,
			const struct gb_record *example, char text[NAME])
{
	char value[GB_VALUE_MAX];

	(void)snprintf(text, NAME, "time over %.40s", section->axes.axis[abscissa].name);
	for (size_t i = 0; i < section->axes.count; i++)
		if (i != abscissa && gb_axis_is_point(&section->axes, i))
			gb_text_append(
				text, NAME, ", %.40s=%s", section->axes.axis[i].name,
				gb_axis_text(value, gb_axis_value(&section->axes, i, example)));
}

/* The chart's lines and their names. */
struct picture {
	struct line line[GB_PICTURE_SERIES];
	size_t count;
	size_t left_out; /* rows that did not fit into these lines */
};

static void put_lines(const struct gb_section *section, size_t abscissa, struct picture *picture,
		      const struct gb_record *example)
{
	FILE *file = section->table->sheet->file;
	struct gb_scale x = gb_scale_empty(LEFT, GB_PICTURE_WIDTH - RIGHT),
			y = gb_scale_empty(HEIGHT - BOTTOM, TOP);
	char text[NAME];

	for (size_t i = 0; i < picture->count; i++) {
		struct line *line = &picture->line[i];

		qsort(line->point, line->count, sizeof *line->point, by_x);
		for (size_t k = 0; k < line->count; k++) {
			gb_scale_widen(&x, line->point[k].x);
			gb_scale_widen(&y, line->point[k].ns.low);
			gb_scale_widen(&y, line->point[k].ns.high);
		}
	}
	gb_scale_settle(&x);
	gb_scale_settle(&y);
	shared_text(section, abscissa, example, text);
	gb_picture_open(file, HEIGHT, text);
	gb_scale_print_axis(file, &y, true, true, LEFT, GB_PICTURE_WIDTH - RIGHT);
	gb_scale_print_axis(file, &x, false, false, TOP, HEIGHT - BOTTOM);
	(void)fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
		      (LEFT + GB_PICTURE_WIDTH - RIGHT) / 2, HEIGHT - 8);
	put_text(file, section->axes.axis[abscissa].name);
	(void)fputs("</text>\n", file);
	for (size_t i = 0; i < picture->count; i++)
		put_line(file, &picture->line[i], i, &x, &y);
	(void)fputs("</svg><figcaption>", file);
	put_text(file, text);
	(void)fputs("; bands: 95 % interval of the median\n<ul class=\"legend\">\n", file);
	for (size_t i = 0; i < picture->count; i++)
		gb_picture_legend(file, i, picture->line[i].name);
	(void)fputs("</ul>", file);
	if (picture->left_out)
		(void)fprintf(file, "%zu more rows are in the table only.", picture->left_out);
	(void)fputs("</figcaption></figure>\n", file);
}

static struct point point_of(const struct gb_section *section, size_t abscissa,
			     const struct gb_row *row)
{
	const struct gb_member *value = gb_axis_value(&section->axes, abscissa, row->record);
	struct point p = { value,
			   value && value->kind == GB_VALUE_NUMBER ? value->number : (double)NAN,
			   { NAN, NAN, NAN } };

	(void)gb_row_span(row, &p.ns);
	return p;
}

/* Draw the chart of row `first` and the rows that share it, and mark them in `done`.  Returns false
 * if there was nothing to draw. */
static bool put_picture(const struct gb_section *section, size_t abscissa, size_t first, bool *done)
{
	const struct gb_record *example = section->row[first].record;
	struct picture picture = { 0 };

	for (size_t i = first; i < section->row_count; i++) {
		const struct gb_row *row = &section->row[i];
		const struct point p = point_of(section, abscissa, row);
		struct line *line;
		char name[NAME];

		if (done[i] || !same_picture(section, abscissa, example, row->record))
			continue;
		done[i] = true;
		if (!(p.ns.low > 0) || !(p.x > 0))
			continue;
		line_name(section, row->record, name, sizeof name);
		line = find_line(picture.line, &picture.count, name, section->row_count);
		if (line)
			line->point[line->count++] = p;
		else
			picture.left_out++;
	}
	if (picture.count)
		put_lines(section, abscissa, &picture, example);
	for (size_t i = 0; i < picture.count; i++)
		free(picture.line[i].point);
	return picture.count;
}

void gb_section_print_figures(const struct gb_section *section)
{
	const size_t abscissa = find_abscissa(section);
	bool *done = calloc(section->row_count + 1, sizeof *done);
	size_t pictures = 0, left = 0;

	if (!done)
		return;
	for (size_t i = 0; i < section->row_count && abscissa < section->axes.count; i++) {
		if (done[i])
			continue;
		if (pictures < MAX_FIGURES)
			pictures += put_picture(section, abscissa, i, done);
		else
			left++;
	}
	if (left)
		(void)fprintf(section->table->sheet->file,
			      "<p>%zu more rows are in the table only.</p>\n", left);
	free(done);
}
