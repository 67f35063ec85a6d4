/* checks.h -- what is checked before anything is measured: the files that a sweep writes beside its
 * records, and the memory that a measurement would take.  For the latter, everything is allocated
 * and nothing touched.
 */
#ifndef GPUBENCH_CLI_MEASURE_CHECKS_H
#define GPUBENCH_CLI_MEASURE_CHECKS_H

#include "cli/measure/request.h"
#include "cli/measure/sweep.h"

/* GB_EUSAGE if a file to be written, including the output, is also read, or if a picture or graph
 * exists without --overwrite or --resume.  GB_EIO if a file cannot be created. */
enum gb_status gb_paths_check(const struct gb_request *request, const struct gb_sweep *sweep,
			      struct gb_error *err);

struct gb_need {
	size_t host_bytes, device_bytes; /* peak, including the input */
};

/* Compute the need of a variant at a point.  The input must have been prepared in dry mode
 * (gb_memory_set_dry()), which must still be on.  GB_EUNAVAILABLE or GB_EMEMORY, with the reason,
 * if the point would be skipped. */
enum gb_status gb_need_of(struct gb_need *need, const struct gb_benchmark *benchmark,
			  const struct gb_variant *variant, const void *params, const void *input,
			  struct gb_error *err);

/* Check that a need can be met by the GPU's device_bytes (0: unknown) and, unless the input is
 * already made, by the free host memory.  GB_EMEMORY, with both numbers, if it cannot. */
enum gb_status gb_need_met(const struct gb_need *need, bool made, uint64_t device_bytes,
			   struct gb_error *err);

/* Check that the input of a point and the variant's allocations fit, as gb_need_met() does.  GB_OK
 * if the need is unknown: the input is a large file, or the parameters contradict each other. */
enum gb_status gb_need_fits(struct gb_need *need, const struct gb_benchmark *benchmark,
			    const struct gb_variant *variant, const void *params, bool made,
			    uint64_t device_bytes, struct gb_error *err);

#endif
