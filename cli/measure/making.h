/* making.h -- makes the input of a point. */
#ifndef GPUBENCH_CLI_MEASURE_MAKING_H
#define GPUBENCH_CLI_MEASURE_MAKING_H

#include "common/workload.h"

/* workload->prepare(), which a signal ends as interrupt.h says: GB_EINTERRUPTED, and no input. */
enum gb_status gb_make_input(const struct gb_workload *workload, const void *params, void **input,
			     struct gb_error *err);

#endif
