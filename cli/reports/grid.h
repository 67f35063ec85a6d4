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

struct gb_cell {
	char *text; /* owned; NULL: empty */
	enum gb_tint tint;
};

struct gb_grid {
	size_t columns, rows, room;
	const char *const *title; /* columns of them */
	const bool *left;         /* columns: aligned to the left; NULL: none is */
	struct gb_cell *cell;     /* rows * columns */
	bool *gap;                /* per row: a blank line before it */
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

/* Columns whose cells are all empty are left out.  GB_ERUNTIME if memory ran out somewhere.
 * Errors of the stream are the caller's to look for. */
enum gb_status gb_grid_print(FILE *file, const struct gb_grid *grid,
			     const struct gb_grid_style *style, struct gb_error *err);

void gb_grid_release(struct gb_grid *grid);

/* Print text with '?' for what controls a terminal (gb_text_control()), and what has a meaning in the
 * markup escaped. */
void gb_grid_print_text(FILE *file, const char *text, enum gb_markup markup);

#endif
