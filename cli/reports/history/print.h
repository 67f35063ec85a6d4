/* print.h -- a history for a person, as JSON for a program, or as a page with a chart per
 * series. */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_PRINT_H
#define GPUBENCH_CLI_REPORTS_HISTORY_PRINT_H

#include "cli/reports/grid/grid.h"
#include "cli/reports/history/history.h"

enum { GB_HISTORY_SCHEMA = 1 }; /* results/gpubench-history-1.schema.json */

/* A line per series, then each failure and the number of each verdict; markup none or Markdown. */
enum gb_status gb_history_print(FILE *file, const struct gb_history *history, enum gb_markup markup,
				struct gb_error *err);
/* One object. */
enum gb_status gb_history_print_json(FILE *file, const struct gb_history *history,
				     struct gb_error *err);
/* One page that needs nothing else (page.c). */
enum gb_status gb_history_print_page(FILE *file, const struct gb_history *history,
				     struct gb_error *err);

/* The table and what stands below it, in any markup; for the page, too. */
enum gb_status gb_history_print_tables(FILE *file, const struct gb_history *history,
				       enum gb_markup markup, struct gb_error *err);

/* "+12.3 %, +10.1 to +14.2": a shift for a person.  Returns text. */
enum { GB_SHIFT_TEXT = 80 };
char *gb_shift_text(char text[GB_SHIFT_TEXT], const struct gb_shift *shift);

#endif
