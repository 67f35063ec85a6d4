/* points.h -- runs the points of a sweep through one cuda variant. */
#ifndef GPUBENCH_TESTS_CUDA_POINTS_H
#define GPUBENCH_TESTS_CUDA_POINTS_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "cli/benchmarks/registry.h"
#include "cli/measure/measure.h"
#include "cli/measure/sweep.h"
#include "tests/cuda/gpu.h"

/* Every point must pass. */
static inline void run_points(const char *bench, const char *name, const char *words)
{
	static const struct gb_settings how = { .timeout_s = 600 };
	const struct gb_benchmark *benchmark = gb_benchmark_find(bench);
	struct gb_error err = { 0 };
	struct gb_sweep sweep = { 0 };
	void *params = malloc(benchmark->params_size);

	cr_assert(eq(int, (int)gb_sweep_words(&sweep, benchmark, words, &err), GB_OK), "%s",
		  err.message);
	for (size_t p = 0; p < sweep.count; p++) {
		struct gb_result r = { .benchmark = benchmark,
				       .variant = find_variant(GB_CUDA, bench, name) };
		void *input = NULL;

		r.params = params;
		gb_sweep_point(&sweep, p, params);
		cr_assert(eq(int, (int)benchmark->prepare(params, &input, &err), GB_OK), "%s",
			  err.message);
		gb_measure(&r, input, &how, false, &err);
		cr_assert(eq(int, (int)err.code, GB_OK), "%s", err.message);
		if (r.record.status == GB_STATUS_SKIPPED)
			cr_skip("%s", r.record.reason);
		cr_expect(r.record.status == GB_STATUS_OK, "cuda/%s, point %zu of %s: %s", name, p,
			  words, r.record.reason);
		gb_record_release(&r.record);
		benchmark->release(input);
	}
	gb_sweep_release(&sweep);
	free(params);
}

#endif
