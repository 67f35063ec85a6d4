/* registry.h -- the list of workloads; each has one line in workloads.def.
 *
 * This folder defines the benchmarks.  Each has a file or folder with its parameters, input, work,
 * verifier and reference.  value.h reads and writes parameter values.  The folder may use datasets
 * and common, but no other folder of cli.
 */
#ifndef GPUBENCH_CLI_BENCHMARKS_REGISTRY_H
#define GPUBENCH_CLI_BENCHMARKS_REGISTRY_H

#include "common/benchmark.h"

#define WORKLOAD(name) extern const struct gb_workload gb_##name##_workload;
#include "cli/benchmarks/benchmarks.def"
#undef WORKLOAD

extern const struct gb_workload *const gb_workloads[];
extern const size_t gb_workload_count;

/* The workload of that name, or NULL. */
const struct gb_workload *gb_workload_find(const char *name);

/* The result of the workload's source() if it has one; else "file" if the parameter `file` is given
 * and "generated" if not.  A record's "input" is this, unless it is "generated". */
const char *gb_workload_source(const struct gb_workload *workload, const void *params);

/* True if a glob (fnmatch) matches one of a variant's names: "radix/cpu/best", "cpu/best" or
 * "best". */
bool gb_variant_matches(const struct gb_variant *variant, const char *glob);

#endif
