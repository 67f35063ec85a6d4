/* figures.c -- pictures of a section's rows, as SVG inside a page.
 *
 * If a numeric parameter has three values or more, it is the abscissa: one picture for each
 * combination of the other parameters, a line per variant, both axes logarithmic, the interval of
 * the median as a band.  Otherwise each row is a dot on a logarithmic axis of time, with its
 * interval.  Times of the emulator are in neither.
 */
#include "cli/reports/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/reports/scale.h"
#include "common/text.h"

enum {
	WIDTH = 560,
	HEIGHT = 320,
	LEFT = 64,
	RIGHT = 130, /* for the names of the lines */
	TOP = 12,
	BOTTOM = 44,
	ROW = 18, /* height of a dot's row */
	LABEL = 300,
	MAX_FIGURES = 24,
	MAX_LINES = 16,
	MIN_VALUES = 3,
};

/* Legible on white and on black. */
static const char *const colors[] = { "#2f7fd1", "#d1622f", "#2f9e6e", "#b05cc4",
				      "#b8860b", "#4fa3c7", "#c2436b", "#7a8288" };

/* One row's time, and its interval if it has one. */
struct point {
	double x, ns, low, high;
};

static struct point point_of(const cJSON *record)
{
	const cJSON *interval = gb_json_at(record, "time.ci95");
	struct point p = { NAN, NAN, NAN, NAN };

	if (gb_json_true(record, "emulated"))
		return p;
	p.ns = gb_json_number(record, "time.median");
	p.low = p.high = p.ns;
	if (cJSON_GetArraySize(interval) == 2 && cJSON_IsNumber(interval->child) &&
	    cJSON_IsNumber(interval->child->next)) {
		p.low = interval->child->valuedouble;
		p.high = interval->child->next->valuedouble;
	}
	return p;
}

static void put_text(FILE *file, const char *text)
{
	gb_grid_print_text(file, text, GB_MARKUP_HTML);
}

/* ---- axes --------------------------------------------------------------------------------- */

/* The numeric parameter with the most values, if they are enough; axes.count if there is none. */
static size_t find_abscissa(const struct gb_section *section)
{
	size_t best = section->axes.count, most = MIN_VALUES - 1;

	for (size_t a = 0; a < section->axes.count; a++) {
		size_t values = 0;

		if (!gb_axis_is_point(&section->axes, a) ||
		    !cJSON_IsNumber(section->axes.axis[a].value))
			continue;
		for (size_t i = 0; i < section->row_count; i++) {
			const cJSON *v = gb_axis_value(&section->axes, a, section->row[i].record);
			size_t k = 0;

			if (!cJSON_IsNumber(v) || v->valuedouble <= 0)
				continue;
			while (k < i &&
			       !cJSON_Compare(
				       v, gb_axis_value(&section->axes, a, section->row[k].record),
				       true))
				k++;
			values += k == i;
		}
		if (values > most) {
			most = values;
			best = a;
		}
	}
	return best;
}

/* ---- lines over a parameter --------------------------------------------------------------- */

/* Whether two records differ in no point parameter but the abscissa: they share a picture. */
static bool same_picture(const struct gb_section *section, size_t abscissa, const cJSON *a,
			 const cJSON *b)
{
	for (size_t i = 0; i < section->axes.count; i++) {
		const cJSON *x = gb_axis_value(&section->axes, i, a);
		const cJSON *y = gb_axis_value(&section->axes, i, b);

		if (i != abscissa && gb_axis_is_point(&section->axes, i) &&
		    !(x && y && cJSON_Compare(x, y, true)))
			return false;
	}
	return true;
}

/* "cpu/best, threads=2": a variant and the parameters that only some variants have. */
static void line_name(const struct gb_section *section, const cJSON *record, char *text,
		      size_t size)
{
	char value[GB_VALUE_MAX];
	size_t used = (size_t)snprintf(text, size, "%.60s/%.60s", gb_json_text(record, "backend"),
				       gb_json_text(record, "variant"));

	for (size_t i = 0; i < section->axes.count; i++) {
		const cJSON *v = gb_axis_value(&section->axes, i, record);

		if (section->axes.axis[i].varies && !gb_axis_is_point(&section->axes, i) && v &&
		    used < size)
			used += (size_t)snprintf(text + used, size - used, " %.20s=%.20s",
						 section->axes.axis[i].name,
						 gb_axis_text(value, v));
	}
	if (section->table->run_count > 1 && used < size)
		(void)snprintf(text + used, size - used, " run %zu",
			       gb_table_find_run(section->table, gb_json_text(record, "run_id")));
}

struct line {
	char name[160];
	size_t count;
	struct point *point; /* by x */
};

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

static struct line *find_line(struct line *line, size_t *count, const char *name, size_t room)
{
	size_t i = 0;

	while (i < *count && !gb_equal(line[i].name, name))
		i++;
	if (i == MAX_LINES)
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

static void put_line(FILE *file, const struct line *line, const char *color,
		     const struct gb_scale *x, const struct gb_scale *y)
{
	(void)fprintf(file, "<path fill=\"%s\" fill-opacity=\".2\" d=\"M", color);
	for (size_t i = 0; i < line->count; i++)
		(void)fprintf(file, "%.1f %.1f ", gb_scale_at(x, line->point[i].x),
			      gb_scale_at(y, line->point[i].low));
	for (size_t i = line->count; i-- > 0;)
		(void)fprintf(file, "%.1f %.1f ", gb_scale_at(x, line->point[i].x),
			      gb_scale_at(y, line->point[i].high));
	(void)fprintf(file,
		      "z\"/><polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" "
		      "points=\"",
		      color);
	for (size_t i = 0; i < line->count; i++)
		(void)fprintf(file, "%.1f,%.1f ", gb_scale_at(x, line->point[i].x),
			      gb_scale_at(y, line->point[i].ns));
	(void)fputs("\"/>\n", file);
	for (size_t i = 0; i < line->count; i++)
		(void)fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\" fill=\"%s\"/>",
			      gb_scale_at(x, line->point[i].x), gb_scale_at(y, line->point[i].ns),
			      color);
	(void)fputc('\n', file);
}

/* The names beside the lines' ends, pushed apart where they would lie over each other. */
static void put_names(FILE *file, const struct line *line, size_t count, const struct gb_scale *y)
{
	double last = -INFINITY;
	bool done[MAX_LINES] = { false };

	for (size_t n = 0; n < count; n++) {
		size_t next = count;
		double p;

		for (size_t i = 0; i < count; i++)
			if (!done[i] &&
			    (next == count || line[i].point[line[i].count - 1].ns >
						      line[next].point[line[next].count - 1].ns))
				next = i;
		done[next] = true;
		p = fmax(gb_scale_at(y, line[next].point[line[next].count - 1].ns) + 4, last + 13);
		last = p;
		(void)fprintf(file, "<text x=\"%d\" y=\"%.1f\" style=\"fill:%s\">",
			      WIDTH - RIGHT + 6, p, colors[next % GB_COUNT(colors)]);
		put_text(file, line[next].name);
		(void)fputs("</text>\n", file);
	}
}

static void put_lines(const struct gb_section *section, size_t abscissa, struct line *line,
		      size_t count, const cJSON *example)
{
	FILE *file = section->table->file;
	struct gb_scale x = gb_scale_empty(LEFT, WIDTH - RIGHT),
			y = gb_scale_empty(HEIGHT - BOTTOM, TOP);
	char text[GB_VALUE_MAX];

	for (size_t i = 0; i < count; i++) {
		qsort(line[i].point, line[i].count, sizeof *line[i].point, by_x);
		for (size_t k = 0; k < line[i].count; k++) {
			gb_scale_widen(&x, line[i].point[k].x);
			gb_scale_widen(&y, line[i].point[k].low);
			gb_scale_widen(&y, line[i].point[k].high);
		}
	}
	gb_scale_settle(&x);
	gb_scale_settle(&y);
	(void)fprintf(
		file,
		"<figure><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT);
	gb_scale_print_axis(file, &y, true, true, LEFT, WIDTH - RIGHT);
	gb_scale_print_axis(file, &x, false, false, TOP, HEIGHT - BOTTOM);
	(void)fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
		      (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
	put_text(file, section->axes.axis[abscissa].name);
	(void)fputs("</text>\n", file);
	for (size_t i = 0; i < count; i++)
		put_line(file, &line[i], colors[i % GB_COUNT(colors)], &x, &y);
	put_names(file, line, count, &y);
	(void)fputs("</svg><figcaption>time over ", file);
	put_text(file, section->axes.axis[abscissa].name);
	for (size_t i = 0; i < section->axes.count; i++) {
		if (i == abscissa || !gb_axis_is_point(&section->axes, i))
			continue;
		(void)fputs(", ", file);
		put_text(file, section->axes.axis[i].name);
		(void)fputc('=', file);
		put_text(file, gb_axis_text(text, gb_axis_value(&section->axes, i, example)));
	}
	(void)fputs("; bands: 95 % interval of the median</figcaption></figure>\n", file);
}

/* One picture: the rows that share it with row `first`, marked in done.  Returns whether there was
 * anything to show. */
static bool put_picture(const struct gb_section *section, size_t abscissa, size_t first, bool *done)
{
	const cJSON *example = section->row[first].record;
	struct line line[MAX_LINES] = { 0 };
	size_t count = 0;

	for (size_t i = first; i < section->row_count; i++) {
		const cJSON *record = section->row[i].record;
		const cJSON *x = gb_axis_value(&section->axes, abscissa, record);
		struct point p = point_of(record);
		struct line *l;
		char name[160];

		if (done[i] || !same_picture(section, abscissa, example, record))
			continue;
		done[i] = true;
		if (!(p.ns > 0) || !cJSON_IsNumber(x) || !(x->valuedouble > 0))
			continue;
		line_name(section, record, name, sizeof name);
		l = find_line(line, &count, name, section->row_count);
		p.x = x->valuedouble;
		if (l)
			l->point[l->count++] = p;
	}
	if (count)
		put_lines(section, abscissa, line, count, example);
	for (size_t i = 0; i < count; i++)
		free(line[i].point);
	return count > 0;
}

/* ---- a dot a row -------------------------------------------------------------------------- */

static void dot_name(const struct gb_section *section, const cJSON *record, char *text, size_t size)
{
	char value[GB_VALUE_MAX];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < section->axes.count && used < size; i++) {
		const cJSON *v = gb_axis_value(&section->axes, i, record);

		if (gb_axis_is_point(&section->axes, i) && v)
			used += (size_t)snprintf(text + used, size - used, "%.24s ",
						 gb_axis_text(value, v));
	}
	if (used < size)
		line_name(section, record, text + used, size - used);
}

static void put_dot(const struct gb_section *section, const struct gb_scale *x, double y,
		    const cJSON *record, bool gap)
{
	FILE *file = section->table->file;
	const struct point p = point_of(record);
	const char *color = gb_record_is(record, "backend", "cuda") ? colors[2] : colors[0];
	char name[240];

	if (gap)
		(void)fprintf(file,
			      "<line class=\"rule\" x1=\"0\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
			      WIDTH + LABEL - RIGHT, y - ROW / 2.0, y - ROW / 2.0);
	dot_name(section, record, name, sizeof name);
	(void)fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LABEL - 10, y + 4);
	put_text(file, name);
	(void)fprintf(file,
		      "</text><line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
		      "stroke-width=\"3\" stroke-opacity=\".5\"/><circle cx=\"%.1f\" cy=\"%.1f\" "
		      "r=\"4\" fill=\"%s\"/>\n",
		      gb_scale_at(x, p.low), gb_scale_at(x, p.high), y, y, color,
		      gb_scale_at(x, p.ns), y, color);
}

static void put_dots(const struct gb_section *section)
{
	FILE *file = section->table->file;
	struct gb_scale x = gb_scale_empty(LABEL, WIDTH + LABEL - RIGHT);
	size_t rows = 0, row = 0, last = 0;
	double height;

	for (size_t i = 0; i < section->row_count; i++) {
		const struct point p = point_of(section->row[i].record);

		rows += p.ns > 0;
		gb_scale_widen(&x, p.low);
		gb_scale_widen(&x, p.high);
	}
	if (rows < 2)
		return;
	gb_scale_settle(&x);
	height = (double)rows * ROW;
	(void)fprintf(file,
		      "<figure><svg viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
		      "role=\"img\">\n",
		      WIDTH + LABEL - RIGHT + 20, height + 30, WIDTH + LABEL - RIGHT + 20,
		      height + 30);
	gb_scale_print_axis(file, &x, false, true, 0, height);
	for (size_t i = 0; i < section->row_count; i++) {
		const struct gb_row *r = &section->row[i];

		if (!(point_of(r->record).ns > 0))
			continue;
		put_dot(section, &x, ((double)row + 0.5) * ROW, r->record,
			row > 0 && r->point != last);
		last = r->point;
		row++;
	}
	(void)fputs("</svg><figcaption>median time and its 95 % interval</figcaption></figure>\n",
		    file);
}

void gb_section_print_figures(const struct gb_section *section)
{
	const size_t abscissa = find_abscissa(section);
	bool *done = calloc(section->row_count + 1, sizeof *done);
	size_t pictures = 0, left = 0;

	if (!done)
		return;
	if (abscissa == section->axes.count) {
		put_dots(section);
	} else {
		for (size_t i = 0; i < section->row_count; i++) {
			if (done[i])
				continue;
			if (pictures < MAX_FIGURES)
				pictures += put_picture(section, abscissa, i, done);
			else
				left++;
		}
		if (left)
			(void)fprintf(section->table->file,
				      "<p>%zu more rows are in the table only.</p>\n", left);
	}
	free(done);
}
