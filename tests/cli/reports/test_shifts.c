/* test_shifts.c -- shifts of the level of a series: probabilities compared with exact ones,
 * synthetic series with known answers, the rate of false alarms.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "cli/reports/history/splits.h"
#include "tests/cli/reports/series.h"

/* ---- probabilities ------------------------------------------------------------------------ */

static double normal_tail(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

/* P(U >= u), from all orders of n and m values. */
static double exact_tail(size_t n, size_t m, size_t u)
{
	double way[64][1100] = { { 0 } }, all = 0, tail = 0;

	for (size_t i = 0; i <= n; i++)
		way[i][0] = 1;
	for (size_t j = 1; j <= m; j++)
		for (size_t i = 1; i <= n; i++)
			for (size_t k = i * j; k >= j; k--)
				way[i][k] += way[i - 1][k - j];
	for (size_t k = 0; k <= n * m; k++) {
		all += way[n][k];
		tail += k >= u ? way[n][k] : 0;
	}
	return tail / all;
}

Test(shifts, the_deviate_has_the_exact_tail)
{
	static const struct {
		size_t n, m, u;
	} at[] = {
		{ 4, 4, 16 },   { 4, 4, 14 },   { 4, 20, 80 },   { 4, 20, 70 },   { 20, 4, 80 },
		{ 5, 50, 250 }, { 5, 50, 200 }, { 10, 30, 260 }, { 10, 30, 300 }, { 29, 29, 600 }
	};

	for (size_t i = 0; i < GB_COUNT(at); i++) {
		const double exact = exact_tail(at[i].n, at[i].m, at[i].u);
		const double z = gb_mann_whitney_deviate(at[i].n, at[i].m, (double)at[i].u);
		const double other = gb_mann_whitney_deviate(at[i].n, at[i].m,
							     (double)(at[i].n * at[i].m - at[i].u));

		/* Normal tails alone are off by factors of up to ten here. */
		cr_expect(fabs(normal_tail(z) / exact - 1) < 0.3, "%zu %zu %zu: %g, exactly %g",
			  at[i].n, at[i].m, at[i].u, normal_tail(z), exact);
		cr_expect(epsilon_eq(dbl, other, -z, 1e-9));
	}
	cr_expect(epsilon_eq(dbl, gb_mann_whitney_deviate(7, 9, 31.5), 0, 1e-12));
}

Test(shifts, the_largest_of_all_splits_has_at_most_its_probability)
{
	enum { COUNT = 60, TRIALS = 2000 };
	size_t beyond = 0;

	for (uint64_t t = 0; t < TRIALS; t++) {
		double value[COUNT], most = 0;

		for (size_t i = 0; i < COUNT; i++)
			value[i] = gb_random_unit_stream(t, 2, i);
		for (size_t n = 4; n <= COUNT - 4; n++) {
			double u = 0;

			for (size_t i = 0; i < n; i++)
				for (size_t k = n; k < COUNT; k++)
					u += value[i] < value[k];
			most = fmax(most, fabs(gb_mann_whitney_deviate(n, COUNT - n, u)));
		}
		beyond += gb_largest_deviate_p(most, COUNT, 4) <= 0.05;
	}
	cr_expect(beyond <= TRIALS / 20 + 30 && beyond >= TRIALS / 50, "%zu of %d", beyond, TRIALS);
}

/* The saddlepoint's values, solved with 40 digits by bisection.  From 31 values on both sides, and
 * near the mean, the deviate is the normal one. */
Test(shifts, the_deviate_to_the_last_digits)
{
	static const struct {
		size_t n, m;
		double u, z;
	} at[] = {
		{ 4, 4, 16, 2.294579594871775 },
		{ 4, 4, 9, 0.1364663524279916 },
		{ 4, 200, 800, 5.590991049762376 },
		{ 200, 4, 0, -5.590991049762376 },
		{ 10, 30, 260, 3.64267672570286 },
		{ 12, 9, 70, 1.086666701688078 },
		{ 30, 31, 700, 3.46256517890602 },
		{ 31, 31, 700, 3.083207610431118 },
		{ 31, 30, 700, 3.46256517890602 },
		{ 7, 9, 32.5, 0.05140240148836954 },
		{ 7, 9, 31, 0 },
		{ 29, 40, 700, 1.449767952015101 },
	};

	for (size_t i = 0; i < GB_COUNT(at); i++)
		cr_expect(epsilon_eq(dbl, gb_mann_whitney_deviate(at[i].n, at[i].m, at[i].u),
				     at[i].z, 1e-7));
}

/* The best split of an interval, by counting pairs. */
Test(shifts, the_best_split)
{
	static const struct {
		double value[12];
		size_t count, segment;
		double inflation;
		size_t at;
		double z, p;
	} row[] = {
		{ { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8 },
		  12,
		  2,
		  1,
		  4,
		  2.118069691485076,
		  0.3042727403106703 },
		{ { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8 },
		  12,
		  3,
		  2,
		  4,
		  2.118069691485076,
		  0.5841233563320966 },
		{ { 1, 2, 3, 4, 15, 16, 17, 18 },
		  8,
		  4,
		  1,
		  4,
		  2.294579594871775,
		  0.04999953496207332 },
		{ { 1, 2, 3, 4, 15, 16, 17, 18 },
		  8,
		  2,
		  1.5,
		  4,
		  2.294579594871775,
		  0.350322991923774 },
		{ { 5, 5, 5, 5, 5, 5, 5, 5, 7, 7, 7, 7 },
		  12,
		  2,
		  1,
		  8,
		  2.956237316426554,
		  0.04937704664161726 },
		{ { 9, 9, 1, 1, 1, 1, 1, 1, 1, 1 },
		  10,
		  2,
		  1,
		  2,
		  2.094003246696042,
		  0.2846993487269518 },
		{ { 9, 9, 1, 1, 1, 1, 1, 1, 1, 1 },
		  10,
		  3,
		  1,
		  3,
		  2.318704481485864,
		  0.1335728995829822 },
		{ { 1, 2, 2, 3, 3, 3, 9, 8 }, 8, 3, 4, 3, 2.204275958742238, 0.8320507837316796 },
		{ { 1, 2, 3, 4 }, 3, 2, 1, 0, 0, 1 }, /* too few */
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_splitter splitter;
		struct gb_split split;

		/* The interval begins behind another value. */
		double value[13] = { 4 };

		memcpy(value + 1, row[i].value, sizeof row[i].value);
		cr_assert(gb_splitter_init(&splitter, value, row[i].count + 1, row[i].segment));
		split = gb_split_of(&splitter, 1, 1 + row[i].count, row[i].inflation);
		cr_expect(eq(sz, split.begin, 1));
		cr_expect(eq(sz, split.end, 1 + row[i].count));
		cr_expect(eq(sz, split.at, 1 + row[i].at), "row %zu", i);
		cr_expect(epsilon_eq(dbl, split.z, row[i].z, 1e-7), "row %zu", i);
		cr_expect(epsilon_eq(dbl, split.p, row[i].p, 1e-7), "row %zu", i);
		gb_splitter_release(&splitter);
	}
}

/* All intervals of a series, in six layers: 1 of 20 values, 3 of 15, 3 of 10, 5 of 8, 7 of 5 and 11
 * of 4. */
Test(shifts, the_splits_of_all_intervals)
{
	static const double value[] = { 2,  7,  1,  8,  2,  8,  1,  8,  2,  8,
					14, 15, 19, 10, 14, 15, 19, 12, 11, 16 };
	static const struct gb_split want[] = {
		{ 0, 20, 10, 4.454874297126004, 0.002287436140286861 },
		{ 0, 15, 10, 3.473478293725264, 0.2253216025486357 },
		{ 2, 17, 10, 3.673343260633106, 0.1165915879167683 },
		{ 5, 20, 10, 3.473478293725264, 0.2253216025486357 },
	};
	struct gb_splitter splitter;
	struct gb_split found[30];

	cr_assert(gb_splitter_init(&splitter, value, GB_COUNT(value), 2));
	cr_assert(eq(sz, splitter.most_splits, GB_COUNT(found)));
	cr_assert(eq(sz, gb_splits_find(&splitter, 1, found), GB_COUNT(want)));
	for (size_t i = 0; i < GB_COUNT(want); i++) {
		cr_expect(eq(sz, found[i].begin, want[i].begin));
		cr_expect(eq(sz, found[i].end, want[i].end));
		cr_expect(eq(sz, found[i].at, want[i].at));
		cr_expect(epsilon_eq(dbl, found[i].z, want[i].z, 1e-7));
		cr_expect(epsilon_eq(dbl, found[i].p, want[i].p, 1e-7));
	}
	cr_expect(eq(sz, gb_splits_find(&splitter, 0.1, found), 1));
	gb_splitter_release(&splitter);
}

/* The formula's values, to the last digits. */
Test(shifts, the_probability_of_the_largest_deviate)
{
	static const struct {
		double z;
		size_t count, segment;
		double p;
	} at[] = {
		{ 3, 60, 4, 0.0682872754040173 },
		{ -3, 60, 4, 0.0682872754040173 },
		{ 2.5, 20, 4, 0.13010269415355574 },
		{ 4.5, 400, 4, 0.00064258942154625217 },
		{ 0.5, 60, 4, 0.96788289807657346 }, /* as of 1 */
		{ 1.5, 1000, 4, 1 },                 /* a bound of 1.54 */
	};

	for (size_t i = 0; i < GB_COUNT(at); i++)
		cr_expect(epsilon_eq(dbl, gb_largest_deviate_p(at[i].z, at[i].count, at[i].segment),
				     at[i].p, 1e-12));
}

/* ---- synthetic series ------------------------------------------------------------------------ */

enum { MOST = 400 };

/* Uniform noise of +-`noise` around levels that begin at at[i]; 0 ends the list. */
static size_t make(double *value, size_t count, double noise, const size_t *at, const double *level,
		   uint64_t seed)
{
	size_t l = 0;

	for (size_t i = 0; i < count; i++) {
		if (at[l] && i == at[l])
			l++;
		value[i] = level[l] * (1 + noise * (2 * gb_random_unit_stream(seed, 3, i) - 1));
	}
	return count;
}

/* The places found and their directions, as "+20 -40". */
static const char *found(const double *value, size_t count)
{
	static char text[400];
	struct gb_error err = { 0 };
	struct gb_shift *shift;
	size_t shifts, n = 0;

	text[0] = '\0';
	cr_assert(eq(int, (int)gb_shifts_find(value, count, &gb_shift_rule, &shift, &shifts, &err),
		     GB_OK));
	for (size_t i = 0; i < shifts; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%c%zu", i ? " " : "",
				      shift[i].ratio.estimate > 1 ? '+' : '-', shift[i].at);
	free(shift);
	return text;
}

Test(shifts, levels)
{
	static const struct {
		size_t count;
		double noise;
		size_t at[6];
		double level[6];
		const char *found;
	} made[] = {
		{ 40, 0.01, { 20 }, { 100, 110 }, "+20" },
		{ 40, 0.01, { 20 }, { 100, 90 }, "-20" },
		/* Four launches of a new level, the minimum, at either end. */
		{ 40, 0.01, { 36 }, { 100, 110 }, "+36" },
		{ 40, 0.01, { 4 }, { 100, 110 }, "+4" },
		/* Up and down again: no single split of the whole is good. */
		{ 60, 0.01, { 26, 34 }, { 100, 110, 100 }, "+26 -34" },
		{ 400,
		  0.01,
		  { 50, 100, 200, 390 },
		  { 100, 103, 106, 100, 120 },
		  "+50 +100 -200 +390" },
		{ 38, 0.05, { 12, 34 }, { 100, 79, 85 }, "-12 +34" },
		{ 90, 0.05, { 21, 29, 38 }, { 100, 113, 122, 97 }, "+21 +29 -38" },
		{ 33, 0.05, { 4, 19 }, { 100, 88, 96 }, "-4 +19" },
		{ 42, 0.02, { 18, 32 }, { 100, 121, 131 }, "+18 +32" },
		{ 86, 0.05, { 17, 34 }, { 100, 116, 125 }, "+17 +34" },
		/* Small shifts beside large ones, of which some move twice. */
		{ 65, 0.05, { 11, 20, 35 }, { 100, 81, 92, 92 }, "-11 +20" },
		{ 70, 0.05, { 12, 34 }, { 100, 95, 113 }, "-9 +34" },
		{ 54, 0.05, { 15, 20, 32 }, { 100, 74, 67, 54 }, "-15 +27 -32" },
		{ 81, 0.1, { 9, 30 }, { 100, 81, 102 }, "-9 +30" },
		{ 40, 0.01, { 0 }, { 100 }, "" },
		/* Significant but too small; three launches are not a level; too few launches. */
		{ 40, 0.0001, { 20 }, { 100, 100.8 }, "" },
		{ 40, 0.01, { 37 }, { 100, 110 }, "" },
		{ 7, 0.01, { 4 }, { 100, 200 }, "" },
		{ 8, 0.01, { 4 }, { 100, 200 }, "" },
		/* No noise. */
		{ 160, 0, { 80 }, { 100, 105 }, "+80" },
	};
	double value[MOST];

	for (size_t i = 0; i < GB_COUNT(made); i++) {
		make(value, made[i].count, made[i].noise, made[i].at, made[i].level, 7);
		cr_expect(eq(str, (char *)found(value, made[i].count), (char *)made[i].found),
			  "series %zu", i);
	}
	for (size_t count = 0; count < 50; count++) {
		make(value, count, 0, (size_t[]){ 0 }, (double[]){ 100 }, 0);
		cr_expect(eq(str, (char *)found(value, count), ""), "%zu equal values", count);
	}
	/* One outlier, however far out. */
	make(value, 60, 0.01, (size_t[]){ 0 }, (double[]){ 100 }, 5);
	value[30] = 1e9;
	cr_expect(eq(str, (char *)found(value, 60), ""));
	/* All values are one of two. */
	for (size_t i = 0; i < 60; i++)
		value[i] = 100 + (double)(i % 2);
	cr_expect(eq(str, (char *)found(value, 60), ""));
}

/* Between noise of +-1 % about two levels, 4 % or 2.70 standard deviations apart, are four launches
 * 4 % above the higher one, then five on the lower one.  By ranks, each counts the same.  By
 * Huber's loss, each of the four costs 1.345 * 2.70 = 3.63 more on the lower level, and each of the
 * five 1.345 * (2.70 - 1.345 / 2) = 2.72 more on the higher one. */
Test(shifts, the_place_depends_on_sizes)
{
	double value[MOST];

	for (int i = 0; i < 49; i++) {
		const int percent = i < 20   ? i % 2 * 2 - 1
				    : i < 24 ? 8
				    : i < 29 ? 0
					     : i % 2 * 2 + 3;

		value[i] = exp(0.01 * percent);
	}
	cr_expect(eq(str, (char *)found(value, 49), "+20"));
}

/* A shift of so many percent at the 20th of 40 launches, in noise with a standard deviation of 1.48
 * percent by its median.  Correlated noise has fewer independent values, so p is larger, but not if
 * the shift is above four deviations. */
Test(shifts, correlated_noise_makes_a_shift_less_probable)
{
	static const int noise[] = { -3, -2, -2, -1, 0, 0,  1, 2, 9, 1,  0,  -1, -1, -2,
				     1,  2,  1,  1,  0, -1, 0, 1, 1, 2,  0,  -1, -2, -9,
				     -1, 0,  1,  2,  2, 3,  1, 0, 0, -1, -2, -1 };
	static const struct {
		int percent;
		bool alternates;
		double inflation;
	} row[] = { { 5, false, 2.20665541257 }, { 6, false, 1 }, { 3, true, 1 } };

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		double value[GB_COUNT(noise)];
		struct gb_splitter splitter;
		struct gb_error err = { 0 };
		struct gb_shift *shift;
		size_t shifts;

		for (size_t k = 0; k < GB_COUNT(noise); k++)
			value[k] = exp(0.01 * (noise[k] * (row[i].alternates && k % 2 ? -1 : 1) +
					       (k < 20 ? 0 : row[i].percent)));
		cr_assert(eq(int,
			     (int)gb_shifts_find(value, GB_COUNT(noise), &gb_shift_rule, &shift,
						 &shifts, &err),
			     GB_OK));
		cr_assert(eq(sz, shifts, 1));
		cr_expect(eq(sz, shift->at, 20));
		cr_assert(gb_splitter_init(&splitter, value, GB_COUNT(noise), 4));
		cr_expect(epsilon_eq(dbl, shift->p,
				     gb_split_of(&splitter, 0, GB_COUNT(noise), row[i].inflation).p,
				     1e-10));
		gb_splitter_release(&splitter);
		free(shift);
	}
}

/* The interval contains the true size in 95 % of series. */
Test(shifts, the_size_and_its_interval)
{
	enum { TRIALS = 100 };
	size_t held = 0;

	for (uint64_t t = 0; t < TRIALS; t++) {
		double value[MOST];
		struct gb_error err = { 0 };
		struct gb_ratio ratio;

		make(value, 60, 0.02, (size_t[]){ 30, 0 }, (double[]){ 100, 110 }, t);
		cr_assert(eq(int, (int)gb_shift_ratio(value, 0, 30, 60, &ratio, &err), GB_OK));
		cr_expect(epsilon_eq(dbl, ratio.estimate, 1.1, 0.02));
		held += ratio.interval.low < 1.1 && ratio.interval.high > 1.1;
	}
	cr_expect(held >= 88 && held < TRIALS, "%zu of %d", held, TRIALS);
}

Test(shifts, invalid_times_are_refused)
{
	double value[20];
	struct gb_error err = { 0 };
	struct gb_shift *shift;
	size_t shifts;

	for (size_t i = 0; i < 20; i += 19) {
		make(value, 20, 0.01, (size_t[]){ 0 }, (double[]){ 100 }, 0);
		value[i] = 0;
		shift = (struct gb_shift *)&err;
		shifts = 1;
		cr_expect(eq(int,
			     (int)gb_shifts_find(value, 20, &gb_shift_rule, &shift, &shifts, &err),
			     GB_ERUNTIME));
		cr_expect(all(zero(ptr, shift), zero(sz, shifts)));
	}
}

/* Independent values without a shift, in series of various lengths. */
Test(shifts, false_alarms_are_rare)
{
	enum { TRIALS = 300 };

	for (size_t count = 10; count <= 160; count *= 4) {
		size_t wrong = 0;
		double value[MOST];

		for (uint64_t t = 0; t < TRIALS; t++) {
			make(value, count, 0.1, (size_t[]){ 0 }, (double[]){ 100 }, t);
			wrong += found(value, count)[0] != '\0';
		}
		cr_expect(10 * wrong <= TRIALS, "%zu of %d series of %zu", wrong, TRIALS, count);
	}
}

/* The recorded launches with noise of 5 %: most shifts of 10 % are found, and few false ones. */
Test(shifts, planted_shifts_are_found)
{
	static struct launches all;
	struct score score = { 0 };

	cr_assert(read_launches(&all, "results/measured/launches.txt"));
	scale_noise(&all, 0.05);
	for (uint64_t i = 0; i < 40; i++) {
		const struct series s = make_series(&all, 0.1, 50, i);

		try_series(&score, &s, &gb_shift_rule);
	}
	cr_expect(100 * score.right >= 65 * score.planted, "%zu of %zu", score.right,
		  score.planted);
	cr_expect(100 * score.right >= 65 * score.found, "%zu of %zu", score.right, score.found);
}
