/* print.h -- a comparison for a person, or as JSON for a program. */
#ifndef GPUBENCH_CLI_REPORTS_COMPARE_PRINT_H
#define GPUBENCH_CLI_REPORTS_COMPARE_PRINT_H

#include "cli/reports/compare/compare.h"
#include "cli/reports/grid/grid.h"

enum { GB_COMPARISON_SCHEMA = 1 }; /* results/gpubench-comparison-1.schema.json */

/* What the verdict rests on, in one line: the ratio, or why there is none.  Returns text. */
const char *gb_change_text(const struct gb_change *change, char *text, size_t size);

/* In what the sides differ, the table (changes only, unless all) and the count of each verdict. */
enum gb_status gb_comparison_print(FILE *file, const struct gb_comparison *comparison, bool all,
				   enum gb_markup markup, struct gb_error *err);
/* One object. */
enum gb_status gb_comparison_print_json(FILE *file, const struct gb_comparison *comparison,
					struct gb_error *err);

#endif
