/* fastest.h -- which variant is the fastest of a benchmark, at how many of its points and by how much. */
#ifndef GPUBENCH_CLI_REPORTS_FASTEST_H
#define GPUBENCH_CLI_REPORTS_FASTEST_H

#include "cli/reports/section.h"

/* The top of a page: a line for each benchmark with a point at which two were measured. */
enum gb_status gb_print_fastest(const struct gb_section *section, size_t count,
				struct gb_error *err);

#endif
