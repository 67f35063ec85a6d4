/* test_stopping.c -- at which sample and instant a measurement ends, and a trial of it, and the
 * estimate of a trial whose costs are known.
 */
#include "cli/measuring/stopping.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

#include "cli/measuring/estimate.h"
#include "common/text.h"

enum { GOES_ON = -1 };

static double watched;

static void watch(const struct gb_result *result, double half_width)
{
	watched = half_width;
}

/* A result of n samples of 1000 ns, with an interval of 1000 * (1 -+ half_width) ns. */
static struct gb_result samples_of(size_t n, double half_width)
{
	struct gb_result result = { .resolution_ns = 1000 * half_width, .watch = watch };
	struct gb_error err = { 0 };

	for (size_t i = 0; i < n; i++)
		cr_assert(zero(int, (int)gb_series_push(&result.time, 1000, &err)));
	watched = NAN;
	return result;
}

/* Why a measurement ends after n samples; GOES_ON if it does not. */
static int stop_of(size_t n, double half_width, const struct gb_settings *how, double elapsed_s)
{
	struct gb_result result = samples_of(n, half_width);
	const bool ends = gb_stop_sampling(&result, how, elapsed_s);
	const int stop = (int)result.stop;

	gb_result_release(&result);
	return ends ? stop : GOES_ON;
}

/* The least time is 1 s. */
static const struct gb_settings usual = {
	.min_samples = 10, .rel_ci = 0.01, .max_time_s = 10, .timeout_s = 100
};

Test(stopping, ends_at_its_limits)
{
	struct gb_settings fixed = usual, vain = usual;
	const struct {
		const struct gb_settings *how;
		size_t n;
		double half_width, elapsed_s;
		int stop;
	} row[] = {
		{ &usual, 10, 0.001, 5, GB_CONVERGED },
		{ &usual, 9, 0.001, 5, GOES_ON },
		{ &usual, 10, 0.01, 1, GB_CONVERGED },
		{ &usual, 10, 0.01, 0.99, GOES_ON },
		{ &usual, 10, 0.011, 1, GOES_ON },
		{ &usual, 10, 0.5, 10, GB_LIMIT },
		{ &usual, 10, 0.5, 9.99, GOES_ON },
		/* Four times the samples are needed, and four times the time. */
		{ &usual, 20, 0.02, 2.5, GOES_ON },
		{ &usual, 20, 0.02, 2.51, GB_LIMIT },
		{ &usual, 20, 0.2, 0.99, GOES_ON },
		{ &usual, 20, 0.2, 1, GB_LIMIT },
		{ &usual, 19, 0.02, 2.51, GOES_ON },
		{ &usual, 160, 0.025, 1, GOES_ON },
		{ &usual, 161, 0.025, 1, GB_LIMIT }, /* of GB_MAX_SAMPLES */
		{ &usual, GB_MAX_SAMPLES - 1, 0.5, 0.1, GOES_ON },
		{ &usual, GB_MAX_SAMPLES, 0.5, 0.1, GB_LIMIT },
		{ &usual, 5, 0.001, 100, GB_LIMIT },
		{ &usual, 5, 0.001, 99, GOES_ON },
		{ &vain, 30, 0.001, 9.99, GOES_ON },
		{ &vain, 30, 0.001, 10, GB_LIMIT },
		{ &fixed, 4, 0.001, 50, GOES_ON },
		{ &fixed, 5, 0.5, 0, GB_FIXED },
		{ &fixed, 5, 0.5, 100, GB_FIXED },
		{ &fixed, 4, 0.5, 100, GB_LIMIT },
	};

	fixed.samples = 5;
	fixed.min_samples = 1;
	vain.rel_ci = 0;
	vain.timeout_s = 1000;
	for (size_t i = 0; i < GB_COUNT(row); i++)
		cr_expect(eq(int,
			     stop_of(row[i].n, row[i].half_width, row[i].how, row[i].elapsed_s),
			     row[i].stop),
			  "%zu samples, +-%g, %g s", row[i].n, row[i].half_width, row[i].elapsed_s);
}

/* The rule is checked after each of the first samples.  Later checks come in pairs, so that the
 * sample after the one that was enough is the last.  They are a sixteenth of the samples apart. */
Test(stopping, checks_come_in_pairs)
{
	size_t checks = 0, last = 9;
	bool before = true, single = false;

	for (size_t n = 10; n <= GB_MAX_SAMPLES; n++) {
		bool now;

		(void)stop_of(n, 0.25, &usual, 0.1);
		now = !isnan(watched);
		cr_expect(now || n > 50, "%zu", n);
		if (now) {
			cr_expect(epsilon_eq(dbl, watched, 0.25, 1e-12), "%g", watched);
			cr_expect(n - last <= 1 + n / 16, "%zu follows %zu", n, last);
			last = n;
		}
		cr_expect(now || !single, "%zu is single", n - 1);
		single = now && !before && n < GB_MAX_SAMPLES;
		before = now;
		checks += now;
	}
	cr_expect(checks < 250, "%zu", checks);
}

/* The interval of the median of six samples is from the least to the largest; that of a phase may
 * be twice the wanted part of the time wide. */
Test(stopping, phases_are_narrow_enough)
{
	static const struct {
		bool for_paper;
		size_t n;
		double low, high, other_high;
		bool narrow;
	} row[] = {
		{ false, 6, 100, 200, 200, true },  { false, 6, 100, 201, 200, false },
		{ false, 6, 100, 200, 201, false }, { true, 6, 100, 100, 100, false },
		{ false, 52, 100, 100, 100, true }, { false, 53, 100, 100, 100, false },
		{ false, 0, 100, 100, 100, false },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_settings how = { .rel_ci = 0.5, .for_paper = row[i].for_paper };
		struct gb_result r = samples_of(6, 0);
		struct gb_error err = { 0 };

		for (size_t k = 0; k < 6; k++)
			r.time.value[k] = 100;
		r.phase_count = 2;
		for (size_t k = 0; k < row[i].n; k++) {
			(void)gb_series_push(&r.phase[0].time, k ? row[i].high : row[i].low, &err);
			(void)gb_series_push(&r.phase[1].time, k ? row[i].other_high : row[i].low,
					     &err);
		}
		cr_expect(eq(int, gb_phases_are_narrow(&r, &how), row[i].narrow), "row %zu", i);
		gb_result_release(&r);
	}
}

Test(stopping, a_trial_ends_at_its_limits)
{
	/* A fiftieth of --max-time is 0.25 s, a quarter 3.125 s. */
	static const struct gb_settings how = { .max_time_s = 12.5, .timeout_s = 60 };
	static const struct gb_settings slow = { .max_time_s = 100, .timeout_s = 60 };
	static const struct gb_settings fixed = { .samples = 3,
						  .max_time_s = 12.5,
						  .timeout_s = 60 };
	static const struct {
		const struct gb_settings *how;
		size_t n;
		double elapsed_s;
		bool ends;
	} row[] = { { &how, 10, 1, true },    { &how, 9, 1.24, false },  { &how, 5, 1.25, true },
		    { &how, 5, 1.24, false }, { &how, 4, 1.25, false },  { &how, 2, 4.125, true },
		    { &how, 2, 4.12, false }, { &how, 1, 13.4, false },  { &how, 1, 13.5, true },
		    { &slow, 1, 60, true },   { &slow, 1, 59.9, false }, { &fixed, 3, 1, true },
		    { &fixed, 2, 1, false },  { &fixed, 2, 4.125, true } };

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_result result = samples_of(row[i].n, 0);

		result.cost.before_s = 1;
		cr_expect(
			eq(int, gb_stop_trial(&result, row[i].how, row[i].elapsed_s), row[i].ends),
			"%zu samples, %g s", row[i].n, row[i].elapsed_s);
		gb_result_release(&result);
	}
}

Test(stopping, a_trial_goes_on_if_the_rest_is_short)
{
	/* A hundredth of --max-time is 0.125 s. */
	static const struct gb_settings how = { .max_time_s = 12.5 };
	static const struct gb_cost cost[] = { { .sample_s = 0.0625, .verify_s = 0.06 },
					       { .sample_s = 0.0625, .verify_s = 0.0625 } };

	for (size_t i = 0; i < GB_COUNT(cost); i++) {
		const struct gb_result result = { .cost = cost[i] };

		cr_expect(eq(int, gb_trial_goes_on(&result, &how), i == 0));
	}
}

Test(stopping, a_trial_has_one_warm_up_run_unless_caches_are_hot)
{
	static const int64_t row[][3] = {
		/* --hot, --warmup, that of the trial */
		{ 0, 0, 0 }, { 0, 1, 1 }, { 0, 2, 1 }, { 1, 0, 0 }, { 1, 3, 3 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_settings how = {
			.hot = row[i][0], .warmup = row[i][1], .samples = 7, .verify_all = 1
		};
		const struct gb_settings trial = gb_trial_of(&how);

		cr_expect(eq(i64, trial.warmup, row[i][2]));
		cr_expect(trial.trial && !trial.verify_all && trial.samples == 7);
	}
}

/* A second passes before the first sample, and a sample takes 0.1 s. */
Test(stopping, estimates_of_known_costs)
{
	const struct {
		struct gb_settings how;
		size_t samples; /* of the trial */
		double half_width, verify_s, rest_s, seconds;
	} row[] = {
		/* 10 samples; without a trial of it, the rest is three runs */
		{ usual, 5, 0, 0, 2, 1 + 1 + 2 },
		{ usual, 5, 0, 0, NAN, 1 + 1 + 0.3 },
		/* --min-samples, --max-time and the time-out */
		{ { .min_samples = 3, .rel_ci = 1, .timeout_s = 100 }, 5, 0, 0, 0, 1 + 0.3 },
		{ { .min_samples = 3, .rel_ci = 1, .max_time_s = 20, .timeout_s = 100 },
		  5,
		  0,
		  0,
		  0,
		  2 },
		{ { .min_samples = 3, .rel_ci = 0, .max_time_s = 4, .timeout_s = 100 },
		  5,
		  0,
		  0,
		  0,
		  4 },
		{ { .samples = 70, .timeout_s = 3.05 }, 5, 0, 0, 0, 1 + 2.1 },
		/* with 3 % of noise, 55 samples make the interval narrow enough */
		{ { .min_samples = 3, .rel_ci = 0.01, .max_time_s = 10, .timeout_s = 100 },
		  4,
		  0,
		  0,
		  0,
		  1 + 5.5 },
		/* ... and if 55 cannot be taken in time, 20 show that */
		{ { .min_samples = 3, .rel_ci = 0.01, .max_time_s = 6, .timeout_s = 100 },
		  4,
		  0,
		  0,
		  0,
		  1 + 2 },
		/* three samples are verified, or all */
		{ { .samples = 8, .timeout_s = 100 }, 5, 0, 1, 0, 1 + 0.8 + 3 },
		{ { .samples = 2, .timeout_s = 100 }, 5, 0, 1, 0, 1 + 0.2 + 2 },
		{ { .samples = 8, .timeout_s = 100, .verify_all = 1 }, 5, 0, 1, 0, 1 + 0.8 + 8 },
		{ { .samples = 8, .timeout_s = 100, .no_verify = 1 }, 5, 0, 1, 0, 1 + 0.8 },
		{ { .samples = 80, .timeout_s = 100 }, 5, 0, 0.03, 0, 1 + 8 + 0.09 },
		/* a trial has one warm-up run of five */
		{ { .samples = 5, .timeout_s = 100, .warmup = 5 }, 5, 0, 0, 0, 1 + 0.4 + 0.5 },
		{ { .samples = 5, .timeout_s = 100, .warmup = 5, .hot = 1 }, 5, 0, 0, 0, 1.5 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_result trial = samples_of(row[i].samples, row[i].half_width);
		struct gb_tried tried;
		double seconds;

		trial.cost = (struct gb_cost){ 1, 0.1, row[i].verify_s, row[i].rest_s };
		tried = gb_tried_of(&trial);
		seconds = gb_estimate_s(&tried, &row[i].how);
		cr_expect(epsilon_eq(dbl, seconds, row[i].seconds, 1e-6), "row %zu: %g s", i,
			  seconds);
		gb_result_release(&trial);
	}
	/* An interval four times as wide as wanted takes 16 samples. */
	cr_expect(epsilon_eq(
		dbl,
		gb_estimate_s(&(struct gb_tried){ .cost = { 1, 0.1, 0, 0 }, .half_width = 0.04 },
			      &usual),
		1 + 1.6, 1e-6));
}

/* Durations above a millisecond grow with the problem, here three times as large. */
Test(stopping, costs_of_a_larger_problem)
{
	const struct gb_tried one = {
		.cost = { 1, 0.1, 0.501, 2 }, .run_s = 0.05, .once_s = 0.7, .half_width = 0.01
	};
	const struct gb_tried three = gb_tried_times(&one, 3);

	cr_expect(epsilon_eq(dbl, gb_input_s(0.501, 3), 1.501, 1e-9));
	cr_expect(epsilon_eq(dbl, gb_input_s(0.001, 3), 0.001, 1e-9));
	cr_expect(epsilon_eq(dbl, three.cost.before_s, 2.4, 1e-9));
	cr_expect(epsilon_eq(dbl, three.cost.sample_s, 0.2, 1e-9));
	cr_expect(epsilon_eq(dbl, three.cost.verify_s, 1.501, 1e-9));
	cr_expect(epsilon_eq(dbl, three.cost.rest_s, 2.3, 1e-9));
	cr_expect(epsilon_eq(dbl, three.once_s, 2.1, 1e-9));
	cr_expect(epsilon_eq(dbl, three.run_s, 0.15, 1e-9));
	cr_expect(eq(dbl, three.half_width, 0.01));
	cr_expect(epsilon_eq(dbl, gb_trial_s(&one), 1.701, 1e-9));
}
