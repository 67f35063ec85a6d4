/* print.h -- prints a history as a report. */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_PRINT_H
#define GPUBENCH_CLI_REPORTS_HISTORY_PRINT_H

#include "cli/reports/grid/grid.h"
#include "cli/reports/history/history.h"

/* Print a line for each series, each failure and the number of each verdict.  Programs also get the
 * launches, the shifts and the files that are not used. */
enum gb_status gb_history_print(FILE *file, const struct gb_history *history, enum gb_format format,
				struct gb_error *err);

#endif
