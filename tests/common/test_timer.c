/* test_timer.c -- the measured resolution of a clock: of fake clocks, and of the CPU's. */
#include "common/timer.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>

#include "common/rng.h"
#include "common/text.h"

/* A clock that counts in steps of tick_ns and is marked at irregular times. */
static struct {
	double tick_ns;
	double advance_ns, jitter_ns; /* from mark to mark: at least, and up to that much more */
	bool as_float;                /* elapsed times are floats in ms, as CUDA's */
	bool fails_to_mark, fails_to_read;
	double constant_ns; /* if not 0, all elapsed times */
	double now_ns, at_ns[GB_MAX_MARKS];
	uint64_t marks;
} fake;

static enum gb_status fake_mark(void *clock, size_t index, struct gb_error *err)
{
	(void)clock;
	if (fake.fails_to_mark && fake.marks == 100)
		return gb_fail(err, GB_ERUNTIME, "no mark");
	fake.now_ns += fake.advance_ns + gb_random_unit_stream(1, 0, fake.marks++) * fake.jitter_ns;
	fake.at_ns[index] = fake.now_ns;
	return GB_OK;
}

/* Both marks are rounded down to ticks. */
static enum gb_status fake_elapsed(void *clock, size_t first, size_t last, double *ns,
				   struct gb_error *err)
{
	(void)clock;
	if (fake.fails_to_read)
		return gb_fail(err, GB_ERUNTIME, "no time");
	*ns = (floor(fake.at_ns[last] / fake.tick_ns) - floor(fake.at_ns[first] / fake.tick_ns)) *
	      fake.tick_ns;
	if (fake.constant_ns > 0)
		*ns = fake.constant_ns;
	if (fake.as_float)
		*ns = (double)(float)(*ns * 1e-6) * 1e6;
	return GB_OK;
}

#define CLOCK                                                              \
	{                                                                  \
		.name = "fake", .mark = fake_mark, .elapsed = fake_elapsed \
	}
static const struct gb_timer_ops clock_a = CLOCK;

static double resolution_of(const struct gb_timer_ops *ops)
{
	struct gb_error err = { 0 };
	double ns = NAN;

	cr_assert_eq(gb_timer_resolution(ops, NULL, &ns, &err), GB_OK, "%s", err.message);
	return ns;
}

/* Each clock is measured in a process of its own, because a result is remembered. */
static struct {
	double tick_ns, advance_ns, jitter_ns;
	bool as_float;
	double constant_ns;
	double least_ns, most_ns; /* what is wanted */
} clocks[] = {
	{ 500, 1500, 1000, false, 0, 500, 500 },
	{ 32, 1500, 1000, true, 0, 32, 32 },
	/* times of up to 3 ms, in which a float resolves 0.2 ns */
	{ 32, 100, 100000, true, 0, 31.7, 32.3 },
	/* several marks share a tick */
	{ 4000, 10, 900, false, 0, 4000, 4000 },
	/* a tick that is no integer: 19.2 MHz */
	{ 1e9 / 19.2e6, 1500, 1000, false, 0, 52.1, 52.1 },
	/* a clock that stands: hundreds of delays passed without a tick */
	{ 1000, 0, 0, false, 0, 10000, 1e9 },
	/* all times are equal but not 0 */
	{ 1, 0, 0, false, 640, 640, 640 },
};

ParameterizedTestParameters(timer, resolution)
{
	static size_t index[GB_COUNT(clocks)];

	for (size_t i = 0; i < GB_COUNT(index); i++)
		index[i] = i;
	return cr_make_param_array(size_t, index, GB_COUNT(index));
}

ParameterizedTest(const size_t *i, timer, resolution)
{
	const double least = clocks[*i].least_ns, most = clocks[*i].most_ns;
	double ns;

	fake.tick_ns = clocks[*i].tick_ns;
	fake.advance_ns = clocks[*i].advance_ns;
	fake.jitter_ns = clocks[*i].jitter_ns;
	fake.as_float = clocks[*i].as_float;
	fake.constant_ns = clocks[*i].constant_ns;
	ns = resolution_of(&clock_a);
	cr_expect(ns >= least - 1e-9 && ns <= most + 1e-9, "%.17g ns, not %g to %g", ns, least,
		  most);
}

/* An error is passed on, and the next call measures. */
Test(timer, failures)
{
	struct gb_error mark = { 0 }, time = { 0 };
	double ns;

	fake.tick_ns = 500;
	fake.advance_ns = 1500;
	fake.jitter_ns = 1000;
	fake.fails_to_mark = true;
	cr_expect_eq(gb_timer_resolution(&clock_a, NULL, &ns, &mark), GB_ERUNTIME);
	cr_expect_str_eq(mark.message, "no mark");
	fake.fails_to_mark = false;
	fake.fails_to_read = true;
	cr_expect_eq(gb_timer_resolution(&clock_a, NULL, &ns, &time), GB_ERUNTIME);
	cr_expect_str_eq(time.message, "no time");
	fake.fails_to_read = false;
	cr_expect_float_eq(resolution_of(&clock_a), 500, 1e-9);
}

/* Phases of one name add up; unnamed time belongs to none.  Each mark is 10 ns after the last. */
Test(timer, phases)
{
	struct gb_error err = { 0 };
	struct gb_timer timer = { .ops = &clock_a, .err = &err, .phases = true };
	struct gb_phase_time phase[2];
	size_t count = 2;
	double ns = 0;

	fake.tick_ns = 1;
	fake.advance_ns = 10;
	gb_timer_begin(&timer);
	gb_phase(&timer, "scan");
	gb_phase(&timer, "sort");
	gb_phase(&timer, "scan");
	gb_timer_end(&timer);
	cr_assert_eq(gb_timer_read(&timer, &ns, phase, &count), GB_OK);
	cr_expect(ns == 40 && count == 2 && phase[0].ns == 20 && phase[1].ns == 10);
	cr_expect_str_eq(phase[0].name, "scan");
	cr_expect_str_eq(phase[1].name, "sort");
	count = 1;
	cr_expect_eq(gb_timer_read(&timer, &ns, phase, &count), GB_ERUNTIME);
	cr_expect_str_eq(err.message, "more than 1 phases in a run");
	err.code = GB_OK;
	timer.phases = false;
	gb_timer_begin(&timer);
	gb_phase(&timer, "scan");
	gb_timer_end(&timer);
	cr_assert_eq(gb_timer_read(&timer, &ns, phase, &count), GB_OK);
	cr_expect(ns == 10 && count == 0 && timer.named);
	gb_phase(NULL, "nowhere");
}

Test(timer, marks)
{
	struct gb_error err = { 0 };
	struct gb_timer timer = { .ops = &clock_a, .err = &err, .phases = true };
	char wanted[60];

	gb_timer_begin(&timer);
	for (int i = 1; i < GB_MAX_MARKS; i++)
		gb_phase(&timer, "scan");
	cr_expect_eq(err.code, GB_OK);
	gb_timer_end(&timer);
	(void)snprintf(wanted, sizeof wanted, "more than %d phase marks in a run", GB_MAX_MARKS);
	cr_expect_eq(err.code, GB_ERUNTIME);
	cr_expect_str_eq(err.message, wanted);
}
