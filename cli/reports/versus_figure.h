/* versus_figure.h -- a picture of the speed-ups of a table, for a page. */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_FIGURE_H
#define GPUBENCH_CLI_REPORTS_VERSUS_FIGURE_H

#include <stdio.h>

#include "cli/reports/versus.h"

/* Each row's speed-ups over the first column with their intervals, as SVG; nothing if no row has
 * one, or more than 200 have. */
void gb_versus_print_figure(FILE *file, const struct gb_versus *versus,
			    const struct gb_versus_table *table);

#endif
