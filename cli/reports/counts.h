/* counts.h -- exact counts of records: a table, and the differences between two records.
 *
 * Records have counts if the device can count (the PTX executor).  Counts are deterministic, so two
 * records differ only if the kernels or the compiler do.
 */
#ifndef GPUBENCH_CLI_REPORTS_COUNTS_H
#define GPUBENCH_CLI_REPORTS_COUNTS_H

#include "cli/reports/section.h"

/* True if one of the section's rows has counts. */
bool gb_section_has_counts(const struct gb_section *section);

/* Print a row for each record that has counts and, if it ran several kernels, a row for each
 * kernel, similar to the summary page of a profiler. */
void gb_section_print_counts(const struct gb_section *section);

/* A count that differs between two records; an absent count is 0. */
struct gb_count_change {
	char name[64]; /* "global_load.sectors" */
	double base, new_;
	bool cost; /* a higher count is worse */
};

/* Call `each` for every count of the whole run that differs; stops and returns false if `each`
 * does. */
bool gb_counts_differ(const struct gb_counts *base, const struct gb_counts *new_,
		      bool (*each)(const struct gb_count_change *change, void *closure),
		      void *closure);

#endif
