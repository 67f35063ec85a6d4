/* print.h -- prints a comparison as a report. */
#ifndef GPUBENCH_CLI_REPORTS_COMPARE_PRINT_H
#define GPUBENCH_CLI_REPORTS_COMPARE_PRINT_H

#include "cli/reports/compare/compare.h"
#include "cli/reports/grid/grid.h"

/* Format the evidence for the verdict in one line: the ratio, or why there is none.  Returns
 * text. */
const char *gb_change_text(const struct gb_change *change, char *text, size_t size);

/* Print the differences in setup, the keys, the counts that changed and the number of each verdict.
 * Formats for people show only keys that changed, unless `all` is true. */
enum gb_status gb_comparison_print(FILE *file, const struct gb_comparison *comparison, bool all,
				   enum gb_format format, struct gb_error *err);

#endif
