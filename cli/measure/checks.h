/* checks.h -- checks before a measurement: the files that it writes, the memory that it takes. */
#ifndef GPUBENCH_CLI_MEASURE_CHECKS_H
#define GPUBENCH_CLI_MEASURE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/measure/request.h"
#include "cli/measure/result.h"

/* GB_EUSAGE if a file to be written, including the output, is also read, or if a picture or graph
 * exists without --overwrite or --resume. */
enum gb_status gb_check_paths(const struct gb_request *request, const struct gb_sweep *sweep,
			      struct gb_error *err);

/* The memory that a measurement would take.  To find it, everything is allocated and nothing
 * touched. */
struct gb_need {
	size_t host_bytes, device_bytes; /* peak, including the input */
};

/* Compute the need of a measurement.  The input must have been prepared in dry mode
 * (gb_memory_set_dry()), which must still be on.  GB_EUNAVAILABLE or GB_EMEMORY, with the reason,
 * if the point would be skipped. */
enum gb_status gb_need_of(struct gb_need *need, const struct gb_result *result, const void *input,
			  struct gb_error *err);

/* Check that a need can be met by the GPU's device_bytes (0: unknown) and, unless the input is
 * already made, by the free host memory.  GB_EMEMORY, with both numbers, if it cannot. */
enum gb_status gb_need_met(const struct gb_need *need, bool made, uint64_t device_bytes,
			   struct gb_error *err);

/* True if there is enough memory for the input of the point, unless it is made, and for what the
 * variant allocates, or if the need is unknown: the input is a large file, or the parameters
 * contradict each other.  `device_bytes` as above. */
bool gb_fits(const struct gb_result *result, bool made, uint64_t device_bytes,
	     struct gb_error *why);

#endif
