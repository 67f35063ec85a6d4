/* counts.h -- exact counts of records: as a table, and what differs between two of them.
 *
 * Records have them where the device can count (the PTX executor); they are the same every time, so
 * that two differ only if the kernels or the compiler do.
 */
#ifndef GPUBENCH_CLI_REPORTS_COUNTS_H
#define GPUBENCH_CLI_REPORTS_COUNTS_H

#include "cli/reports/section.h"

/* Whether one of the section's rows has counts. */
bool gb_section_has_counts(const struct gb_section *section);

/* A row for each record that has counts, and one for each of its kernels if they are several: what
 * the first page of a profiler shows. */
void gb_section_print_counts(const struct gb_section *section);

/* A count that two records do not agree on; a count that is absent is 0. */
struct gb_count_change {
	char name[64]; /* "global_load.sectors" */
	double base, new_;
	bool cost; /* more of it is worse */
};

/* Call `each` for every sum over a run that differs; false if it once returned false. */
bool gb_counts_differ(const struct gb_counts *base, const struct gb_counts *new_,
		      bool (*each)(const struct gb_count_change *change, void *closure),
		      void *closure);

#endif
