/* choice.h -- the benchmarks and variants that a command line chooses by --backend and by words. */
#ifndef GPUBENCH_CLI_BENCHMARKS_CHOICE_H
#define GPUBENCH_CLI_BENCHMARKS_CHOICE_H

#include "common/benchmark.h"
#include "common/variants.h"

enum { GB_MAX_WORDS = 64 };

/* A variant is chosen if it matches one of the globs (or there are none) and none of the globs that
 * begin with '!'.  { 0 } chooses everything. */
struct gb_choice {
	unsigned backends; /* bits 1 << GB_CPU ...; 0: all */
	size_t benchmark_count, glob_count;
	const struct gb_benchmark *benchmark[GB_MAX_WORDS]; /* none: all */
	const char *glob[GB_MAX_WORDS];                     /* "cpu/best", "!cuda/lf" */
};

/* Add the words: globs of variants and, if `benchmark` is NULL, names of benchmarks.  GB_EUSAGE for
 * a word that is neither, and if no variant is left. */
enum gb_status gb_choice_read(struct gb_choice *choice, const struct gb_benchmark *benchmark,
			      const char *const *word, size_t count, struct gb_error *err);

bool gb_chosen(const struct gb_choice *choice, const struct gb_variant *variant);

/* True if any variant of the benchmark is chosen. */
bool gb_chosen_any(const struct gb_choice *choice, const struct gb_benchmark *benchmark);

/* True if the command line names this back end, as the only one of
 * --backend or in a glob.  Its absence is then an error, not a skip. */
bool gb_is_explicit(const struct gb_choice *choice, enum gb_backend backend);

/* The back ends with a chosen variant that is in this build, as bits 1 << GB_CUDA ... */
unsigned gb_chosen_backends(const struct gb_choice *choice);

#endif
