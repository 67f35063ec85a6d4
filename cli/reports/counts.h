/* counts.h -- the differences between the exact counts of two records.
 *
 * Records have counts if the device can count (the PTX executor).  Counts are deterministic, so two
 * records differ only if the kernels or the compiler do.
 */
#ifndef GPUBENCH_CLI_REPORTS_COUNTS_H
#define GPUBENCH_CLI_REPORTS_COUNTS_H

#include "cli/records/record.h"

/* The kernel's name without return type, namespaces and parameters, abridged.  Returns text. */
enum { GB_KERNEL_TEXT = 54 };
char *gb_kernel_text(const char *kernel, char text[GB_KERNEL_TEXT]);

/* A count that differs between two records; an absent count is 0. */
struct gb_count_change {
	const char *kernel; /* NULL: of the whole run */
	char name[64];      /* "global_load.sectors" */
	double base, new_;
	bool cost; /* a higher count is worse */
	bool main; /* instructions, sectors or wavefronts */
};

enum gb_count_word { GB_COUNT_CHANGED, GB_COUNT_BETTER, GB_COUNT_WORSE };

/* The verdict on a change.  Growth by at most the tolerance, a fraction, is only a change.  Above
 * 0, only the main counts can be worse: others are often so small that one more is many percent. */
enum gb_count_word gb_count_judge(const struct gb_count_change *change, double tolerance);

/* Call `each` for every count of the whole run that differs, then for the main counts of each
 * kernel that both records have; a kernel of one record only shows in the whole run. */
void gb_counts_differ(const struct gb_record *base, const struct gb_record *new_,
		      void (*each)(const struct gb_count_change *change, void *closure),
		      void *closure);

#endif
