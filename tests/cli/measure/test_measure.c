/* test_measure.c -- gb_measure(), driven with variants that misbehave in every way that it must
 * detect.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/measure/interrupt.h"
#include "cli/measure/measure.h"
#include "cli/measure/stopping.h"
#include "common/memory.h"
#include "common/text.h"

enum { SIZE = 1003 };

/* The plain faults that every measurement finds. */
enum fault {
	NONE,
	WRONG,       /* a wrong result */
	ONE_ELEMENT, /* wrong at one element */
	IDLE,        /* never does anything */
	RUN_BEFORE,  /* gives the result of the run before */
	UNTOUCHED,   /* works once, then leaves the result of then */
	BEYOND,      /* download() writes beyond the output */
	REMAINDER,   /* leaves out the elements behind the last multiple of 32 */
	SECOND,      /* wrong from the second call on, because nothing is reset */
	FAULTS
};

/* Settings of the toy variant, set by each test. */
static struct {
	enum fault fault;
	bool wrong_late, fail_create, unavailable, fail_run, no_output;
	bool own_phases; /* the first phase of each run has a name of its own */
	double busy_ns;  /* how long run() takes */
	int64_t resets, runs, verified, marked;
	int distinct;
} toy;

struct toy_params {
	int64_t threads, seed;
};

static const struct gb_param rows[] = { GB_COMMON_PARAMS(struct toy_params) };

struct state {
	unsigned char *out[2]; /* RUN_BEFORE uses both in turn */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	if (toy.unavailable)
		return gb_fail(err, GB_EMEMORY, "needs 7 GiB, 3 GiB free");
	for (int i = 0; i < 2; i++) {
		struct state *s = state;

		s->out[i] = gb_host_zalloc(SIZE + 1, 1, err); /* owned by the state */
		gb_memory_result(s->out[i], SIZE, GB_POISON); /* the byte behind stays 0 */
	}
	if (!err->code && toy.fail_create)
		return gb_fail(err, GB_ERUNTIME, "half built");
	return err->code;
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	cr_assert(eq(i64, sample, toy.resets));
	toy.resets++;
	memset(((struct state *)state)->out[0], 0, SIZE);
	return GB_OK;
}

static void spin(double ns)
{
	const double end = gb_now_ns() + ns;

	while (gb_now_ns() < end)
		;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	static char name[64][8];
	struct state *s = state;
	unsigned char *out = s->out[toy.fault == RUN_BEFORE ? toy.runs % 2 : 0];
	char *own = name[toy.marked % 64];

	(void)snprintf(own, sizeof name[0], "p%d", (int)toy.marked);
	gb_phase(timer, toy.own_phases ? own : "first");
	toy.marked += timer->mark_count > 1;
	spin(toy.busy_ns / 2);
	gb_phase(timer, "second");
	spin(toy.busy_ns / 2);
	toy.runs++;
	if (toy.fail_run && toy.runs == 3)
		return gb_fail(err, GB_ERUNTIME, "the third run fails");
	if (toy.fault == IDLE || (toy.fault == UNTOUCHED && toy.runs > 1))
		return GB_OK;
	memset(out, toy.fault == WRONG || (toy.wrong_late && toy.runs > 5) ? 2 : 1,
	       toy.fault == REMAINDER ? SIZE / 32 * 32 : SIZE);
	out[SIZE / 2] += toy.fault == ONE_ELEMENT;
	out[0] += toy.fault == SECOND && toy.runs > 1;
	return GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = state;

	if (!toy.no_output)
		memcpy(output, s->out[toy.fault == RUN_BEFORE ? toy.runs % 2 : 0],
		       SIZE + (toy.fault == BEYOND));
	return GB_OK;
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = reset,
	.run = run,
	.download = download,
};

static size_t output_size(const void *params, const void *input)
{
	return SIZE;
}

static enum gb_status verify(const void *params, const void *input, int64_t sample,
			     const void *output, struct gb_metrics *metrics, struct gb_error *err)
{
	const unsigned char *byte = output;

	toy.verified++;
	gb_metric(metrics, "checks", (double)toy.verified);
	for (size_t i = 0; i < SIZE; i++)
		if (byte[i] != 1)
			return gb_fail(err, GB_EVERIFY, "byte %zu is %d", i, byte[i]);
	return GB_OK;
}

static struct gb_work work(const void *params, const void *input)
{
	return (struct gb_work){ .items = SIZE, .bytes = 2 * SIZE };
}

static int64_t distinct(const void *params, const void *input)
{
	return toy.distinct ? toy.distinct : 1;
}

static const struct gb_benchmark benchmark = { .name = "toy",
					       .params = rows,
					       .param_count = GB_COUNT(rows),
					       .params_size = sizeof(struct toy_params),
					       .output_size = output_size,
					       .verify = verify,
					       .distinct = distinct,
					       .work = work };

static const struct gb_variant variant = { .benchmark = "toy", .name = "toy", .ops = &ops };
static const struct toy_params params = { .threads = 3, .seed = 1 };
static struct gb_settings how;
static struct gb_result result;
static struct gb_error err;
static size_t used;

static void setup(void)
{
	how = (struct gb_settings){ .warmup = 2,
				    .min_samples = 10,
				    .rel_ci = 100, /* reached at once, even on a busy machine */
				    .timeout_s = 20,
				    .hot = 1 };
	toy.busy_ns = 1e5;
	result = (struct gb_result){ .benchmark = &benchmark,
				     .variant = &variant,
				     .params = &params };
	used = gb_memory_used(GB_HOST_MEMORY);
}

static void teardown(void)
{
	gb_record_release(&result.record);
	cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), used), "something was not freed");
}

TestSuite(runner, .init = setup, .fini = teardown);

static void go(void)
{
	cr_assert(eq(int, (int)gb_measure(&result, NULL, &how, true, &err), GB_OK));
}

static void assert_no_time(void)
{
	cr_assert(eq(sz, result.record.time.count, 0));
	cr_assert(eq(sz, result.record.host_time.count, 0));
	cr_assert(eq(sz, result.record.phases.count, 0));
	cr_assert(isnan(result.record.first_call));
	cr_assert(isnan(result.record.download));
}

Test(runner, measures_and_verifies_first_and_last)
{
	go();
	cr_assert(eq(int, (int)result.record.status, GB_STATUS_OK), "%s", result.record.reason);
	cr_assert(eq(int, (int)result.record.status, GB_STATUS_OK));
	cr_assert(result.record.time.count >= 10);
	cr_assert(toy.verified >= 4, "the warm-up, and three samples at least");
	cr_assert(eq(i64, (int64_t)result.record.verify.runs, toy.verified));
	cr_assert(ge(i64, toy.resets, (int64_t)result.record.time.count + 3),
		  "two warm-up runs, and one for the phases");
	cr_assert(result.record.first_call >= 1e5);
	cr_assert(eq(dbl, result.record.threads, 3));
	cr_assert(eq(dbl, result.record.work.items, SIZE));
	cr_assert(
		eq(dbl, gb_member_number(&result.record.metrics, "checks"), (double)toy.verified));
	cr_assert(result.record.memory.host_bytes >= 2 * SIZE);
	for (size_t i = 0; i < result.record.time.count; i++)
		cr_assert(result.record.time.sample[i] >= 1e5);
}

Test(runner, phases_add_up)
{
	const struct gb_named_times *phase;

	how.max_time_s = 1;
	go();
	phase = result.record.phases.item;
	cr_assert(eq(sz, result.record.phases.count, 2));
	cr_assert(eq(str, (char *)phase[0].name, "first"));
	cr_assert(phase[0].time.count > 0);
	cr_assert(phase[0].time.count <= result.record.time.count);
	for (size_t i = 0; i < phase[0].time.count; i++) {
		const double sum = phase[0].time.sample[i] + phase[1].time.sample[i];

		cr_assert(sum >= 1e5);
	}
	cr_assert(eq(i64, toy.runs, (int64_t)(result.record.time.count + phase[0].time.count) + 2));
}

/* A mark takes time, which samples must not contain.  If the number of samples is fixed, that of
 * the phases is the same, however long they take. */
Test(runner, samples_have_no_marks)
{
	how.samples = 7;
	go();
	cr_assert(eq(i64, toy.marked, 7), "of %lld runs", (long long)toy.runs);
	cr_assert(eq(sz, result.record.phases.item[1].time.count, 7));
	cr_assert(eq(i64, toy.runs, 7 + 2 + 7));
}

Test(runner, phases_are_limited)
{
	toy.own_phases = true;
	for (how.samples = GB_MAX_PHASES - 1; how.samples <= GB_MAX_PHASES; how.samples++) {
		toy.runs = toy.resets = toy.marked = 0;
		go();
		if (how.samples < GB_MAX_PHASES)
			cr_assert(eq(sz, result.record.phases.count, GB_MAX_PHASES));
		else
			cr_assert(eq(str, (char *)result.record.reason, "more than 16 phases"));
		gb_record_release(&result.record);
	}
}

/* Measure a variant whose runs need no reset. */
static void go_repeatable(bool timed)
{
	static const struct gb_variant_ops repeatable = {
		.state_size = sizeof(struct state),
		.create = create,
		.run = run,
		.download = download,
		.flags = GB_REPEATABLE,
	};
	static const struct gb_variant v = { .benchmark = "toy",
					     .name = "toy",
					     .ops = &repeatable };

	result.variant = &v;
	toy.runs = 0;
	cr_assert(eq(int, (int)gb_measure(&result, NULL, &how, timed, &err), GB_OK));
}

static void expect_fault(enum fault fault, bool timed, bool is_hot, bool is_right)
{
	toy.fault = fault;
	how.hot = is_hot;
	toy.busy_ns = 0; /* hot runs are batched */
	how.samples = 6;
	how.warmup = 1;
	go_repeatable(timed);
	cr_expect(eq(int, (int)result.record.status, is_right ? GB_STATUS_OK : GB_STATUS_FAILED),
		  "fault %d: %s", (int)fault, (char *)result.record.reason);
	cr_expect(eq(int, (int)result.code, is_right ? GB_OK : GB_EVERIFY), "fault %d: %s",
		  (int)fault, (char *)result.record.reason);
	if (timed && !is_right)
		assert_no_time();
	if (fault == BEYOND)
		cr_expect(eq(str, (char *)result.record.reason,
			     "download() writes beyond the output of 1003 bytes"));
	if (fault == ONE_ELEMENT)
		cr_expect(eq(str, (char *)result.record.reason, "byte 501 is 2"));
	teardown();
	setup();
}

/* With cold caches and with hot ones, where runs are batched.  `check` runs once, and finds what
 * one run shows. */
Test(runner, planted_faults_are_found)
{
	for (int fault = NONE; fault < FAULTS; fault++) {
		for (int is_hot = 0; is_hot < 2; is_hot++)
			expect_fault((enum fault)fault, true, is_hot, fault == NONE);
		expect_fault((enum fault)fault, false, false,
			     fault == NONE || fault == UNTOUCHED || fault == SECOND);
	}
}

/* No fault leaves a time.  The warm-up alone detects a wrong result. */
Test(runner, faults_leave_no_time)
{
	static const struct {
		bool *fault;
		enum gb_record_status status;
		enum gb_status code;
		const char *reason;
		int64_t runs;
	} row[] = {
		{ &toy.wrong_late, GB_STATUS_FAILED, GB_EVERIFY, "byte 0 is 2", 0 },
		{ &toy.no_output, GB_STATUS_FAILED, GB_EVERIFY, "byte 0 is *", 1 },
		{ &toy.fail_run, GB_STATUS_FAILED, GB_ERUNTIME, "the third run fails", 3 },
		{ &toy.fail_create, GB_STATUS_FAILED, GB_ERUNTIME, "half built", 0 },
		{ &toy.unavailable, GB_STATUS_SKIPPED, GB_EMEMORY, "needs 7 GiB, 3 GiB free", 0 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		toy.runs = toy.resets = 0;
		*row[i].fault = true;
		go();
		cr_assert(eq(int, (int)result.record.status, (int)row[i].status), "%s",
			  row[i].reason);
		cr_assert(eq(int, (int)result.code, (int)row[i].code), "%s", row[i].reason);
		cr_assert(eq(int, gb_equal(result.record.verify.result, "fail"),
			     row[i].code == GB_EVERIFY));
		cr_assert(eq(int, fnmatch(row[i].reason, result.record.reason, 0), 0), "%s",
			  result.record.reason);
		cr_assert(row[i].runs == 0 || toy.runs == row[i].runs, "%s", row[i].reason);
		assert_no_time();
		*row[i].fault = false;
		teardown();
		setup();
	}
}

Test(runner, every_allocation_may_fail)
{
	for (int64_t k = 1;; k++) {
		gb_memory_fail_at(k);
		toy.resets = toy.runs = 0;
		go();
		gb_memory_fail_at(0);
		if (result.record.status != GB_STATUS_SKIPPED)
			break;
		gb_record_release(&result.record);
		cr_assert(eq(sz, gb_memory_used(GB_HOST_MEMORY), used));
		cr_assert(k < 40);
	}
	cr_assert(eq(int, (int)result.record.status, GB_STATUS_OK));
}

Test(runner, a_time_out_before_the_first_sample_leaves_no_time)
{
	toy.busy_ns = 3e7;
	how.timeout_s = 0.02;
	go();
	cr_assert(eq(int, (int)result.record.status, GB_STATUS_FAILED));
	cr_assert(eq(int, (int)result.code, GB_ERUNTIME));
	cr_assert(strstr(result.record.reason, "time-out: no sample within 0.02 s") != NULL, "%s",
		  result.record.reason);
	assert_no_time();
}

/* `check` times nothing, so that a result counts however late it comes. */
Test(runner, an_untimed_result_may_be_late)
{
	how.timeout_s = 0.001;
	toy.busy_ns = 1e7;
	cr_assert(eq(int, (int)gb_measure(&result, NULL, &how, false, &err), GB_OK));
	cr_expect(eq(int, (int)result.record.status, GB_STATUS_OK), "%s", result.record.reason);
	toy.distinct = 2;
	toy.resets = 0;
	cr_assert(eq(int, (int)gb_measure(&result, NULL, &how, false, &err), GB_OK));
	cr_expect(eq(int, (int)result.record.status, GB_STATUS_FAILED));
	cr_expect(strstr(result.record.reason, "no result within 0.001 s") != NULL, "%s",
		  result.record.reason);
}

Test(runner, each_distinct_input_is_verified)
{
	toy.distinct = 7;
	how.samples = 12;
	go();
	cr_assert(eq(i64, (int64_t)result.record.verify.runs, toy.verified));
	cr_assert(toy.verified >= 9, "the warm-up, seven inputs, and the last sample at least");
	cr_assert(result.record.harmonic_items_per_s > 0);
}

Test(runner, short_repeatable_runs_are_batched_when_hot)
{
	double least = INFINITY;

	/* On a busy machine the warm-up may be too slow for batches. */
	for (int i = 0; i < 20 && !(result.record.batch > 1); i++) {
		teardown();
		setup();
		toy.busy_ns = 1000;
		go_repeatable(true);
	}
	cr_assert(result.record.batch > 1);
	for (size_t i = 0; i < result.record.time.count; i++)
		least = fmin(least, result.record.time.sample[i]);
	cr_assert(least < 20000, "the time is of one run, not of the batch");
	cr_assert(eq(i64, toy.runs,
		     2 + (int64_t)result.record.time.count * (int64_t)result.record.batch +
			     (int64_t)result.record.phases.item[0].time.count));
}

/* Without a warm-up the time of a run is unknown. */
Test(runner, runs_that_are_cold_or_of_unknown_length_are_not_batched)
{
	toy.busy_ns = 1000;
	how.warmup = 0;
	go_repeatable(true);
	cr_assert(eq(dbl, result.record.batch, 1));
	teardown();
	setup();
	toy.busy_ns = 1000;
	how.hot = 0;
	how.samples = 3;
	go_repeatable(true);
	cr_assert(result.record.cold == GB_YES);
	cr_assert(eq(dbl, result.record.batch, 1));
}

/* On the CPU nothing but the time counts. */
Test(runner, warm_up_takes_its_time)
{
	how.warmup_time_s = 0.005;
	go();
	cr_expect(result.record.warmup.time_s >= 0.005);
	cr_expect(isnan(result.record.warmup.steady_s));
}

Test(runner, a_check_does_not_warm_up)
{
	how.warmup_time_s = 1e9;
	cr_assert(eq(int, (int)gb_measure(&result, NULL, &how, false, &err), GB_OK));
	cr_expect(isnan(result.record.warmup.time_s));
}

/* Readings at 0, 1, 2 ... s: it has been steady since the last one that began a drift. */
Test(runner, steady_is_within_a_degree_and_two_percent)
{
	static const struct {
		double celsius, mhz, steady_s;
	} reading[] = { { 40, 1000, 0 },  { 41, 1019, 1 },   { 39, 981, 2 },    { 38.9, 1000, 0 },
			{ 38, 1000, 1 },  { 37.5, 1000, 0 }, { 37.5, 1021, 0 }, { 37.5, 1000, 0 },
			{ NAN, 1000, 1 }, { 38, NAN, 2 } };
	struct gb_steady steady = { 0 };

	for (size_t i = 0; i < GB_COUNT(reading); i++) {
		const struct gb_gpu_state state = { .temperature_c = reading[i].celsius,
						    .sm_clock_hz = reading[i].mhz * 1e6 };

		cr_expect(eq(dbl, gb_steady_s(&steady, &state, (double)i), reading[i].steady_s),
			  "reading %zu", i);
	}
}

Test(runner, an_interrupt_ends_the_measurement)
{
	gb_interrupted = 1;
	cr_assert(eq(int, (int)gb_measure(&result, NULL, &how, true, &err), GB_EINTERRUPTED));
	cr_assert(eq(i64, toy.runs, 0));
	gb_interrupted = 0;
}
