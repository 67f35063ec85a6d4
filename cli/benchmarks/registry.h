/* registry.h -- the list of benchmarks; each has one line in benchmarks.def.
 *
 * This folder defines the benchmarks.  Each has a file or folder with its parameters, input, work,
 * verifier and reference.  value.h reads and writes parameter values.  The folder may use datasets
 * and common, but no other folder of cli.
 */
#ifndef GPUBENCH_CLI_BENCHMARKS_REGISTRY_H
#define GPUBENCH_CLI_BENCHMARKS_REGISTRY_H

#include "common/benchmark.h"

#define BENCHMARK(name) extern const struct gb_benchmark gb_##name##_benchmark;
#include "cli/benchmarks/benchmarks.def"
#undef BENCHMARK

extern const struct gb_benchmark *const gb_benchmarks[];
extern const size_t gb_benchmark_count;

/* The benchmark of that name, or NULL. */
const struct gb_benchmark *gb_benchmark_find(const char *name);

/* "file" if the parameter `file` is given, else "generated".  A record's "input" is this, unless it
 * is "generated". */
const char *gb_benchmark_source(const struct gb_benchmark *benchmark, const void *params);

/* True if a word that is wrong where it stands names a file, and the benchmark has --file. */
bool gb_names_file(const struct gb_benchmark *benchmark, const char *word);

/* True if a glob (fnmatch) matches one of a variant's names: "radix/cpu/best", "cpu/best" or
 * "best". */
bool gb_variant_matches(const struct gb_variant *variant, const char *glob);

#endif
