/* test_variants.c -- every variant of every workload at every point of its `check` lists, verified.
 *
 * On a machine without a GPU the emulator's build (SIMT=1) runs the cuda variants from this file;
 * there none may be skipped.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measuring/runner.h"
#include "cli/measuring/session.h"
#include "cli/workloads/registry.h"
#include "common/devices.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/variants.h"

#ifdef GPUBENCH_SIMT
#define GB_CUDA_WHERE " in the emulator"
#else
#define GB_CUDA_WHERE " on the GPU"
#endif

static const struct gb_settings how = { .timeout_s = 600 };

/* The emulator's build skips the cpu variants, which other builds test. */
static bool is_ours(const struct gb_variant *v)
{
#ifdef GPUBENCH_SIMT
	return v->backend == GB_CUDA;
#else
	(void)v;
	return true;
#endif
}

static bool may_be_absent(const struct gb_variant *v)
{
#ifdef GPUBENCH_SIMT
	return v->peer;
#else
	return v->backend != GB_CPU || v->peer;
#endif
}

static struct criterion_test_params list_variants(void)
{
	static size_t index[256];
	size_t count = 0;

	for (size_t i = 0; i < gb_variant_count; i++)
		if (is_ours(&gb_variants[i]))
			index[count++] = i;
	return cr_make_param_array(size_t, index, count);
}

/* Work in upload() is visible in the record. */
Test(variants, derived_data_are_excluded_work)
{
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant_ops *ops = gb_variants[i].ops;
		const struct gb_workload *workload = gb_workload_find(gb_variants[i].workload);

		if (ops && ops->flags & GB_DERIVES)
			cr_expect(ops->excluded || workload->excluded, "%s/%s",
				  gb_variants[i].workload, gb_variants[i].name);
	}
}

ParameterizedTestParameters(variants, every_point)
{
	return list_variants();
}

/* Run the variant at each point.  Return how many passed, and why the last one was skipped. */
static size_t run_line(const struct gb_variant *v, const char *words, bool timed, char *skipped,
		       size_t size)
{
	const struct gb_workload *workload = gb_workload_find(v->workload);
	struct gb_error err = { 0 };
	struct gb_sweep sweep = { 0 };
	void *params = malloc(workload->params_size);
	size_t passed = 0;

	cr_assert(eq(int, (int)gb_sweep_words(&sweep, workload, words, &err), GB_OK), "%s",
		  err.message);
	for (size_t p = 0; p < sweep.count; p++) {
		struct gb_result r = { .workload = workload, .variant = v, .params = params };
		const size_t used = gb_memory_used(GB_DEVICE_MEMORY);
		void *input = NULL;

		if (!gb_sweep_wants(&sweep, p, v))
			continue;
		gb_sweep_point(&sweep, p, params);
		workload->prepare(params, &input, &err);
		gb_run(&r, input, &how, timed, &err);
		cr_assert(eq(int, (int)err.code, GB_OK), "%s", err.message);
		if (r.outcome == GB_SKIPPED)
			snprintf(skipped, size, "%s", r.reason);
		else
			cr_assert(r.outcome == GB_RESULT_OK && r.verdict == GB_PASS,
				  "%s %s, point %zu of %s: %s", v->workload, v->name, p, words,
				  r.reason);
		passed += r.outcome == GB_RESULT_OK;
		gb_result_release(&r);
		workload->release(input);
		cr_assert(eq(sz, gb_memory_used(GB_DEVICE_MEMORY), used));
	}
	gb_sweep_release(&sweep);
	free(params);
	return passed;
}

ParameterizedTest(const size_t *i, variants, every_point)
{
	const struct gb_variant *v = &gb_variants[*i];
	const struct gb_workload *workload = gb_workload_find(v->workload);
	char skipped[480] = "";
	size_t passed = 0;

	cr_assert(workload != NULL);
	gb_devices_allow_software();
	for (const char *const *line = workload->check; *line; line++)
		passed += run_line(v, *line, false, skipped, sizeof skipped);
	if (!passed && may_be_absent(v))
		cr_skip("%s: %s", v->name, skipped);
	cr_assert(passed > 0, "%s was left out: %s", v->name, skipped);
	fprintf(stderr, "%s/%s/%s: %zu points verified%s\n", v->workload,
		gb_backends[v->backend]->name, v->name, passed,
		v->backend == GB_CUDA ? GB_CUDA_WHERE : "");
}

ParameterizedTestParameters(variants, every_allocation_may_fail)
{
	return list_variants();
}

/* Whichever allocation fails, the point is skipped, nothing leaks, and the next point works. */
ParameterizedTest(const size_t *i, variants, every_allocation_may_fail)
{
	const struct gb_variant *v = &gb_variants[*i];
	const struct gb_workload *workload = gb_workload_find(v->workload);
	struct gb_error err = { 0 };
	struct gb_sweep sweep = { 0 };
	void *params = malloc(workload->params_size);
	void *input = NULL;

	gb_devices_allow_software();
	gb_sweep_words(&sweep, workload, workload->check[0], &err);
	gb_sweep_point(&sweep, sweep.count - 1, params);
	workload->prepare(params, &input, &err);
	cr_assert(eq(int, (int)err.code, GB_OK));
	for (int64_t k = 1;; k++) {
		struct gb_result r = { .workload = workload, .variant = v, .params = params };
		const size_t host = gb_memory_used(GB_HOST_MEMORY);
		const size_t device = gb_memory_used(GB_DEVICE_MEMORY);
		bool failed;

		gb_memory_fail_at(k);
		gb_run(&r, input, &how, false, &err);
		gb_memory_fail_at(0);
		failed = strstr(r.reason, "injected allocation failure") != NULL;
		if (!failed && r.outcome == GB_SKIPPED)
			cr_skip("%s: %s", v->name, r.reason);
		gb_result_release(&r);
		cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), host), "allocation %d", (int)k);
		cr_assert(eq(sz, gb_memory_used(GB_DEVICE_MEMORY), device), "allocation %d",
			  (int)k);
		if (!failed) {
			cr_assert(eq(int, (int)r.outcome, GB_RESULT_OK), "%s", r.reason);
			break;
		}
		cr_assert(eq(int, (int)r.outcome, GB_SKIPPED), "%s", r.reason);
		cr_assert(k < 10000); /* some variants allocate per thread */
	}
	workload->release(input);
	gb_sweep_release(&sweep);
	free(params);
}

/* For an input of every kind in `check`: whichever allocation fails, nothing leaks and the status
 * is an error.  An optional allocation (the matrix of a graph) may fail without error, so four
 * successes in a row end a line. */
Test(workloads, every_allocation_of_an_input_may_fail)
{
	for (size_t w = 0; w < gb_workload_count; w++) {
		const struct gb_workload *workload = gb_workloads[w];
		void *params = malloc(workload->params_size);

		for (const char *const *line = workload->check; *line; line++) {
			struct gb_sweep sweep = { 0 };
			struct gb_error err = { 0 };
			int64_t failed = 0, passed = 0;

			gb_sweep_words(&sweep, workload, *line, &err);
			gb_sweep_point(&sweep, sweep.count - 1, params);
			for (int64_t k = 1; passed < 4; k++) {
				const size_t used = gb_memory_used(GB_HOST_MEMORY);
				void *input = NULL;

				err = (struct gb_error){ 0 };
				gb_memory_fail_at(k);
				workload->prepare(params, &input, &err);
				gb_memory_fail_at(0);
				cr_assert(err.code == GB_OK || (err.code == GB_EMEMORY && !input),
					  "%s %s, allocation %d: %s", workload->name, *line, (int)k,
					  err.message);
				failed += err.code != GB_OK;
				passed = err.code == GB_OK ? passed + 1 : 0;
				cr_assert(k < 100);
				workload->release(input);
				cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), used));
			}
			cr_assert(failed > 0, "%s %s", workload->name, *line);
			gb_sweep_release(&sweep);
		}
		free(params);
	}
}

/* Timed and cold, as a user asks for it: a variant that this build lacks is skipped with a reason,
 * whatever its back end. */
Test(variants, variants_not_in_this_build_are_skipped)
{
	size_t absent = 0, passed;

	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];
		char skipped[480] = "";

		if (v->ops)
			continue;
		absent++;
		passed = run_line(v, gb_workload_find(v->workload)->check[0], true, skipped,
				  sizeof skipped);
		cr_expect(passed == 0, "%s", v->name);
		cr_expect(strstr(skipped, v->absent) != NULL, "%s: %s", v->name, skipped);
	}
	if (!absent)
		cr_skip("nothing is absent from this build");
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
		cr_assert_eq(v->ops->library != NULL, v->peer, "%s/%s", v->workload, v->name);
		text = v->peer ? v->ops->library() : "none 1";
		cr_expect_eq(sscanf(text, "%*[A-Za-z:+] %d", &major), 1, "%s/%s: %s", v->workload,
			     v->name, text);
	}
}

Test(variants, each_is_listed_once)
{
	for (size_t i = 0; i < gb_variant_count; i++)
		for (size_t k = 0; k < i; k++)
			cr_expect(strcmp(gb_variants[i].workload, gb_variants[k].workload) != 0 ||
					  gb_variants[i].backend != gb_variants[k].backend ||
					  strcmp(gb_variants[i].name, gb_variants[k].name) != 0,
				  "%s/%s", gb_variants[i].workload, gb_variants[i].name);
}
