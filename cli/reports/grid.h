/* grid.h -- cells in rows and columns, as aligned text, a Markdown or an HTML table.
 *
 * A grid only lays out. If memory runs out, gb_grid_print() reports it.
 */
#ifndef GPUBENCH_CLI_REPORTS_GRID_H
#define GPUBENCH_CLI_REPORTS_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/status.h"

enum gb_tint { GB_PLAIN, GB_GOOD, GB_WARN, GB_BAD };

/* A value, which is positive, and its interval; without one, low and high are the value. */
struct gb_span {
	double low, at, high;
};

struct gb_cell {
	char *text; /* owned; NULL: empty */
	enum gb_tint tint;
	struct gb_span span; /* at 0: none */
};

struct gb_grid {
	size_t columns, rows, room;
	const char *const *title; /* columns of them */
	const bool *left;         /* columns: aligned to the left; NULL: none is */
	struct gb_cell *cell;     /* rows * columns */
	bool *gap;                /* per row: a blank line before it */
	bool spans_are_times;     /* ns; else plain numbers */
	bool failed;              /* memory ran out: the grid is incomplete */
};

enum gb_markup { GB_MARKUP_NONE, GB_MARKUP_MARKDOWN, GB_MARKUP_HTML };

struct gb_grid_style {
	enum gb_markup markup;
	bool color; /* escape sequences; without markup only */
};

/* An empty grid; title and left must outlive it. */
void gb_grid_init(struct gb_grid *grid, size_t columns, const char *const *title, const bool *left);

/* Begin a row. */
void gb_grid_row(struct gb_grid *grid, bool gap);

/* Set a cell of the last row; text is copied. */
void gb_grid_set(struct gb_grid *grid, size_t column, const char *text, enum gb_tint tint);

/* Set a cell of the last row that is drawn on a page, and nowhere else: all spans of a grid are on one
 * logarithmic scale, of times if `spans_are_times`.  text is what the pointer shows. */
void gb_grid_set_span(struct gb_grid *grid, size_t column, struct gb_span span, const char *text);

/* Columns whose cells are all empty are left out.  GB_ERUNTIME if memory ran out somewhere.
 * Errors of the stream are the caller's to look for. */
enum gb_status gb_grid_print(FILE *file, const struct gb_grid *grid,
			     const struct gb_grid_style *style, struct gb_error *err);

void gb_grid_release(struct gb_grid *grid);

/* Print text with '?' for what controls a terminal (gb_text_control()), and what has a meaning in the
 * markup escaped. */
void gb_grid_print_text(FILE *file, const char *text, enum gb_markup markup);

/* For gb_grid_print(): the table on a page (grid_html.c); width is 0 for columns to leave out. */
void gb_grid_print_html(FILE *file, const struct gb_grid *grid, const size_t *width);

#endif
