#include "cli/reports/versus_figure.h"

#include <math.h>

#include "cli/reports/grid.h"
#include "cli/reports/scale.h"
#include "common/text.h"

enum { LABEL = 330, WIDTH = 860, ROW = 18, FOOT = 30, MAX_ROWS = 200 };

/* Legible on white and on black. */
static const char *const colors[] = { "#2f7fd1", "#d1622f", "#2f9e6e", "#b05cc4",
				      "#b8860b", "#4fa3c7", "#c2436b", "#7a8288" };

static bool has_speed_up(const struct gb_versus_table *table, const struct gb_versus_row *row)
{
	for (size_t c = 1; c < table->column_count; c++)
		if (!isnan(row->cell[c].speed_up.estimate))
			return true;
	return false;
}

static void put_cell(FILE *file, const struct gb_scale *x, double y, const struct gb_ratio *r,
		     const char *color)
{
	if (isnan(r->estimate))
		return;
	if (!isnan(r->interval.low))
		(void)fprintf(file,
			      "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
			      "stroke-width=\"3\" stroke-opacity=\".5\"/>",
			      gb_scale_at(x, r->interval.low), gb_scale_at(x, r->interval.high), y,
			      y, color);
	(void)fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
		      gb_scale_at(x, r->estimate), y, color);
}

static void put_row(FILE *file, const struct gb_versus_table *table,
		    const struct gb_versus_row *row, const struct gb_scale *x, double y)
{
	(void)fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LABEL - 10, y + 4);
	gb_grid_print_text(file, gb_versus_row_name(table, row), GB_MARKUP_HTML);
	(void)fputs(row->hot && table->mixed_caches ? " hot</text>\n" : "</text>\n", file);
	for (size_t c = 1; c < table->column_count; c++)
		put_cell(file, x, y, &row->cell[c].speed_up, colors[(c - 1) % GB_COUNT(colors)]);
}

static void put_caption(FILE *file, const struct gb_versus *v, const struct gb_versus_table *table)
{
	(void)fputs("</svg><figcaption>speed-up over ", file);
	gb_grid_print_text(file, v->name[table->column[0]], GB_MARKUP_HTML);
	for (size_t c = 1; c < table->column_count; c++) {
		(void)fprintf(file, "%s<span style=\"color:%s\">", c > 1 ? ", " : ": ",
			      colors[(c - 1) % GB_COUNT(colors)]);
		gb_grid_print_text(file, v->name[table->column[c]], GB_MARKUP_HTML);
		(void)fputs("</span>", file);
	}
	(void)fputs("; bars: 95 % interval</figcaption></figure>\n", file);
}

void gb_versus_print_figure(FILE *file, const struct gb_versus *versus,
			    const struct gb_versus_table *table)
{
	struct gb_scale x = gb_scale_empty(LABEL, WIDTH - 20);
	size_t rows = 0, row = 0;
	double height;

	for (size_t i = 0; i < table->row_count; i++) {
		rows += has_speed_up(table, &table->row[i]);
		for (size_t c = 1; c < table->column_count; c++) {
			const struct gb_ratio *r = &table->row[i].cell[c].speed_up;

			gb_scale_widen(&x, r->estimate);
			gb_scale_widen(&x, r->interval.low);
			gb_scale_widen(&x, r->interval.high);
		}
	}
	if (rows == 0 || rows > MAX_ROWS)
		return;
	gb_scale_widen(&x, 1);
	gb_scale_settle(&x);
	height = (double)rows * ROW;
	(void)fprintf(file,
		      "<figure><svg viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
		      "role=\"img\">\n",
		      WIDTH, height + FOOT, WIDTH, height + FOOT);
	gb_scale_print_axis(file, &x, false, false, 0, height);
	for (size_t i = 0; i < table->row_count; i++)
		if (has_speed_up(table, &table->row[i]))
			put_row(file, table, &table->row[i], &x, ((double)row++ + 0.5) * ROW);
	put_caption(file, versus, table);
}
