/* trial.h -- a trial of a verifier: an input, an output, and the expected message. */
#ifndef GPUBENCH_TESTS_CLI_BENCHMARKS_TRIAL_H
#define GPUBENCH_TESTS_CLI_BENCHMARKS_TRIAL_H

#include <criterion/criterion.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "common/memory.h"
#include "common/text.h"

struct trial {
	const struct gb_benchmark *benchmark;
	const void *params; /* must outlive the trial */
	void *input, *output;
	size_t size;               /* output size; one extra byte is allocated */
	size_t used;               /* bytes of host memory before the trial */
	struct gb_metrics metrics; /* set by the last verification */
};

static inline struct trial start_trial(const struct gb_benchmark *benchmark, const void *params)
{
	struct trial t = { .benchmark = benchmark,
			   .params = params,
			   .used = gb_memory_used(GB_HOST_MEMORY) };
	struct gb_error err = { 0 };

	cr_assert_eq(benchmark->prepare(params, &t.input, &err), GB_OK, "%s", err.message);
	t.size = benchmark->output_size(params, t.input);
	t.output = malloc(t.size + 1);
	memset(t.output, GB_POISON, t.size);
	return t;
}

static inline void end_trial(struct trial *t)
{
	t->benchmark->release(t->input);
	free(t->output);
	cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), t->used, "something was not freed");
}

/* Expect that the output of a sample passes (words: NULL), or is refused with this message, in
 * which * matches any text. */
static inline void expect_of(struct trial *t, int64_t sample, const char *words)
{
	struct gb_error err = { 0 };
	char pattern[256];

	t->metrics = (struct gb_metrics){ 0 };
	(void)t->benchmark->verify(t->params, t->input, sample, t->output, &t->metrics, &err);
	cr_assert_eq(err.code, words ? GB_EVERIFY : GB_OK, "%s", words ? words : err.message);
	(void)snprintf(pattern, sizeof pattern, "*%s*", words ? words : "");
	cr_assert_eq(fnmatch(pattern, err.message, 0), 0, "the message %s does not match %s",
		     err.message, pattern);
}

/* Expect a refusal of the first sample, and end the trial. */
static inline void refuse(struct trial *t, const char *words)
{
	expect_of(t, 0, words);
	end_trial(t);
}

/* NAN if there is no such metric. */
static inline double metric_of(const struct trial *t, const char *name)
{
	for (size_t i = 0; i < t->metrics.count; i++)
		if (gb_equal(t->metrics.item[i].name, name))
			return t->metrics.item[i].value;
	return (double)NAN;
}

/* Expect that the input cannot be made, for the reason `words`. */
static inline void refuse_input(const struct gb_benchmark *benchmark, const void *params,
				const char *words)
{
	struct gb_error err = { 0 };
	void *input;

	cr_assert_eq(benchmark->prepare(params, &input, &err), GB_EUSAGE);
	cr_assert_null(input);
	cr_assert(strstr(err.message, words), "%s", err.message);
}

/* The bytes that a dry run counts for the input. */
static inline size_t dry_bytes(const struct gb_benchmark *benchmark, const void *params)
{
	const size_t used = gb_memory_used(GB_HOST_MEMORY);
	struct gb_error err = { 0 };
	void *input;
	size_t bytes;

	gb_memory_set_dry(true);
	cr_assert_eq(benchmark->prepare(params, &input, &err), GB_OK, "%s", err.message);
	bytes = gb_memory_used(GB_HOST_MEMORY) - used;
	benchmark->release(input);
	gb_memory_set_dry(false);
	cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), used);
	return bytes;
}

#endif
