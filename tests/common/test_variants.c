/* test_variants.c -- the list of variants, and allocations that fail: of every variant and input.
 *
 * `gpubench check` verifies every variant.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "cli/measure/measure.h"
#include "cli/measure/session.h"
#include "common/devices.h"
#include "common/memory.h"
#include "common/plugin.h"
#include "common/text.h"
#include "common/variants.h"
#include "tests/cudart/control.h"

static const struct gb_settings how = { .timeout_s = 600 };

/* In the PTX executor, the cuda variants. */
ParameterizedTestParameters(variants, every_allocation_may_fail)
{
	static size_t index[256];
	size_t count = 0;

	for (size_t i = 0; i < gb_variant_count; i++)
		if (!cudart_launches || gb_variants[i].backend == GB_CUDA)
			index[count++] = i;
	return cr_make_param_array(size_t, index, count);
}

/* Whichever allocation fails, the point is skipped, nothing leaks, and the next point works. */
ParameterizedTest(const size_t *i, variants, every_allocation_may_fail)
{
	const struct gb_variant *v = &gb_variants[*i];
	const struct gb_benchmark *benchmark = gb_benchmark_find(v->benchmark);
	struct gb_error err = { 0 };
	struct gb_sweep sweep = { 0 };
	void *params = malloc(benchmark->params_size);
	void *input = NULL;

	gb_devices_allow_software();
	gb_sweep_words(&sweep, benchmark, benchmark->check[0], &err);
	gb_sweep_point(&sweep, sweep.count - 1, params);
	benchmark->prepare(params, &input, &err);
	cr_assert(eq(int, (int)err.code, GB_OK));
	for (int64_t k = 1;; k++) {
		struct gb_result r = { .benchmark = benchmark, .variant = v, .params = params };
		const size_t host = gb_memory_used(GB_HOST_MEMORY);
		const size_t device = gb_memory_used(GB_DEVICE_MEMORY);
		enum gb_record_status status;
		bool failed;

		gb_memory_fail_at(k);
		gb_measure(&r, input, &how, false, &err);
		gb_memory_fail_at(0);
		status = r.record.status;
		failed = r.code && strstr(r.record.reason, "injected allocation failure");
		if (!failed && r.record.status == GB_STATUS_SKIPPED)
			cr_skip("%s: %s", v->name, r.record.reason);
		gb_record_release(&r.record);
		cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), host), "allocation %d", (int)k);
		cr_assert(eq(sz, gb_memory_used(GB_DEVICE_MEMORY), device), "allocation %d",
			  (int)k);
		cr_assert(eq(int, (int)status, failed ? GB_STATUS_SKIPPED : GB_STATUS_OK),
			  "allocation %d", (int)k);
		if (!failed)
			break;
		cr_assert(k < 10000); /* some variants allocate per thread */
	}
	benchmark->release(input);
	gb_sweep_release(&sweep);
	free(params);
}

/* For an input of every kind in `check`: whichever allocation fails, nothing leaks and the status
 * is an error.  An optional allocation (the matrix of a graph) may fail without error, so four
 * successes in a row end a line. */
Test(benchmarks, every_allocation_of_an_input_may_fail)
{
	for (size_t w = 0; w < gb_benchmark_count; w++) {
		const struct gb_benchmark *benchmark = gb_benchmarks[w];
		void *params = malloc(benchmark->params_size);

		for (const char *const *line = benchmark->check; *line; line++) {
			struct gb_sweep sweep = { 0 };
			struct gb_error err = { 0 };
			int64_t failed = 0, passed = 0;

			gb_sweep_words(&sweep, benchmark, *line, &err);
			gb_sweep_point(&sweep, sweep.count - 1, params);
			for (int64_t k = 1; passed < 4; k++) {
				const size_t used = gb_memory_used(GB_HOST_MEMORY);
				void *input = NULL;

				err = (struct gb_error){ 0 };
				gb_memory_fail_at(k);
				benchmark->prepare(params, &input, &err);
				gb_memory_fail_at(0);
				cr_assert(err.code == GB_OK || (err.code == GB_EMEMORY && !input),
					  "%s %s, allocation %d: %s", benchmark->name, *line,
					  (int)k, err.message);
				failed += err.code != GB_OK;
				passed = err.code == GB_OK ? passed + 1 : 0;
				cr_assert(k < 100);
				benchmark->release(input);
				cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), used));
			}
			cr_assert(failed > 0, "%s %s", benchmark->name, *line);
			gb_sweep_release(&sweep);
		}
		free(params);
	}
}

/* The times of a peer belong to one version of its library. */
Test(variants, peers_name_their_library)
{
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];
		const char *text;
		int major = -1;

		if (!v->ops)
			continue;
		cr_assert_eq(v->ops->library != NULL, (v->kind == GB_KIND_LIBRARY), "%s/%s",
			     v->benchmark, v->name);
		text = (v->kind == GB_KIND_LIBRARY) ? v->ops->library() : "none 1";
		cr_expect_eq(sscanf(text, "%*[A-Za-z:+] %d", &major), 1, "%s/%s: %s", v->benchmark,
			     v->name, text);
	}
}

Test(variants, each_is_listed_once)
{
	for (size_t i = 0; i < gb_variant_count; i++)
		for (size_t k = 0; k < i; k++)
			cr_expect(strcmp(gb_variants[i].benchmark, gb_variants[k].benchmark) != 0 ||
					  gb_variants[i].backend != gb_variants[k].backend ||
					  strcmp(gb_variants[i].name, gb_variants[k].name) != 0,
				  "%s/%s", gb_variants[i].benchmark, gb_variants[i].name);
}

/* A plug-in for a GPU asks this program for memory. */
Test(variants, memory_of_a_device)
{
	const struct gb_backend_ops *cuda = gb_backends[GB_CUDA];
	struct gb_error err = { 0 };

	if (cuda->alloc)
		cr_skip("this build has CUDA");
	cr_expect(eq(ptr, gb_device_alloc(1, 4, &err), NULL));
	cr_expect(eq(str, err.message, "this program was built without CUDA"));
	cr_expect(eq(ptr, gb_device_stream(), NULL));
}
