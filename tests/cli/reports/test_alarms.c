/* test_alarms.c -- error rates over thousands of simulated launches: intervals of ratios, and
 * shifts that `history` finds in series that have none.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>

#include "cli/reports/history/shifts.h"
#include "common/rng.h"
#include "common/stats.h"

/* A sequence of random numbers that starts at seed. */
struct random_numbers {
	uint64_t seed, drawn;
};

static double uniform(struct random_numbers *random)
{
	return gb_random_unit_stream(random->seed, 7, random->drawn++);
}

static double normal(struct random_numbers *random)
{
	const double radius = sqrt(-2 * log1p(-uniform(random)));

	return radius * cos(2 * M_PI * uniform(random));
}

/* ---- ratios ------------------------------------------------------------------------------- */

/* How many of the intervals contain the true ratio, per thousand. */
static double coverage(size_t base, size_t other, size_t trials)
{
	struct random_numbers random = { .seed = base };
	size_t held = 0;

	for (size_t t = 0; t < trials; t++) {
		double a[64], b[64];
		struct gb_error err = { 0 };
		struct gb_ratio r;

		for (size_t i = 0; i < base; i++)
			a[i] = exp(0.05 * normal(&random));
		for (size_t i = 0; i < other; i++)
			b[i] = 1.1 * exp(0.05 * normal(&random));
		cr_assert(eq(int, (int)gb_ratio(a, base, b, other, GB_LEVEL, &r, &err), GB_OK));
		held += r.interval.low <= 1.1 && 1.1 <= r.interval.high;
	}
	return 1000 * (double)held / (double)trials;
}

/* 95 %, by the exact distribution up to 50 launches a side, and by the normal one above. */
Test(alarms, intervals_of_ratios_hold)
{
	static const size_t count[][2] = { { 5, 5 },   { 10, 20 }, { 50, 50 },
					   { 51, 51 }, { 60, 8 },  { 64, 64 } };

	for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
		const double held = coverage(count[i][0], count[i][1], 1500);

		cr_expect(held >= 938 && held < 975, "%zu and %zu: %g of 1000", count[i][0],
			  count[i][1], held);
	}
}

/* ---- shifts ------------------------------------------------------------------------------- */

enum { MOST = 160 };

/* The noise of launches without a shift. */
struct noise {
	double size, correlation; /* standard deviation of the logarithm; of neighbours */
	double tick;              /* times are multiples of this; 0: exact */
};

/* The number of series, of so many, in which the last shift has a p of at most `level`. */
static size_t alarms_at(struct noise noise, size_t count, size_t series, uint64_t seed,
			double level)
{
	struct random_numbers random = { .seed = seed };
	size_t found = 0;

	for (size_t s = 0; s < series; s++) {
		double value[MOST], x = normal(&random);
		struct gb_error err = { 0 };
		struct gb_shift *shift;
		size_t shifts;

		for (size_t i = 0; i < count; i++) {
			x = noise.correlation * x +
			    sqrt(1 - noise.correlation * noise.correlation) * normal(&random);
			value[i] = 100 * exp(noise.size * x);
			if (noise.tick > 0)
				value[i] = fmax(1, round(value[i] / noise.tick)) * noise.tick;
		}
		cr_assert(
			eq(int,
			   (int)gb_shifts_find(value, count, &gb_shift_rule, &shift, &shifts, &err),
			   GB_OK));
		found += shifts > 0 && shift[shifts - 1].p <= level;
		free(shift);
	}
	return found;
}

static size_t alarms(struct noise noise, size_t count, size_t series, uint64_t seed)
{
	return alarms_at(noise, count, series, seed, 1);
}

/* The newest level of an unchanged series is called slower if its shift has a p of at most the
 * error's share of a series.  Over many series together this is as rare as promised. */
Test(alarms, many_series_share_the_error)
{
	enum { SERIES = 28, GATES = 150, COUNT = 40 };
	const struct noise noise = { .size = 0.05 };
	size_t red = 0;

	for (uint64_t g = 0; g < GATES; g++)
		red += alarms_at(noise, COUNT, SERIES, 100 + g, 0.05 / SERIES) > 0;
	cr_expect(red <= 12, "%zu of %d", red, GATES);
}

/* Launches that are alike for a while look like shifts.  Without the correction for correlation,
 * 205 and 503 of 1000 series of 80 launches with correlations of 0.2 and 0.4 have a shift; with
 * half of its weights, 163 and 350. */
Test(alarms, correlated_launches)
{
	static const struct {
		double correlation;
		size_t count, most; /* alarms in 1000 series */
	} row[] = { { 0, 20, 40 },    { 0, 80, 60 },    { 0, 160, 60 },
		    { 0.2, 80, 155 }, { 0.4, 20, 150 }, { 0.4, 80, 300 } };

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct noise noise = { .size = 0.05, .correlation = row[i].correlation };
		const size_t found = alarms(noise, row[i].count, 1000, 1);

		cr_expect(found <= row[i].most, "%zu launches, correlation %g: %zu of 1000",
			  row[i].count, row[i].correlation, found);
		cr_expect(found >= row[i].most / 4, "%zu launches, correlation %g: %zu of 1000",
			  row[i].count, row[i].correlation, found);
	}
}

/* Most times are one of two or three. */
Test(alarms, times_on_a_coarse_clock)
{
	for (size_t count = 20; count <= 80; count *= 4) {
		const struct noise noise = { .size = 0.02, .tick = 3 };
		const size_t found = alarms(noise, count, 1000, 1);

		cr_expect(found <= 60, "%zu launches: %zu of 1000", count, found);
	}
}

/* A shift of 10 % among correlated launches is still found. */
Test(alarms, a_shift_among_correlated_launches)
{
	struct random_numbers random = { .seed = 9 };
	size_t found = 0;

	for (size_t s = 0; s < 200; s++) {
		double value[80], x = normal(&random);
		struct gb_error err = { 0 };
		struct gb_shift *shift;
		size_t shifts;

		for (size_t i = 0; i < 80; i++) {
			x = 0.4 * x + sqrt(1 - 0.4 * 0.4) * normal(&random);
			value[i] = (i < 40 ? 100 : 110) * exp(0.03 * x);
		}
		cr_assert(eq(int,
			     (int)gb_shifts_find(value, 80, &gb_shift_rule, &shift, &shifts, &err),
			     GB_OK));
		for (size_t i = 0; i < shifts; i++)
			found += shift[i].at >= 37 && shift[i].at <= 43;
		free(shift);
	}
	cr_expect(found >= 180, "%zu of 200", found);
}
