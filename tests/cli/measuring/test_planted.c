/* test_planted.c -- faults planted in every variant: its operations are wrapped so that some runs
 * do nothing or leave a wrong result.  None of them may keep a time.
 *
 * A correct measurement comes first, so that the memory of the faulty one may hold a correct
 * result.  The emulator's build wraps the cuda variants (suite `variants_planted`), other builds
 * the cpu variants, and a machine with a GPU both.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measuring/runner.h"
#include "cli/measuring/session.h"
#include "cli/workloads/registry.h"
#include "common/devices.h"
#include "common/text.h"
#include "common/variants.h"

enum fault {
	NONE,
	IDLE,             /* no run does anything */
	IDLE_AFTER_FIRST, /* only the first run does anything */
	IDLE_UNLESS_RESET,
	WRONG_ONCE,         /* run number planted.victim */
	WRONG_UNLESS_RESET, /* each run but the first after a reset() */
	IDLE_IF_UNTOUCHED,  /* a run that finds its last result in place */
};

/* A workload that is not listed is tested at the points of its `check` list. */
static const struct {
	const char *workload, *words;
} points[] = {
	{ "stream",
	  "--count=5001 --threads=1" }, /* a microsecond: batched even on a busy machine */
	{ "radix", "--count=5003 --type=u32,pairs" },
	{ "bfs", "--vertices=600 --p=0.01 --sources=1 --result=dist,both" },
	{ "cbt", "--op=bitfield,reduce,decode,cycle,update --depth=11 --shape=random --fill=0.4" },
	{ "cbt", "--op=bitfield,decode,cycle --ids=sum --depth=9 --shape=random --fill=0.4" },
	{ "cbt", "--op=reduce,update --depth=4 --shape=random --fill=0.4" },
	{ "octree", "--count=3001 --bucket=1,16" },
	{ "lbvh", "--scene=soup --primitives=1001" },
	{ "lbvh", "--op=trace --scene=knot --primitives=1000 --rays=40" },
};

static struct {
	const struct gb_variant_ops *ops;
	enum fault fault;
	int64_t runs, since_reset, victim, idle;
	bool wrong;                /* the last run left a wrong result */
	unsigned char *last, *now; /* of IDLE_IF_UNTOUCHED: the last result, and what is there */
} planted;

static size_t output_size;

static bool finds_its_result(void *state, struct gb_error *err)
{
	return planted.ops->download(state, planted.now, err) == GB_OK && planted.runs > 1 &&
	       memcmp(planted.now, planted.last, output_size) == 0;
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	planted.since_reset = 0;
	return planted.ops->reset ? planted.ops->reset(state, sample, err) : GB_OK;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const int64_t number = planted.runs++, since_reset = planted.since_reset++;
	const enum fault fault = planted.fault;

	if (fault == IDLE || (fault == IDLE_AFTER_FIRST && number > 0) ||
	    (fault == IDLE_UNLESS_RESET && since_reset > 0))
		return GB_OK;
	if (fault == IDLE_IF_UNTOUCHED && finds_its_result(state, err)) {
		planted.idle++;
		return GB_OK;
	}
	planted.wrong = (fault == WRONG_ONCE && number == planted.victim) ||
			(fault == WRONG_UNLESS_RESET && since_reset > 0);
	if (planted.ops->run(state, timer, err) || fault != IDLE_IF_UNTOUCHED)
		return err->code;
	return planted.ops->download(state, planted.last, err);
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	(void)planted.ops->download(state, output, err);
	if (planted.wrong)
		memset(output, 0x33, output_size);
	return err->code;
}

/* Measure v, wrapped.  True if there is a time. */
static bool measure(const struct gb_workload *workload, const struct gb_variant *v,
		    const void *params, void *input, const struct gb_settings *how,
		    enum fault fault, struct gb_result *r)
{
	struct gb_variant_ops wrapped = *v->ops;
	struct gb_variant variant = *v;
	struct gb_error err = { 0 };

	wrapped.reset = reset;
	wrapped.run = run;
	wrapped.download = download;
	variant.ops = &wrapped;
	planted.ops = v->ops;
	planted.fault = fault;
	planted.runs = planted.since_reset = 0;
	planted.wrong = false;
	output_size = workload->output_size(params, input);
	*r = (struct gb_result){ .workload = workload, .variant = &variant, .params = params };
	cr_assert_eq(gb_run(r, input, how, true, &err), GB_OK, "%s", err.message);
	r->variant = v;
	return r->time.count > 0;
}

static bool is_of_batches(enum fault fault)
{
	return fault == IDLE_UNLESS_RESET || fault == WRONG_UNLESS_RESET;
}

/* Faults of batches have no effect if a delayed run made the batch a single one. */
static bool measure_faulty(const struct gb_workload *workload, const struct gb_variant *v,
			   const void *params, void *input, const struct gb_settings *how,
			   enum fault fault, struct gb_result *r)
{
	bool timed = measure(workload, v, params, input, how, fault, r);

	for (int i = 0; is_of_batches(fault) && timed && r->batch == 1 && i < 20; i++) {
		gb_result_release(r);
		timed = measure(workload, v, params, input, how, fault, r);
	}
	return timed;
}

static void expect_failure(const struct gb_workload *workload, const struct gb_variant *v,
			   const void *params, void *input, const struct gb_settings *how,
			   enum fault fault, const char *what)
{
	struct gb_result r;
	const bool timed = measure_faulty(workload, v, params, input, how, fault, &r);

	if (timed && is_of_batches(fault) && r.batch == 1) {
		fprintf(stderr, "%s/%s: the machine is too busy for batches\n", v->workload,
			v->name);
		gb_result_release(&r);
		return;
	}
	cr_expect(!timed && r.outcome == GB_FAILED && !r.verified,
		  "%s %s/%s: %s: status %d, %zu samples of %lld runs: %s", v->workload,
		  gb_backends[v->backend]->name, v->name, what, (int)r.outcome, r.time.count,
		  (long long)r.batch, r.reason);
	gb_result_release(&r);
}

static struct gb_settings settings(bool hot)
{
	return (struct gb_settings){ .samples = 4, .warmup = 1, .timeout_s = 100, .hot = hot };
}

/* False if the variant does not support this point. */
static bool try_point(const struct gb_workload *workload, const struct gb_variant *v,
		      const void *params, void *input)
{
	struct gb_settings how = settings(true);
	struct gb_result r;
	int64_t batch;

	if (!measure(workload, v, params, input, &how, NONE, &r)) {
		cr_assert_eq(r.outcome, GB_SKIPPED, "%s %s: %s", v->workload, v->name, r.reason);
		gb_result_release(&r);
		return false;
	}
	cr_expect(r.verified >= 3, "%lld runs verified", (long long)r.verified);
	batch = r.batch;
	gb_result_release(&r);
	expect_failure(workload, v, params, input, &how, IDLE, "idle");
	expect_failure(workload, v, params, input, &how, IDLE_AFTER_FIRST, "idle after the first");
	if (batch > 1 && v->ops->flags & GB_REPEATABLE) {
		expect_failure(workload, v, params, input, &how, IDLE_UNLESS_RESET,
			       "idle but for a batch's first run");
		expect_failure(workload, v, params, input, &how, WRONG_UNLESS_RESET,
			       "wrong at the end of a batch");
	}
	how.warmup = 0;
	how.samples = 8;
	how.verify_all = 1;
	planted.victim = 5;
	expect_failure(workload, v, params, input, &how, WRONG_ONCE, "wrong in the middle");
	how = settings(false);
	how.warmup = 0;
	how.samples = 1;
	expect_failure(workload, v, params, input, &how, IDLE, "one cold sample, idle");
	return true;
}

/* The input of the line's first point, and its parameters, which the caller frees.  Their texts
 * belong to the sweep, which stays until the next call. */
static void *first_point(const struct gb_workload *workload, const char *words, void **params)
{
	static struct gb_sweep sweep;
	struct gb_error err = { 0 };
	void *input = NULL;

	gb_sweep_release(&sweep);
	sweep = (struct gb_sweep){ 0 };
	*params = malloc(workload->params_size);
	cr_assert_eq(gb_sweep_words(&sweep, workload, words, &err), GB_OK, "%s", err.message);
	gb_sweep_point(&sweep, 0, *params);
	cr_assert_eq(workload->prepare(*params, &input, &err), GB_OK, "%s", err.message);
	return input;
}

/* Test the points of one line.  Return how many the variant supports. */
static size_t try_line(const struct gb_variant *v, const char *words)
{
	const struct gb_workload *workload = gb_workload_find(v->workload);
	void *params = malloc(workload->params_size);
	struct gb_sweep sweep = { 0 };
	struct gb_error err = { 0 };
	size_t done = 0;

	cr_assert_eq(gb_sweep_words(&sweep, workload, words, &err), GB_OK, "%s", err.message);
	for (size_t p = 0; p < sweep.count; p++) {
		void *input = NULL;

		gb_sweep_point(&sweep, p, params);
		cr_assert_eq(workload->prepare(params, &input, &err), GB_OK, "%s", err.message);
		if (workload->output_size(params, input) > 0) /* skip empty outputs */
			done += try_point(workload, v, params, input);
		workload->release(input);
	}
	gb_sweep_release(&sweep);
	free(params);
	return done;
}

/* In the emulator, which takes long, the first variant of each benchmark. */
ParameterizedTestParameters(variants_planted, every_fault_is_found)
{
	static size_t index[256];
	size_t count = 0;

	for (size_t i = 0; i < gb_variant_count; i++) {
#ifdef GPUBENCH_SIMT
		if (gb_variants[i].backend != GB_CUDA || gb_variants[i - 1].backend == GB_CUDA)
			continue;
#endif
		if (gb_variants[i].ops)
			index[count++] = i;
	}
	return cr_make_param_array(size_t, index, count);
}

ParameterizedTest(const size_t *i, variants_planted, every_fault_is_found)
{
	const struct gb_variant *v = &gb_variants[*i];
	struct gb_error err = { 0 };
	size_t done = 0;
	bool listed = false;

	fprintf(stderr, "%s/%s/%s\n", v->workload, gb_backends[v->backend]->name, v->name);
	gb_devices_allow_software();
	if (gb_device_open(v->backend, 0, &err))
		cr_skip("%s", err.message);
	for (size_t k = 0; k < GB_COUNT(points); k++)
		if (gb_equal(points[k].workload, v->workload)) {
			done += try_line(v, points[k].words);
			listed = true;
		}
	for (size_t k = 0; !listed && gb_workload_find(v->workload)->check[k]; k++)
		done += try_line(v, gb_workload_find(v->workload)->check[k]);
	cr_expect(done > 0, "%s %s does none of the points", v->workload, v->name);
}

/* One wrong run of eleven is found if it is the first, the last or the one that the seed
 * selects. */
Test(variants_planted, a_random_run_is_verified)
{
	enum { SAMPLES = 11, SEEDS = 200 };
	const struct gb_workload *workload = gb_workload_find("radix");
	struct gb_settings how = settings(true);
	const struct gb_variant *v = NULL;
	int found = 0;

	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_equal(gb_variants[i].name, "qsort"))
			v = &gb_variants[i];
	how.samples = SAMPLES;
	how.warmup = 0;
	planted.victim = 4;
	for (int seed = 1; seed <= SEEDS; seed++) {
		void *params, *input;
		struct gb_result r;
		char words[64];

		(void)snprintf(words, sizeof words, "--count=500 --seed=%d", seed);
		input = first_point(workload, words, &params);
		found += !measure(workload, v, params, input, &how, WRONG_ONCE, &r);
		gb_result_release(&r);
		workload->release(input);
		free(params);
	}
	cr_expect(found > SEEDS / 9 / 2 && found < SEEDS / 9 * 2, "%d of %d: expected a ninth",
		  found, SEEDS);
}

/* With cold caches every result is overwritten, so no sample is spared by the one before it.  These
 * benchmarks leave the result of a run in place until the next one. */
Test(variants_planted, no_cold_sample_finds_a_result)
{
	static const char *const point[][2] = {
		{ "stream", "--count=5001" },
		{ "cbt", "--op=decode --depth=11 --shape=random --fill=0.4" },
		{ "lbvh", "--op=trace --scene=knot --primitives=1000 --rays=40" },
	};
	struct gb_settings how = settings(false);
	size_t tried = 0;

	how.samples = 8;
	for (size_t i = 0; i < gb_variant_count; i++)
		for (size_t k = 0; k < GB_COUNT(point); k++) {
			const struct gb_variant *v = &gb_variants[i];
			const struct gb_workload *workload = gb_workload_find(point[k][0]);
			void *params, *input;
			struct gb_result r;

			if (!v->ops || v->backend != GB_CPU || !gb_equal(v->workload, point[k][0]))
				continue;
			input = first_point(workload, point[k][1], &params);
			output_size = workload->output_size(params, input);
			planted.last = malloc(output_size);
			planted.now = malloc(output_size);
			planted.idle = 0;
			if (measure(workload, v, params, input, &how, IDLE_IF_UNTOUCHED, &r)) {
				cr_expect_eq(r.overwritten, how.samples);
				cr_expect_eq(planted.idle, 0, "%s: %lld runs", v->name,
					     (long long)planted.idle);
				tried++;
			}
			gb_result_release(&r);
			workload->release(input);
			free(params);
			free(planted.last);
			free(planted.now);
		}
	cr_expect_geq(tried, GB_COUNT(point));
}

/* ---- held launches --------------------------------------------------------------------------- */

#if GB_HAVE_CUDA

/* A run that waits for the device without announcing it, so it cannot be held back. */
static enum gb_status run_and_wait(void *state, struct gb_timer *timer, struct gb_error *err)
{
	planted.runs++;
	if (planted.runs <= planted.victim)
		(void)gb_backends[GB_CUDA]->synchronize(err);
	return planted.ops->run(state, timer, err);
}

static void measure_waiting(int64_t waits, int64_t warmup, struct gb_result *r)
{
	static struct gb_variant_ops wrapped;
	static struct gb_variant variant;
	const struct gb_workload *workload = gb_workload_find("stream");
	const struct gb_settings how = {
		.samples = 3, .warmup = warmup, .timeout_s = 100, .hot = 1
	};
	struct gb_error err = { 0 };
	void *params, *input;

	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_equal(gb_variants[i].workload, "stream") &&
		    gb_variants[i].backend == GB_CUDA)
			variant = gb_variants[i];
	wrapped = *variant.ops;
	wrapped.run = run_and_wait;
	wrapped.flags = 0;
	planted.ops = variant.ops;
	planted.runs = 0;
	planted.victim = waits;
	variant.ops = &wrapped;
	input = first_point(workload, "--count=4096", &params);
	*r = (struct gb_result){ .workload = workload, .variant = &variant, .params = params };
	cr_assert_eq(gb_run(r, input, &how, true, &err), GB_OK);
	workload->release(input);
	r->params = NULL;
	free(params);
}

Test(variants_planted, a_failed_hold_is_repeated)
{
	struct gb_error none = { 0 };
	struct gb_result r;

	if (gb_backends[GB_CUDA]->open(0, &none))
		return;
	measure_waiting(2, 1, &r);
	cr_expect_eq(r.given_up, 1);
	cr_expect_eq(r.outcome, GB_RESULT_OK, "%s", r.reason);
	cr_expect_eq(r.time.count, 3);
	gb_result_release(&r);
}

Test(variants_planted, a_variant_that_cannot_be_held_back_is_reported)
{
	struct gb_error none = { 0 };
	struct gb_result r;

	if (gb_backends[GB_CUDA]->open(0, &none))
		return;
	measure_waiting(1000, 1, &r);
	cr_expect_eq(r.given_up, 2);
	cr_expect_eq(r.outcome, GB_RESULT_OK);
	cr_expect(strstr(r.reason, "could not be held back") != NULL, "%s", r.reason);
	cr_expect_eq(r.time.count, 3);
	cr_expect_geq(r.host_time.count, 2);
	gb_result_release(&r);
}

/* The first launch loads modules.  A hold would last until that is done, and for ever if loading
 * waits for the device. */
Test(variants_planted, the_first_launch_is_never_held)
{
	struct gb_error none = { 0 };
	struct gb_result r;

	if (gb_backends[GB_CUDA]->open(0, &none))
		return;
	measure_waiting(1, 0, &r);
	cr_expect_eq(r.given_up, 0);
	gb_result_release(&r);
	measure_waiting(0, 0, &r);
	cr_expect_geq(r.host_time.count, 2, "host_time of %zu runs", r.host_time.count);
	gb_result_release(&r);
}

#endif
