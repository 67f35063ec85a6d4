/* test_stopping.c -- at which sample and instant a measurement ends. */
#include "cli/measure/stopping.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "common/text.h"

enum { GOES_ON, LIMIT = 'l', FIXED = 'f', CONVERGED = 'c' };

/* A result of n samples of 1000 ns, with an interval of 1000 * (1 -+ half_width) ns. */
static struct gb_result samples_of(size_t n, double half_width)
{
	struct gb_result result = { .resolution_ns = 1000 * half_width };
	struct gb_error err = { 0 };

	for (size_t i = 0; i < n; i++)
		cr_assert(zero(int, (int)gb_times_add(&result.record.time, 1000, &err)));
	return result;
}

/* The initial of why a measurement ends after n samples; GOES_ON if it does not. */
static int stop_of(size_t n, double half_width, const struct gb_settings *how, double elapsed_s)
{
	struct gb_result result = samples_of(n, half_width);
	const bool ends = gb_stop_sampling(&result, how, elapsed_s);
	const int stop = ends ? result.record.stop_reason[0] : GOES_ON;

	gb_record_release(&result.record);
	return stop;
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
		{ &usual, 10, 0.001, 5, CONVERGED },
		{ &usual, 9, 0.001, 5, GOES_ON },
		{ &usual, 10, 0.01, 1, CONVERGED },
		{ &usual, 10, 0.01, 0.99, GOES_ON },
		{ &usual, 10, 0.011, 1, GOES_ON },
		{ &usual, 10, 0.5, 10, LIMIT },
		{ &usual, 10, 0.5, 9.99, GOES_ON },
		/* Four times the samples are needed, and four times the time. */
		{ &usual, 20, 0.02, 2.5, GOES_ON },
		{ &usual, 20, 0.02, 2.51, LIMIT },
		{ &usual, 20, 0.2, 0.99, GOES_ON },
		{ &usual, 20, 0.2, 1, LIMIT },
		{ &usual, 19, 0.02, 2.51, GOES_ON },
		{ &usual, 160, 0.025, 1, GOES_ON },
		{ &usual, 161, 0.025, 1, LIMIT }, /* of GB_MAX_SAMPLES */
		{ &usual, GB_MAX_SAMPLES - 1, 0.5, 0.1, GOES_ON },
		{ &usual, GB_MAX_SAMPLES, 0.5, 0.1, LIMIT },
		{ &usual, 5, 0.001, 100, LIMIT },
		{ &usual, 5, 0.001, 99, GOES_ON },
		{ &vain, 30, 0.001, 9.99, GOES_ON },
		{ &vain, 30, 0.001, 10, LIMIT },
		{ &fixed, 4, 0.001, 50, GOES_ON },
		{ &fixed, 5, 0.5, 0, FIXED },
		{ &fixed, 5, 0.5, 100, FIXED },
		{ &fixed, 4, 0.5, 100, LIMIT },
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
		const bool now = stop_of(n, 0.001, &usual, 5) == CONVERGED;

		cr_expect(now || n > 50, "%zu", n);
		if (now) {
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
