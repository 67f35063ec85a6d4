/* plan.h -- --dry-run: prints what would be measured, and the memory that it would take. */
#ifndef GPUBENCH_CLI_MEASURE_PLAN_H
#define GPUBENCH_CLI_MEASURE_PLAN_H

#include "cli/measure/checks.h"

struct gb_plan {
	size_t measurements, skipped;
	struct gb_need largest;
};

/* Print the line of a measurement with that key: its need or, if `why` has a code, why it would be
 * skipped. */
void gb_plan_print(struct gb_plan *plan, const char *key, const struct gb_need *need,
		   const struct gb_error *why);

/* Print the totals of each of `runs` repetitions. */
void gb_plan_total(const struct gb_plan *plan, int64_t runs);

#endif
