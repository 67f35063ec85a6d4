/* chart.h -- the chart of a benchmark on a page: time over a parameter. */
#ifndef GPUBENCH_CLI_REPORTS_CHART_H
#define GPUBENCH_CLI_REPORTS_CHART_H

#include "cli/reports/section.h"

/* Print a <figure> with a line per variant; nothing if no numeric parameter has three values. */
void gb_section_print_chart(const struct gb_section *section);

#endif
