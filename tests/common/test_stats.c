/* test_stats.c -- common/stats.c against stored reference values.
 *
 * The references were computed once, with numpy 2.4.6, scipy 1.17.1 and mpmath 1.4.1:
 *	quantiles         numpy.quantile (its default is type 7)
 *	mean, stddev      mpmath, 40 digits
 *	mad               scipy.stats.median_abs_deviation
 *	interval, mean    mpmath with scipy.stats.t.ppf
 *	interval, median  scipy.stats.binom.cdf for the ranks, mpmath binomials for the coverage
 *	Student's t       mpmath: the regularised incomplete beta function inverted by findroot
 */
#include "common/stats.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "common/text.h"

static void near(double got, double want, double relative, const char *what)
{
	cr_assert(isnan(want) ? isnan(got) : fabs(got - want) <= relative * fabs(want),
		  "%s is %.17g, not %.17g", what, got, want);
}

/* ---- summaries --------------------------------------------------------------------------- */

static const struct {
	size_t count;
	double value[12];
	struct gb_summary want;
	double p10, p90;
} summaries[] = {
	/* times with two outliers */
	{ 12,
	  { 12.1, 11.8, 12.4, 11.9, 35.0, 12.0, 11.7, 12.2, 12.3, 11.95, 12.05, 9.5 },
	  { 12, 9.5, 11.875, 12.025, 12.225, 35, 13.741666666666667, 6.7372382166492219, 0.2, 11.8,
	    12.3, 9.4610297274822146, 18.022303605851119, 2 },
	  11.71,
	  12.39 },
	/* odd count, ties */
	{ 9,
	  { 3, 1, 4, 1, 5, 9, 2, 6, 5.5 },
	  { 9, 1, 2, 4, 5.5, 9, 4.0555555555555556, 2.6273137950724077, 2, 1, 6, 2.0360233969169147,
	    6.0750877141941964, 0 },
	  1,
	  6.6 },
	/* small differences of large numbers; too few for an interval of the median */
	{ 4,
	  { 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16 },
	  { 4, 1000000004, 1000000006.25, 1000000010, 1000000013.75, 1000000016, 1000000010,
	    5.4772255750516611, 4.5, NAN, NAN, 1000000001.2845119, 1000000018.7154881, 0 },
	  1000000004.9,
	  1000000015.1 },
	/* just enough for an interval of the median */
	{ 6,
	  { 6, 5, 4, 3, 2, 1 },
	  { 6, 1, 2.25, 3.5, 4.75, 6, 3.5, 1.8708286933869707, 1.5, 1, 6, 1.5366856930196761,
	    5.4633143069803239, 0 },
	  1.5,
	  5.5 },
	/* one value has no spread */
	{ 1, { 42 }, { 1, 42, 42, 42, 42, 42, 42, NAN, 0, NAN, NAN, NAN, NAN, 0 }, 42, 42 },
	/* no values, no statistics */
	{ 0,
	  { 0 },
	  { 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0 },
	  NAN,
	  NAN },
};

/* The numbers of a summary from min on, in its order. */
static const char *const names[] = { "min",    "q1",      "median",      "q3",
				     "max",    "mean",    "stddev",      "mad",
				     "ci_low", "ci_high", "mean_ci_low", "mean_ci_high" };

static double number(const struct gb_summary *s, size_t i)
{
	double value;

	memcpy(&value, (const char *)s + offsetof(struct gb_summary, min) + i * sizeof value,
	       sizeof value);
	return value;
}

Test(stats, summary)
{
	for (size_t k = 0; k < GB_COUNT(summaries); k++) {
		const size_t count = summaries[k].count;
		struct gb_error err = { 0 };
		struct gb_summary s;
		double sorted[12];

		cr_assert_eq(gb_summarize(count ? summaries[k].value : NULL, count, &s, &err),
			     GB_OK);
		cr_assert_eq(s.count, count);
		cr_assert_eq(s.outliers, summaries[k].want.outliers);
		cr_assert(count > 1 || isnan(gb_relative_half_width(&s)));
		/* 1e-13 for the mad: differences of rounded decimals */
		for (size_t i = 0; i < GB_COUNT(names); i++)
			near(number(&s, i), number(&summaries[k].want, i),
			     gb_equal(names[i], "mad") ? 1e-13 : 1e-14, names[i]);
		memcpy(sorted, summaries[k].value, sizeof sorted);
		gb_sort(sorted, count);
		near(gb_quantile_sorted(sorted, count, 0.1), summaries[k].p10, 1e-14, "10 %");
		near(gb_quantile_sorted(sorted, count, 0.9), summaries[k].p90, 1e-14, "90 %");
	}
}

Test(stats, equal_values_have_exact_moments)
{
	double value[1000];
	struct gb_error err = { 0 };
	struct gb_summary s;

	for (size_t i = 0; i < GB_COUNT(value); i++)
		value[i] = 0.1;
	cr_assert_eq(gb_summarize(value, GB_COUNT(value), &s, &err), GB_OK);
	cr_assert(s.mean == 0.1 && s.stddev == 0 && s.median == 0.1 && s.mad == 0);
	cr_assert(s.ci_low == 0.1 && s.ci_high == 0.1 && s.outliers == 0);
	cr_assert(gb_relative_half_width(&s) == 0);
}

/* The mean of these values is no double; its error must not enter the deviation. */
Test(stats, small_deviations_of_large_values)
{
	const double value[] = { 1e15, 1e15 + 0.125, 1e15 + 0.125 };
	struct gb_error err = { 0 };
	struct gb_summary s;

	cr_assert_eq(gb_summarize(value, 3, &s, &err), GB_OK);
	near(s.stddev, 0.0721687836487032206, 1e-14, "stddev");
	cr_assert_eq(gb_summarize((const double[]){ 1, 3 }, 2, &s, &err), GB_OK);
	near(s.stddev, sqrt(2), 1e-14, "stddev of two");
}

Test(stats, outliers_are_beyond_one_and_a_half_interquartile_ranges)
{
	static const struct {
		double value[5];
		size_t outliers;
	} table[] = {
		{ { 1, 2, 3, 4, 7 }, 0 },
		{ { 1, 2, 3, 4, 7.5 }, 1 },
		{ { -1, 2, 3, 4, 5 }, 0 },
		{ { -1.5, 2, 3, 4, 5 }, 1 },
	};

	for (size_t i = 0; i < GB_COUNT(table); i++) {
		struct gb_error err = { 0 };
		struct gb_summary s;

		cr_assert_eq(gb_summarize(table[i].value, 5, &s, &err), GB_OK);
		cr_assert_eq(s.outliers, table[i].outliers, "case %zu", i);
	}
}

Test(stats, values_that_are_not_finite_are_refused)
{
	const double value[] = { 1, 2, NAN }, infinite[] = { 1, INFINITY };
	struct gb_error err = { 0 };
	struct gb_summary s;

	cr_assert_eq(gb_summarize(value, 3, &s, &err), GB_ERUNTIME);
	cr_assert_str_eq(err.message, "value 2 of 3 is not a finite number");
	err = (struct gb_error){ 0 };
	cr_assert_eq(gb_summarize(infinite, 2, &s, &err), GB_ERUNTIME);
}

Test(stats, quantiles_outside_0_and_1_are_nan)
{
	const double value[] = { 1, 2 };

	cr_assert(isnan(gb_quantile_sorted(value, 2, -0.01)));
	cr_assert(isnan(gb_quantile_sorted(value, 2, 1.01)));
	cr_assert(isnan(gb_quantile_sorted(value, 2, NAN)));
}

Test(stats, an_interval_is_no_narrower_than_the_clock)
{
	const double same[] = { 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000 };
	struct gb_error err = { 0 };
	struct gb_summary s;

	cr_assert_eq(gb_summarize(same, 10, &s, &err), GB_OK);
	cr_assert(gb_relative_half_width(&s) == 0);
	gb_floor_interval(&s, 500);
	near(s.ci_low, 1500, 0, "low");
	near(s.ci_high, 2500, 0, "high");
	near(gb_relative_half_width(&s), 0.25, 1e-15, "half width");
	gb_floor_interval(&s, 100);
	near(s.ci_low, 1500, 0, "low stays");
	cr_assert_eq(gb_summarize(same, 2, &s, &err), GB_OK);
	gb_floor_interval(&s, 500);
	cr_assert(isnan(s.ci_low), "none is none");
}

Test(stats, half_width)
{
	struct gb_summary s = { .median = 100, .ci_low = 98, .ci_high = 104 };

	near(gb_relative_half_width(&s), 0.03, 1e-15, "half width");
	s.median = 0;
	cr_assert(isnan(gb_relative_half_width(&s)));
}

/* ---- ranks ------------------------------------------------------------------------------- */

Test(stats, ranks_of_the_median)
{
	static const struct {
		size_t count;
		double level;
		size_t low, high;
		double coverage;
	} table[] = {
		{ 0, 0.95, 0, 0, NAN },
		{ 1, 0.95, 0, 0, NAN },
		{ 2, 0.95, 0, 0, NAN },
		{ 2, 0.5, 1, 2, 0.5 }, /* exactly the level */
		{ 3, 0.95, 0, 0, NAN },
		{ 4, 0.95, 0, 0, NAN },
		{ 5, 0.95, 0, 0, NAN },
		{ 6, 0.9, 1, 6, 0.96875 },
		{ 6, 0.95, 1, 6, 0.96875 },
		{ 6, 0.99, 0, 0, NAN },
		{ 7, 0.95, 1, 7, 0.984375 },
		{ 7, 0.99, 0, 0, NAN },
		{ 10, 0.9, 2, 9, 0.978515625 },
		{ 10, 0.95, 2, 9, 0.978515625 },
		{ 10, 0.99, 1, 10, 0.998046875 },
		{ 30, 0.9, 11, 20, 0.901262853294611 },
		{ 30, 0.95, 10, 21, 0.9572260547429323 },
		{ 30, 0.99, 8, 23, 0.9947771206498146 },
		{ 57, 0.95, 21, 37, 0.9668560322124946 },
		{ 100, 0.95, 40, 61, 0.9647997997822952 },
		{ 101, 0.95, 41, 61, 0.9539559330706572 },
		{ 101, 0.99, 38, 64, 0.9906649518793552 },
		{ 1000, 0.95, 469, 532, 0.9537088026395018 },
		{ 10000, 0.95, 4902, 5099, 0.9511670501036182 },
		{ 10000, 0.99, 4871, 5130, 0.9904058418741641 },
	};

	for (size_t i = 0; i < GB_COUNT(table); i++) {
		size_t low, high;
		double coverage = gb_median_ranks(table[i].count, table[i].level, &low, &high);

		cr_assert_eq(low, table[i].low, "count %zu: low is %zu", table[i].count, low);
		cr_assert_eq(high, table[i].high, "count %zu: high is %zu", table[i].count, high);
		near(coverage, table[i].coverage, 1e-13, "coverage");
	}
}

/* ---- Student's t ------------------------------------------------------------------------- */

static const double probability[] = { 0.500001, 0.6, 0.9, 0.95, 0.975, 0.995, 0.9999, 0.999999 };

static const struct {
	size_t df;
	double t[GB_COUNT(probability)];
} student[] = {
	{ 1,
	  { 3.1415926536904672e-6, 0.32491969623290625, 3.0776835371752541, 6.3137515146750374,
	    12.706204736174693, 63.656741162871524, 3183.0987571185015, 318309.88618274349 } },
	{ 2,
	  { 2.8284271248331803e-6, 0.28867513459481282, 1.885618083164127, 2.9199855803537242,
	    4.3026527297494618, 9.9248432009182886, 70.700071074968172, 707.10572052593382 } },
	{ 9,
	  { 2.5770877237251527e-6, 0.26095533647391095, 1.3830287383966325, 1.8331129326562366,
	    2.262157162798205, 3.2498355415921257, 6.010132129081531, 10.7201604099095 } },
	{ 99,
	  { 2.5129660351785675e-6, 0.25402901215180665, 1.2901614420344853, 1.6603911560169905,
	    1.9842169515864171, 2.6264054572808272, 3.8630891071273095, 5.051973998252516 } },
	{ 199,
	  { 2.5097792707949816e-6, 0.25368607538177208, 1.2858202092594091, 1.652546746166563,
	    1.9719565442517534, 2.6007602160585159, 3.7894789938149369, 4.8980440593978476 } },
	{ 201,
	  { 2.5097478983580175e-6, 0.25368269988916697, 1.2857775925323176, 1.6524698419699859,
	    1.9718365067798589, 2.6005099190831934, 3.7887662069769812, 4.8965677191848189 } },
	{ 999,
	  { 2.5072556374495366e-6, 0.25341458333036731, 1.2823995700373974, 1.6463803454275352,
	    1.9623414611334496, 2.5807596372676365, 3.7328654996083125, 4.7816369788300793 } },
	{ 1000000,
	  { 2.5066289013628522e-6, 0.25334717053784162, 1.2815524121299386, 1.6448551507220401,
	    1.9599663568141067, 2.5758342201053338, 3.7190302747625712, 4.7534523482796808 } },
};

Test(stats, student_quantiles)
{
	for (size_t i = 0; i < GB_COUNT(student); i++)
		for (size_t j = 0; j < GB_COUNT(probability); j++)
			near(gb_student_quantile(2 * probability[j] - 1, student[i].df),
			     student[i].t[j],
			     (probability[j] > 0.9999 ? 1e-8 : 1e-10) *
				     (student[i].df > 100 * 1000 ? 10
								 : 1), /* it sums df / 2 terms */
			     "t");
	cr_assert(gb_student_quantile(0, 7) == 0);
	cr_assert(isnan(gb_student_quantile(1, 7)));
	cr_assert(isnan(gb_student_quantile(1.1, 7)));
	cr_assert(isnan(gb_student_quantile(-0.1, 7)));
	cr_assert(isnan(gb_student_quantile(0.9, 0)));
	cr_assert(isnan(gb_student_quantile(NAN, 3)));
}

Test(stats, an_interval_is_wide_beyond_a_tenth)
{
	cr_assert_str_eq(gb_width_mark(0.1), "");
	cr_assert_str_eq(gb_width_mark(0.101), " wide");
	cr_assert_str_eq(gb_width_mark(NAN), "", "there is none");
}
