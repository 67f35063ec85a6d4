/* grid.h -- cells in rows and columns, to be laid out by gb_grid_print() (grid/print.h), which also
 * reports it if memory ran out.
 */
#ifndef GPUBENCH_CLI_REPORTS_GRID_GRID_H
#define GPUBENCH_CLI_REPORTS_GRID_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/status.h"

enum gb_tint { GB_PLAIN, GB_GOOD, GB_WARN, GB_BAD, GB_BEST /* the fastest at its point */ };

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

enum gb_markup { GB_MARKUP_NONE, GB_MARKUP_MARKDOWN, GB_MARKUP_HTML, GB_MARKUP_LATEX };

/* An empty grid; title and left must outlive it. */
void gb_grid_init(struct gb_grid *grid, size_t columns, const char *const *title, const bool *left);

/* Begin a row. */
void gb_grid_row(struct gb_grid *grid, bool gap);

/* Set a cell of the last row; text is copied. */
void gb_grid_set(struct gb_grid *grid, size_t column, const char *text, enum gb_tint tint);

/* Set a cell of the last row that is drawn on a page, and nowhere else: all spans of a grid are on one
 * logarithmic scale, of times if `spans_are_times`.  text is what the pointer shows. */
void gb_grid_set_span(struct gb_grid *grid, size_t column, struct gb_span span, const char *text);

void gb_grid_release(struct gb_grid *grid);

/* Print text with '?' for what controls a terminal (gb_text_control()), and what has a meaning in the
 * markup escaped. */
void gb_grid_print_text(FILE *file, const char *text, enum gb_markup markup);

#endif
