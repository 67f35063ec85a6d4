/* print.h -- machines side by side as a report. */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_PRINT_H
#define GPUBENCH_CLI_REPORTS_VERSUS_PRINT_H

#include "cli/reports/versus/versus.h"

/* Cells show one of these to people; programs get both. */
enum gb_versus_show { GB_SHOW_TIME, GB_SHOW_RATE };

/* People get a table for each benchmark and back end, programs a line for each cell; records: those
 * that it was made of. */
enum gb_status gb_versus_print(FILE *file, const struct gb_versus *versus,
			       const struct gb_records *records, enum gb_versus_show show,
			       enum gb_format format, struct gb_error *err);

#endif
