/* registry.h -- the list of workloads; adding one is a line in workloads.def.
 *
 * The room: what a benchmark is.  A file or folder per benchmark with its parameters, its input,
 * its work, its verifier and reference; value.h reads and writes parameter values.  May use
 * datasets and common, none of the other rooms of cli.
 */
#ifndef GPUBENCH_CLI_WORKLOADS_REGISTRY_H
#define GPUBENCH_CLI_WORKLOADS_REGISTRY_H

#include "common/workload.h"

#define WORKLOAD(name) extern const struct gb_workload gb_##name##_workload;
#include "cli/workloads/workloads.def"
#undef WORKLOAD

extern const struct gb_workload *const gb_workloads[];
extern const size_t gb_workload_count;

/* NULL if there is none of that name. */
const struct gb_workload *gb_workload_find(const char *name);

/* The record's "input.source": what the workload says; else "file" if its parameter of that name is
 * given, else "generated". */
const char *gb_workload_source(const struct gb_workload *workload, const void *params);

/* Whether a glob (fnmatch) matches "radix/cpu/best", "cpu/best" or "best", which the variant is called. */
bool gb_variant_matches(const struct gb_variant *variant, const char *glob);

#endif
