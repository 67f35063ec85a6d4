/* need.h -- the memory that a measurement would take: everything is created, and nothing touched. */
#ifndef GPUBENCH_CLI_MEASURING_NEED_H
#define GPUBENCH_CLI_MEASURING_NEED_H

#include <stddef.h>

#include "common/status.h"
#include "common/workload.h"

struct gb_need {
	size_t host_bytes, device_bytes; /* the most at once, the input included */
};

/* Of a variant at a point whose input was prepared while memory was dry (gb_memory_set_dry()), as it
 * still is.  GB_EUNAVAILABLE or GB_EMEMORY, with the reason, if the point would be skipped. */
enum gb_status gb_need_of(struct gb_need *need, const struct gb_workload *workload,
			  const struct gb_variant *variant, const void *params, const void *input,
			  struct gb_error *err);

/* Before a point's input is made: whether it and all that the variant allocates fit the memory that
 * the host has free, and the device_bytes of the GPU (0: unknown).  GB_EMEMORY, with both numbers, if not; GB_OK also where that cannot be known: an input from a file
 * that is not small, parameters that contradict each other. */
enum gb_status gb_need_fits(struct gb_need *need, const struct gb_workload *workload,
			    const struct gb_variant *variant, const void *params,
			    uint64_t device_bytes, struct gb_error *err);

#endif
