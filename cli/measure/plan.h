/* plan.h -- what is checked and said before anything is measured: the files that a sweep writes, and
 * the memory that its measurements need.  To know that, everything is allocated and nothing touched;
 * --dry-run prints it, and opens no device.
 */
#ifndef GPUBENCH_CLI_MEASURE_PLAN_H
#define GPUBENCH_CLI_MEASURE_PLAN_H

#include "cli/measure/session.h"

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
enum gb_status gb_need_of(struct gb_need *need, const struct gb_workload *workload,
			  const struct gb_variant *variant, const void *params, const void *input,
			  struct gb_error *err);

/* Check that a need can be met by the GPU's device_bytes (0: unknown) and, unless the input is
 * already made, by the free host memory.  GB_EMEMORY, with both numbers, if it cannot. */
enum gb_status gb_need_met(const struct gb_need *need, bool made, uint64_t device_bytes,
			   struct gb_error *err);

/* Check that the input of a point and the variant's allocations fit, as gb_need_met() does.  GB_OK
 * if the need is unknown: the input is a large file, or the parameters contradict each other. */
enum gb_status gb_need_fits(struct gb_need *need, const struct gb_workload *workload,
			    const struct gb_variant *variant, const void *params, bool made,
			    uint64_t device_bytes, struct gb_error *err);

/* All members but session start as zero. */
struct gb_plan {
	struct gb_session session; /* gb_session_plan() */
	size_t measurements, skipped;
	size_t host_bytes, device_bytes; /* the largest */
};

/* Print a line for each measurement of the sweep to standard output. */
enum gb_status gb_plan_sweep(struct gb_plan *plan, const struct gb_sweep *sweep,
			     const struct gb_choice *choice, struct gb_error *err);

/* Print the totals. */
void gb_plan_total(const struct gb_plan *plan);

#endif
