/* registry.h -- the list of workloads; adding one is a line in workloads.def.
 *
 * The room: what a benchmark is.  A file or folder per benchmark with its parameters, its input,
 * its work, its verifier and reference; value.h reads and writes parameter values.  May use
 * datasets and common, none of the other rooms of cli.
 */
#ifndef GPUBENCH_CLI_WORKLOADS_REGISTRY_H
#define GPUBENCH_CLI_WORKLOADS_REGISTRY_H

#include "common/workload.h"

extern const struct gb_workload *const gb_workloads[];
extern const size_t gb_workload_count;

/* NULL if there is none of that name. */
const struct gb_workload *gb_workload_find(const char *name);

/* Whether a glob (fnmatch) matches the variant's public name "cpu/best" or its last part. */
bool gb_variant_matches(const struct gb_variant *variant, const char *glob);

#endif
