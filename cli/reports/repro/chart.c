/* chart.c -- a chart of a paper's table, as SVG inside a page.
 *
 * It shows the columns that have the unit of the first column with a value: as published, hollow
 * and dashed, and measured here, filled.  The x axis is the first key that is a number and differs
 * from row to row; without one it has the rows, in their order.  Lines join values over a number,
 * unless a key in words differs too.  A table of one row has no chart.
 */
#include <math.h>
#include <stdlib.h>

#include "cli/reports/grid/picture.h"
#include "cli/reports/grid/scale.h"
#include "cli/reports/repro/repro.h"
#include "common/text.h"

enum { HEIGHT = 260, LEFT = 60, RIGHT = 8, TOP = 10, BOTTOM = 44 };

struct chart {
	FILE *file;
	const struct gb_repro *t;
	const char *unit;
	size_t key; /* column of the x axis; t->columns: the rows */
	bool lines;
	struct gb_scale x, y;
};

static bool is_key(const struct gb_repro *t, size_t c)
{
	return gb_equal(t->column[c].role, "key");
}

static const struct gb_repro_cell *cell_of(const struct gb_repro *t, size_t row, size_t c)
{
	return &t->cell[row * t->columns + c];
}

static bool has_value(const struct gb_repro *t, size_t c)
{
	for (size_t r = 0; r < t->rows; r++)
		if (cell_of(t, r, c)->here > 0 || cell_of(t, r, c)->published > 0)
			return true;
	return false;
}

static bool is_drawn(const struct chart *chart, size_t c)
{
	return !is_key(chart->t, c) && gb_same(chart->t->column[c].unit, chart->unit) &&
	       has_value(chart->t, c);
}

/* True if the key is a positive number that differs from row to row. */
static bool is_abscissa(const struct gb_repro *t, size_t c)
{
	for (size_t r = 0; r < t->rows; r++) {
		const double value = cell_of(t, r, c)->published;

		if (!is_key(t, c) || t->column[c].is_text || !(value > 0))
			return false;
		for (size_t k = 0; k < r; k++)
			if (!(fabs(cell_of(t, k, c)->published - value) > 0))
				return false;
	}
	return true;
}

/* True if a key in words differs from row to row. */
static bool words_differ(const struct gb_repro *t)
{
	for (size_t c = 0; c < t->paper_columns; c++)
		for (size_t r = 1; r < t->rows && is_key(t, c) && t->column[c].is_text; r++)
			if (!gb_same(cell_of(t, r, c)->text, cell_of(t, 0, c)->text))
				return true;
	return false;
}

/* False if there is nothing to draw. */
static bool prepare(struct chart *chart)
{
	const struct gb_repro *t = chart->t;
	size_t first = 0;

	while (first < t->columns && (is_key(t, first) || !has_value(t, first)))
		first++;
	if (first == t->columns || t->rows < 2)
		return false;
	chart->unit = t->column[first].unit;
	while (chart->key < t->columns && !is_abscissa(t, chart->key))
		chart->key++;
	chart->lines = chart->key < t->columns && !words_differ(t);
	for (size_t i = 0; i < t->rows * t->columns; i++) {
		const struct gb_repro_cell *cell = &t->cell[i];

		if (!is_drawn(chart, i % t->columns))
			continue;
		gb_scale_widen(&chart->y, cell->here);
		gb_scale_widen(&chart->y, cell->low);
		gb_scale_widen(&chart->y, cell->high);
		gb_scale_widen(&chart->y, cell->published);
	}
	for (size_t r = 0; r < t->rows && chart->key < t->columns; r++)
		gb_scale_widen(&chart->x, cell_of(t, r, chart->key)->published);
	gb_scale_settle(&chart->x);
	gb_scale_settle(&chart->y);
	return true;
}

static double x_of(const struct chart *chart, size_t row)
{
	if (chart->key < chart->t->columns)
		return gb_scale_at(&chart->x, cell_of(chart->t, row, chart->key)->published);
	return LEFT +
	       (GB_PICTURE_WIDTH - RIGHT - LEFT) * ((double)row + 0.5) / (double)chart->t->rows;
}

static double y_of(const struct chart *chart, double value)
{
	return gb_scale_at(&chart->y, value);
}

static void put_text(FILE *file, const char *text)
{
	gb_grid_print_text(file, text ? text : "", GB_FORMAT_HTML);
}

/* The number of each row, in place of an axis. */
static void put_rows(const struct chart *chart)
{
	for (size_t r = 0; r < chart->t->rows; r++)
		(void)fprintf(chart->file,
			      "<text class=\"soft\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%zu"
			      "</text>\n",
			      x_of(chart, r), HEIGHT - BOTTOM + 16, r + 1);
}

static void put_axes(const struct chart *chart)
{
	const bool number = chart->key < chart->t->columns;

	gb_scale_print_axis(chart->file, &chart->y, true, false, LEFT, GB_PICTURE_WIDTH - RIGHT);
	if (number)
		gb_scale_print_axis(chart->file, &chart->x, false, false, TOP, HEIGHT - BOTTOM);
	else
		put_rows(chart);
	(void)fprintf(chart->file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
		      (LEFT + GB_PICTURE_WIDTH - RIGHT) / 2, HEIGHT - 8);
	put_text(chart->file, number ? chart->t->column[chart->key].name : "row of the table");
	(void)fputs("</text>\n", chart->file);
}

static double value_of(const struct gb_repro_cell *cell, bool published)
{
	return published ? cell->published : cell->here;
}

static void put_line(const struct chart *chart, size_t c, size_t series, bool published)
{
	(void)fprintf(chart->file, "<polyline fill=\"none\" stroke=\"%s\"%s points=\"",
		      gb_picture_color(series), published ? " stroke-dasharray=\"2 3\"" : "");
	for (size_t r = 0; r < chart->t->rows; r++) {
		const double value = value_of(cell_of(chart->t, r, c), published);

		if (value > 0)
			(void)fprintf(chart->file, "%.1f,%.1f ", x_of(chart, r),
				      y_of(chart, value));
	}
	(void)fputs("\"/>\n", chart->file);
}

/* "cpu_s, 10000: published 0.0040" */
static void put_marks(const struct chart *chart, size_t c, size_t series, bool published)
{
	for (size_t r = 0; r < chart->t->rows; r++) {
		const struct gb_repro_cell *cell = cell_of(chart->t, r, c);
		const double value = value_of(cell, published);
		const char *key = gb_repro_printed(cell_of(chart->t, r, 0));
		char number[40], title[220];

		if (!(value > 0))
			continue;
		(void)snprintf(number, sizeof number, "%.4g", value);
		(void)snprintf(title, sizeof title, "%.60s, %.40s: %s %.40s %.20s",
			       chart->t->column[c].name, key ? key : "",
			       published ? "published" : "here",
			       published ? gb_repro_printed(cell) : number,
			       chart->unit ? chart->unit : "");
		if (!published) {
			if (cell->low > 0)
				(void)fprintf(chart->file,
					      "<path stroke=\"%s\" d=\"M%.1f %.1fV%.1f\"/>",
					      gb_picture_color(series), x_of(chart, r),
					      y_of(chart, cell->low), y_of(chart, cell->high));
			gb_picture_mark(chart->file, series, x_of(chart, r), y_of(chart, value),
					title);
			continue;
		}
		(void)fprintf(chart->file,
			      "<circle fill=\"none\" stroke=\"%s\" cx=\"%.1f\" cy=\"%.1f\" "
			      "r=\"4.5\"><title>",
			      gb_picture_color(series), x_of(chart, r), y_of(chart, value));
		put_text(chart->file, title);
		(void)fputs("</title></circle>\n", chart->file);
	}
}

static void put_legend(const struct chart *chart)
{
	size_t series = 0;

	(void)fputs("</svg><figcaption>", chart->file);
	put_text(chart->file, chart->unit ? chart->unit : "value");
	(void)fputs("; hollow: published, filled: here with the 95 % interval\n"
		    "<ul class=\"legend\">\n",
		    chart->file);
	for (size_t c = 0; c < chart->t->columns; c++)
		if (is_drawn(chart, c))
			gb_picture_legend(chart->file, series++, chart->t->column[c].name);
	(void)fputs("</ul></figcaption></figure>\n", chart->file);
}

void gb_repro_chart(struct gb_sheet *sheet, const struct gb_repro *t)
{
	struct chart chart = { .file = sheet->file,
			       .t = t,
			       .x = gb_scale_empty(LEFT, GB_PICTURE_WIDTH - RIGHT),
			       .y = gb_scale_empty(HEIGHT - BOTTOM, TOP) };
	size_t series = 0;

	if (sheet->format != GB_FORMAT_HTML || !prepare(&chart))
		return;
	gb_picture_open(chart.file, HEIGHT, gb_json_text(t->table, "title"));
	put_axes(&chart);
	for (size_t c = 0; c < t->columns; c++) {
		if (!is_drawn(&chart, c))
			continue;
		for (int published = 0; published < 2; published++) {
			if (chart.lines)
				put_line(&chart, c, series, published);
			put_marks(&chart, c, series, published);
		}
		series++;
	}
	put_legend(&chart);
}
