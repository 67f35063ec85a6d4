/* print.h -- a history as a report; on a page with a chart for each series. */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_PRINT_H
#define GPUBENCH_CLI_REPORTS_HISTORY_PRINT_H

#include "cli/reports/grid/sheet.h"
#include "cli/reports/history/history.h"

/* Prints a line for each series, each failure and the number of each verdict; programs also get the
 * launches, the shifts and the files that are left out. */
enum gb_status gb_history_print(FILE *file, const struct gb_history *history, enum gb_format format,
				struct gb_error *err);

/* Adds a chart for each series to a page (page.c). */
void gb_history_print_charts(struct gb_sheet *sheet, const struct gb_history *history);

/* "+12.3 %, +10.1 to +14.2": a shift for a person.  Returns text. */
enum { GB_SHIFT_TEXT = 80 };
char *gb_shift_text(char text[GB_SHIFT_TEXT], const struct gb_shift *shift);

#endif
