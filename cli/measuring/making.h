/* making.h -- makes the input of a point so that a signal need not wait for it. */
#ifndef GPUBENCH_CLI_MEASURING_MAKING_H
#define GPUBENCH_CLI_MEASURING_MAKING_H

#include <stdbool.h>

#include "common/workload.h"

/* workload->prepare() in a thread of its own.  GB_EINTERRUPTED as soon as gb_interrupted is set:
 * the thread is then left alone, with its memory, until the process ends. */
enum gb_status gb_make_input(const struct gb_workload *workload, const void *params, void **input,
			     struct gb_error *err);

/* True if a thread was left alone: the process must end by _exit(). */
bool gb_making_was_left(void);

#endif
