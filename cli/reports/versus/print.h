/* print.h -- prints machines side by side as a report. */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_PRINT_H
#define GPUBENCH_CLI_REPORTS_VERSUS_PRINT_H

#include "cli/reports/versus/versus.h"

/* The value that cells show to people; programs get both. */
enum gb_versus_show { GB_SHOW_TIME, GB_SHOW_RATE };

/* Print a table for each benchmark and back end or, for programs, a line for each cell.  records:
 * the records that `versus` was made from. */
enum gb_status gb_versus_print(FILE *file, const struct gb_versus *versus,
			       const struct gb_records *records, enum gb_versus_show show,
			       enum gb_format format, struct gb_error *err);

#endif
