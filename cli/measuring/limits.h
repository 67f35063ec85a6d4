/* limits.h -- what did not fit: a variant that lacked the memory for one size lacks it for those
 * above, and preparing their inputs may take minutes.
 *
 * One point is above another if no size of it (gb_param.size) is smaller and all else is the same.
 */
#ifndef GPUBENCH_CLI_MEASURING_LIMITS_H
#define GPUBENCH_CLI_MEASURING_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"
#include "common/workload.h"

struct gb_limits {
	size_t count, room;
	struct gb_limit *item;
};

/* The variant lacked memory at params, which are copied. */
enum gb_status gb_limits_add(struct gb_limits *limits, const struct gb_workload *workload,
			     const struct gb_variant *variant, const void *params,
			     struct gb_error *err);

/* Whether params are above a point that did not fit; why is then set to "larger than
 * count=1000000, which did not fit". */
bool gb_limits_exceeded(const struct gb_limits *limits, const struct gb_workload *workload,
			const struct gb_variant *variant, const void *params, char *why,
			size_t size);

void gb_limits_release(struct gb_limits *limits);

#endif
