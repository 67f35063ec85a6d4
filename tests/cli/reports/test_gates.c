/* test_gates.c -- `ab` on recorded launches (trials.h): its error rate, and the launches it
 * takes.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/cli/reports/trials.h"
#include "tests/sanitized.h"

/* ---- looks -------------------------------------------------------------------------------- */

/* The numbers of launches after which there is a look. */
static const char *looks(int64_t most)
{
	static char text[200];
	size_t n = 0;

	text[0] = '\0';
	for (int64_t done = 0; done <= most; done++)
		if (gb_look_due(done, most))
			n += (size_t)snprintf(text + n, sizeof text - n, "%lld ", (long long)done);
	return text;
}

Test(gates, looks_end_at_the_last_launch)
{
	cr_expect(eq(str, (char *)looks(1), "1 "));
	cr_expect(eq(str, (char *)looks(5), "5 "));
	cr_expect(eq(str, (char *)looks(8), "6 8 "));
	cr_expect(eq(str, (char *)looks(10), "5 7 10 "));
	cr_expect(eq(str, (char *)looks(20), "5 7 10 14 20 "));
	cr_expect(eq(str, (char *)looks(100), "18 25 35 50 71 100 "));
	cr_expect(epsilon_eq(dbl, gb_look_level(4), GB_LEVEL, 1e-12));
	cr_expect(epsilon_eq(dbl, gb_look_level(10), 1 - 0.0221, 1e-12));
	cr_expect(epsilon_eq(dbl, gb_look_level(1000), 1 - 0.0142, 1e-12));
}

/* All looks together find an interval without 1 no more often than a single one at 95 %. */
Test(gates, looks_together_keep_the_level)
{
	enum { TRIALS = 2000, MOST_WRONG = TRIALS / 20 + 30 };
	size_t wrong = 0;

	for (uint64_t t = 0; t < TRIALS; t++)
		wrong += excludes_one(10, t);
	cr_expect(wrong <= MOST_WRONG, "%zu of %d", wrong, TRIALS);
}

/* ---- trials ------------------------------------------------------------------------------- */

enum { TRIALS = UNLESS_SANITIZED(40, 12) };

/* Trials on the recorded launches, with their noise scaled unless `noise` is 0. */
static struct sum try_kept(double noise, double planted)
{
	static struct launches all;
	const struct plan plan = { .launches = 40, .early = true, .planted = planted };

	cr_assert(read_launches(&all, "results/measured/launches.txt"));
	cr_assert(all.keys >= 10);
	if (noise > 0)
		scale_noise(&all, noise);
	return try_keys(&all, plan, TRIALS);
}

Test(gates, the_same_build_is_rarely_flagged)
{
	const struct sum sum = try_kept(0.05, 1);

	cr_expect(50 * (sum.verdicts[GB_SLOWER] + sum.verdicts[GB_FASTER]) <= sum.keys,
		  "%zu slower, %zu faster of %zu", sum.verdicts[GB_SLOWER], sum.verdicts[GB_FASTER],
		  sum.keys);
	cr_expect(median_launches(&sum) <= 10, "%lld launches", (long long)median_launches(&sum));
}

Test(gates, the_same_build_is_rarely_flagged_with_measured_noise)
{
	const struct sum sum = try_kept(0, 1);

	cr_expect(50 * sum.verdicts[GB_SLOWER] <= sum.keys, "%zu of %zu slower",
		  sum.verdicts[GB_SLOWER], sum.keys);
	cr_expect(median_launches(&sum) <= 20, "%lld launches", (long long)median_launches(&sum));
}

Test(gates, ten_percent_are_found_with_measured_noise)
{
	const struct sum sum = try_kept(0, 1.1);

	cr_expect(10 * sum.verdicts[GB_SLOWER] >= 9 * sum.keys, "%zu of %zu found",
		  sum.verdicts[GB_SLOWER], sum.keys);
}

Test(gates, ten_percent_are_found)
{
	const struct sum sum = try_kept(0.05, 1.1);

	cr_expect(10 * sum.verdicts[GB_SLOWER] >= 9 * sum.keys, "%zu of %zu found",
		  sum.verdicts[GB_SLOWER], sum.keys);
	cr_expect(50 * sum.verdicts[GB_SAME] <= sum.keys, "%zu of %zu missed",
		  sum.verdicts[GB_SAME], sum.keys);
	cr_expect(eq(sz, sum.verdicts[GB_FASTER], 0));
	cr_expect(median_launches(&sum) <= 10, "%lld launches", (long long)median_launches(&sum));
}
