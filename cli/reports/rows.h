/* rows.h -- the rows of a section as a table. */
#ifndef GPUBENCH_CLI_REPORTS_ROWS_H
#define GPUBENCH_CLI_REPORTS_ROWS_H

#include "cli/reports/section.h"

/* Print it; sets *marked if a fastest row is marked with a star. */
enum gb_status gb_section_print_rows(const struct gb_section *section, bool *marked,
				     struct gb_error *err);

#endif
