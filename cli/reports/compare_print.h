/* compare_print.h -- a comparison for a person, or as JSON for a program. */
#ifndef GPUBENCH_CLI_REPORTS_COMPARE_PRINT_H
#define GPUBENCH_CLI_REPORTS_COMPARE_PRINT_H

#include "cli/reports/compare.h"
#include "cli/reports/grid.h"

/* The table (changes only, unless all) and the count of each verdict. */
enum gb_status gb_comparison_print(FILE *file, const struct gb_comparison *comparison, bool all,
				   enum gb_markup markup, struct gb_error *err);
/* One array. */
enum gb_status gb_comparison_print_json(FILE *file, const struct gb_comparison *comparison,
					struct gb_error *err);

#endif
