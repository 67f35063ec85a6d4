/* html.h -- a grid as a table of a page. */
#ifndef GPUBENCH_CLI_REPORTS_GRID_HTML_H
#define GPUBENCH_CLI_REPORTS_GRID_HTML_H

#include "cli/reports/grid/grid.h"

/* Columns whose width is 0 are left out. */
void gb_grid_print_html(FILE *file, const struct gb_grid *grid, const size_t *width);

#endif
