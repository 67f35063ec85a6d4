/* charts.h -- draws a chart for each series on the page of a history. */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_CHARTS_H
#define GPUBENCH_CLI_REPORTS_HISTORY_CHARTS_H

#include "cli/reports/grid/sheet.h"
#include "cli/reports/history/history.h"

void gb_history_print_charts(struct gb_sheet *sheet, const struct gb_history *history);

/* A shift as text: "+12.3 %, +10.1 to +14.2".  Returns text. */
enum { GB_SHIFT_TEXT = 80 };
char *gb_shift_text(char text[GB_SHIFT_TEXT], const struct gb_shift *shift);

#endif
