/* fastest.h -- the fastest variant of each benchmark, at how many points and by how much. */
#ifndef GPUBENCH_CLI_REPORTS_FASTEST_H
#define GPUBENCH_CLI_REPORTS_FASTEST_H

#include "cli/reports/section.h"

/* Print the top of a page: a line for each benchmark that has a point with two times. */
enum gb_status gb_print_fastest(const struct gb_section *section, size_t count,
				struct gb_error *err);

#endif
