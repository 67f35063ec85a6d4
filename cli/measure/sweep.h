/* sweep.h -- what a command line asks for: the variants that its words and --backend choose, and the
 * points of a sweep, which are the Cartesian product of the parameters' lists of values.
 *
 *	SPEC  := ITEM(,ITEM)*
 *	ITEM  := VALUE | LO:HI | LO:HI:STEP | LO:HI:xFACTOR      (ranges of numbers, HI included)
 *	VALUE := 4096 | 10k | 1.5M | 16Mi | 2^20 | 1e6 | 0.05 | 5% | word     (value.h)
 */
#ifndef GPUBENCH_CLI_MEASURE_SWEEP_H
#define GPUBENCH_CLI_MEASURE_SWEEP_H

#include "cli/benchmarks/value.h"
#include "common/benchmark.h"
#include "common/variants.h"

enum { GB_MAX_VALUES = 10000, GB_MAX_POINTS = 1000000, GB_MAX_OVERRIDES = 64, GB_MAX_WORDS = 64 };

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

struct gb_axis {
	const struct gb_param *param;
	bool given; /* given on the command line; giving it twice is an error */
	size_t count;
	union gb_value *value;
	char *text; /* storage of the strings of GB_PATH values */
};

struct gb_sweep {
	const struct gb_benchmark *benchmark;
	struct gb_axis axis[GB_MAX_PARAMS]; /* in the order of the parameter table */
	size_t count;                       /* points */
	struct gb_choice choice;            /* the variants that a preset line names */
	char *words;                        /* storage of their names */
};

/* Parameters given to a command that runs several benchmarks, for each benchmark that has them. */
struct gb_overrides {
	size_t count;
	struct {
		const char *name, *spec;
	} item[GB_MAX_OVERRIDES];
};

/* Set the sweep to the single point of all defaults.  Release it even after a failure. */
enum gb_status gb_sweep_init(struct gb_sweep *sweep, const struct gb_benchmark *benchmark,
			     struct gb_error *err);

/* Replace the values of parameter `name` by those of spec.  GB_EUSAGE, with the option, the value
 * and the limit, for a bad spec, a repeated value, a parameter given twice, or too many points. */
enum gb_status gb_sweep_set(struct gb_sweep *sweep, const char *name, const char *spec,
			    struct gb_error *err);

/* Set sweep (initialised here) from a preset or check line: "cpu/best !cuda/lf --count=1k,1M". */
enum gb_status gb_sweep_words(struct gb_sweep *sweep, const struct gb_benchmark *benchmark,
			      const char *words, struct gb_error *err);

/* Set what yields to parameter `name`, as the number of vertices does to a file, to its default. */
enum gb_status gb_sweep_yield(struct gb_sweep *sweep, const char *name, struct gb_error *err);
/* Replace the values of parameter `name`, given or not.  Does nothing if spec is NULL or the
 * benchmark has no such parameter. */
enum gb_status gb_sweep_override(struct gb_sweep *sweep, const char *name, const char *spec,
				 struct gb_error *err);

/* The largest number of threads at any point; 0 if the benchmark has no such parameter. */
int64_t gb_sweep_most_threads(const struct gb_sweep *sweep);

/* Fill params (benchmark->params_size bytes) with point `index`.  The first parameter of the table
 * varies slowest.  threads == 0 was replaced by the number of usable CPUs. */
void gb_sweep_point(const struct gb_sweep *sweep, size_t index, void *params);

/* Let a preset line without "!" no longer name variants, because the command line names some. */
void gb_sweep_name_all(struct gb_sweep *sweep);

/* False if the sweep is not for the variant, or if the variant ignores a parameter that
 * does not have its first value at this point: such a variant is run only once for all values. */
bool gb_sweep_wants(const struct gb_sweep *sweep, size_t index, const struct gb_variant *variant);

void gb_sweep_release(struct gb_sweep *sweep);

#endif
