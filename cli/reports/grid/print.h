/* grid/print.h -- a grid as aligned text, a Markdown, an HTML or a LaTeX table (a tabular with the rules
 * of booktabs). */
#ifndef GPUBENCH_CLI_REPORTS_GRID_PRINT_H
#define GPUBENCH_CLI_REPORTS_GRID_PRINT_H

#include "cli/reports/grid/grid.h"

struct gb_grid_style {
	enum gb_markup markup;
	bool color; /* escape sequences; without markup only */
};

/* Columns whose cells are all empty are left out.  GB_ERUNTIME if memory ran out somewhere.
 * Errors of the stream are the caller's to look for. */
enum gb_status gb_grid_print(FILE *file, const struct gb_grid *grid,
			     const struct gb_grid_style *style, struct gb_error *err);

#endif
