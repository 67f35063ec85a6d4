/* rows.h -- prints the rows of a section as a table. */
#ifndef GPUBENCH_CLI_REPORTS_ROWS_H
#define GPUBENCH_CLI_REPORTS_ROWS_H

#include "cli/reports/section.h"

/* Print the table.  Returns true if a fastest row is marked with a star. */
bool gb_section_print_rows(const struct gb_section *section);

#endif
