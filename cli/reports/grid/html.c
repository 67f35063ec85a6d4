/* html.c -- prints a grid as an HTML table.  Tints are classes of the page's style sheet. */
#include "cli/reports/grid/grid.h"

#include "cli/reports/grid/picture.h"
#include "cli/reports/grid/scale.h"

enum {
	SPAN_WIDTH = 220,
	SPAN_HEIGHT = 27, /* height of a table row */
	SPAN_AIR = 22,    /* half the width of a number at an end of the axis */
	AXIS = -2,        /* above the image, so that only its numbers show */
};

static const struct gb_cell *cell_of(const struct gb_grid *grid, size_t row, size_t column)
{
	return &grid->cell[row * grid->columns + column];
}

static bool is_drawn(const struct gb_grid *grid, size_t column)
{
	for (size_t row = 0; row < grid->rows; row++)
		if (cell_of(grid, row, column)->span.at > 0)
			return true;
	return false;
}

/* The scale of all spans; if they are not times, it includes 1. */
static struct gb_scale find_scale(const struct gb_grid *grid)
{
	struct gb_scale x = gb_scale_empty(SPAN_AIR, SPAN_WIDTH - SPAN_AIR);

	for (size_t i = 0; i < grid->rows * grid->columns; i++) {
		gb_scale_widen(&x, grid->cell[i].span.low);
		gb_scale_widen(&x, grid->cell[i].span.at);
		gb_scale_widen(&x, grid->cell[i].span.high);
	}
	if (!grid->spans_are_times)
		gb_scale_widen(&x, 1);
	gb_scale_settle(&x);
	return x;
}

static void open_span(FILE *file)
{
	(void)fprintf(file, "<svg width=\"%d\" height=\"%d\"", SPAN_WIDTH, SPAN_HEIGHT);
}

/* The numbers of the axis, in the title of its column. */
static void print_axis(FILE *file, const struct gb_grid *grid, const struct gb_scale *x)
{
	open_span(file);
	(void)fputs(" aria-hidden=\"true\">", file);
	gb_scale_print_axis(file, x, false, grid->spans_are_times, AXIS, AXIS);
	(void)fputs("</svg>", file);
}

/* The ticks cross the whole row. */
static void print_span(FILE *file, const struct gb_cell *cell, const struct gb_scale *x)
{
	const double y = SPAN_HEIGHT / 2.0;
	double tick = 0;

	open_span(file);
	(void)fputs(" role=\"img\" aria-label=\"", file);
	gb_grid_print_text(file, cell->text, GB_FORMAT_HTML);
	(void)fputs("\"><path class=\"rule\" d=\"", file);
	while (gb_scale_tick(x, 48, &tick))
		(void)fprintf(file, "M%.1f 0v%d", gb_scale_at(x, tick), SPAN_HEIGHT);
	(void)fprintf(file,
		      "\"/><line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
		      "stroke-width=\"3\" stroke-opacity=\".5\"/>",
		      gb_scale_at(x, cell->span.low), gb_scale_at(x, cell->span.high), y, y,
		      gb_picture_color(0));
	gb_picture_mark(file, 0, gb_scale_at(x, cell->span.at), y, cell->text);
	(void)fputs("</svg>", file);
}

static const char *side_of(const struct gb_grid *grid, size_t column)
{
	return grid->column[column].left ? "left" : "right";
}

static void print_titles(FILE *file, const struct gb_grid *grid, const size_t *width,
			 const struct gb_scale *x)
{
	(void)fputs("<thead><tr>", file);
	for (size_t i = 0; i < grid->columns; i++) {
		const bool drawn = width[i] && is_drawn(grid, i);

		if (width[i] == 0)
			continue;
		(void)fprintf(file, "<th scope=\"col\" class=\"%s\">",
			      drawn ? "span" : side_of(grid, i));
		if (drawn)
			print_axis(file, grid, x);
		else
			gb_grid_print_text(file, grid->column[i].title, GB_FORMAT_HTML);
		(void)fputs("</th>", file);
	}
	(void)fputs("</tr></thead>\n<tbody>\n", file);
}

static void print_cell(FILE *file, const struct gb_grid *grid, size_t row, size_t column,
		       const struct gb_scale *x)
{
	static const char *const tints[] = { [GB_PLAIN] = "",
					     [GB_GOOD] = " good",
					     [GB_WARN] = " warn",
					     [GB_BAD] = " bad",
					     [GB_BEST] = " good" };
	const struct gb_cell *cell = cell_of(grid, row, column);

	if (cell->span.at > 0) {
		(void)fputs("<td class=\"span\">", file);
		print_span(file, cell, x);
	} else {
		(void)fprintf(file, "<td class=\"%s%s\">", side_of(grid, column),
			      tints[cell->tint]);
		gb_grid_print_text(file, cell->text ? cell->text : "", GB_FORMAT_HTML);
	}
	(void)fputs("</td>", file);
}

void gb_grid_print_html(FILE *file, const struct gb_grid *grid, const size_t *width)
{
	const struct gb_scale x = find_scale(grid);

	(void)fputs("<div class=\"wide\"><table>\n", file);
	print_titles(file, grid, width, &x);
	for (size_t row = 0; row < grid->rows; row++) {
		(void)fputs(grid->gap[row] ? "<tr class=\"gap\">" : "<tr>", file);
		for (size_t i = 0; i < grid->columns; i++)
			if (width[i])
				print_cell(file, grid, row, i, &x);
		(void)fputs("</tr>\n", file);
	}
	(void)fputs("</tbody></table></div>\n", file);
}
