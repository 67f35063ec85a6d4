/* choice.h -- which benchmarks and variants a command line chooses: --backend, and the words. */
#ifndef GPUBENCH_CLI_MEASURING_CHOICE_H
#define GPUBENCH_CLI_MEASURING_CHOICE_H

#include "common/variants.h"
#include "common/workload.h"

enum { GB_MAX_WORDS = 64 };

/* Chosen are the variants that match one of the globs (none: all), and none of those that begin with
 * '!'.  { 0 } chooses everything. */
struct gb_choice {
	unsigned backends; /* bits 1 << GB_CPU ...; 0: all */
	size_t benchmark_count, glob_count;
	const struct gb_workload *benchmark[GB_MAX_WORDS]; /* none: all */
	const char *glob[GB_MAX_WORDS];                    /* "cpu/best", "!cuda/lf" */
};

/* Add the words: globs of variants, and, unless `workload` is the only benchmark, names of
 * benchmarks.  GB_EUSAGE for a word that is neither, and if the globs leave no variant. */
enum gb_status gb_choice_read(struct gb_choice *choice, const struct gb_workload *workload,
			      const char *const *word, size_t count, struct gb_error *err);

bool gb_chosen(const struct gb_choice *choice, const struct gb_variant *variant);

/* Whether a variant of the benchmark is chosen. */
bool gb_chosen_any(const struct gb_choice *choice, const struct gb_workload *workload);

/* Whether the command line names this back end, alone or by a variant: then its absence is an error,
 * not a skip. */
bool gb_is_explicit(const struct gb_choice *choice, enum gb_backend backend);

/* Bits 1 << GB_CUDA ... of the back ends of which a variant is chosen that this build has. */
unsigned gb_chosen_backends(const struct gb_choice *choice);

#endif
