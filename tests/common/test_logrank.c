/* test_logrank.c -- common/logrank.c against the enumeration of all choices of ranks. */
#include "common/logrank.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

#include "common/rng.h"

enum { MOST = 12 };

/* The score of each rank, from its definition. */
static int64_t score_of(unsigned rank, unsigned count)
{
	double sum = 0;

	for (unsigned j = rank; j <= count; j++)
		sum += 1.0 / j;
	return llround(64 * sum);
}

/* The sum of the scores of the ranks in a set, bit r for rank r + 1. */
static int64_t sum_of(unsigned set, unsigned count)
{
	int64_t sum = 0;

	for (unsigned r = 0; r < count; r++)
		sum += set >> r & 1 ? score_of(r + 1, count) : 0;
	return sum;
}

/* The share of the sets with `other` ranks whose sum is at most (or at least) that of `set`. */
static double share_of(unsigned set, unsigned count, bool at_least)
{
	unsigned total = 0, tail = 0;

	for (unsigned s = 0; s < 1u << count; s++) {
		if (__builtin_popcount(s) != __builtin_popcount(set))
			continue;
		total++;
		tail += at_least ? sum_of(s, count) >= sum_of(set, count)
				 : sum_of(s, count) <= sum_of(set, count);
	}
	return (double)tail / total;
}

/* Two ascending sides with these ranks. */
static void deal(unsigned set, unsigned count, double *base, double *other)
{
	for (unsigned r = 0; r < count; r++)
		*(set >> r & 1 ? other++ : base++) = 0.1 * r;
}

/* Every set of ranks: p is the share of sets that are as extreme, so a test at any level rejects
 * at most that share of them. */
Test(logrank, p_is_counted_exactly)
{
	for (unsigned n = 1; n <= 5; n++) {
		for (unsigned m = 1; m <= 5; m++) {
			struct gb_logrank test = { 0 };
			struct gb_error err = { 0 };
			double base[MOST], other[MOST], sets = 0, sum = 0, squares = 0;

			cr_assert(eq(int, (int)gb_logrank_init(&test, n, m, &err), GB_OK));
			for (unsigned set = 0; set < 1u << (n + m); set++) {
				if (__builtin_popcount(set) != (int)m)
					continue;
				sets++;
				sum += (double)sum_of(set, n + m);
				squares += pow((double)sum_of(set, n + m), 2);
				deal(set, n + m, base, other);
				cr_assert(epsilon_eq(dbl, gb_logrank_slower(&test, base, other, 0),
						     share_of(set, n + m, false), 1e-12));
				cr_assert(epsilon_eq(dbl, gb_logrank_faster(&test, base, other, 0),
						     share_of(set, n + m, true), 1e-12));
			}
			cr_assert(epsilon_eq(dbl, test.variance,
					     squares / sets - pow(sum / sets, 2), 1e-6));
			gb_logrank_release(&test);
		}
	}
}

/* Complete separation is one choice of many: the scale of up to 160 values tells it from others. */
Test(logrank, complete_separation)
{
	static const size_t count[] = { 4, 8, 40, 80 };

	for (size_t c = 0; c < sizeof count / sizeof *count; c++) {
		const size_t n = count[c];
		struct gb_logrank test = { 0 };
		struct gb_error err = { 0 };
		double base[80], other[80], choices = 0;

		for (size_t i = 0; i < n; i++) {
			base[i] = 1e-3 * (double)i;
			other[i] = 1 + base[i];
			choices += log((double)(n + i + 1) / (double)(i + 1));
		}
		cr_assert(eq(int, (int)gb_logrank_init(&test, n, n, &err), GB_OK));
		cr_expect(epsilon_eq(dbl, log(gb_logrank_slower(&test, base, other, 0)), -choices,
				     1e-9 * choices),
			  "%zu", n);
		cr_expect(epsilon_eq(dbl, gb_logrank_faster(&test, base, other, 0), 1, 1e-9));
		cr_expect(epsilon_eq(dbl, log(gb_logrank_faster(&test, base, other, 3)), -choices,
				     1e-9 * choices));
		gb_logrank_release(&test);
	}
}

/* Equal values are no evidence in either direction. */
Test(logrank, ties_are_broken_against_the_alternative)
{
	static const double same[] = { 1, 1, 1, 1, 1 };
	struct gb_logrank test = { 0 };
	struct gb_error err = { 0 };

	cr_assert(eq(int, (int)gb_logrank_init(&test, 5, 5, &err), GB_OK));
	cr_expect(epsilon_eq(dbl, gb_logrank_slower(&test, same, same, 0), 1, 1e-12));
	cr_expect(epsilon_eq(dbl, gb_logrank_faster(&test, same, same, 0), 1, 1e-12));
	cr_expect(epsilon_eq(dbl, gb_logrank_faster(&test, same, same, 0.1), 1 / 252.0, 1e-12));
	gb_logrank_release(&test);
}

static void draw(double *value, size_t count, uint64_t trial, uint64_t stream)
{
	for (size_t i = 0; i < count; i++)
		value[i] = gb_random_unit_stream(trial, stream, i);
	gb_sort(value, count);
}

/* The interval is the set of ratios that no test rejects, the estimate is where the statistic
 * crosses its mean, and both are inverted if the sides change places. */
Test(logrank, the_ratio_inverts_the_tests)
{
	static const size_t count[][2] = { { 1, 1 },  { 4, 4 },   { 3, 9 },
					   { 12, 7 }, { 60, 40 }, { 3, 5 } };
	const double level = 0.95, tail = 0.025, step = 1e-9;

	for (uint64_t trial = 0; trial < 50; trial++) {
		const size_t n = count[trial % 6][0], m = count[trial % 6][1];
		struct gb_logrank there = { 0 }, back = { 0 };
		struct gb_error err = { 0 };
		struct gb_ratio r, inverse;
		double base[60], other[40], low, high;

		draw(base, n, trial, 0);
		draw(other, m, trial, 1);
		cr_assert(eq(int, (int)gb_logrank_init(&there, n, m, &err), GB_OK));
		cr_assert(eq(int, (int)gb_logrank_init(&back, m, n, &err), GB_OK));
		gb_logrank_ratio(&there, base, other, level, &r, &err);
		gb_logrank_ratio(&back, other, base, level, &inverse, &err);
		cr_expect(epsilon_eq(dbl, r.estimate * inverse.estimate, 1, 1e-9));
		if (n == 1) {
			cr_expect(isnan(r.interval.low) && isnan(r.interval.high));
		} else {
			low = log(r.interval.low);
			high = log(r.interval.high);
			cr_expect(epsilon_eq(dbl, r.interval.low * inverse.interval.high, 1, 1e-9));
			cr_expect(le(dbl, gb_logrank_slower(&there, base, other, low - step),
				     tail + 1e-9));
			cr_expect(
				gt(dbl, gb_logrank_slower(&there, base, other, low + step), tail));
			cr_expect(le(dbl, gb_logrank_faster(&there, base, other, high + step),
				     tail + 1e-9));
			cr_expect(
				gt(dbl, gb_logrank_faster(&there, base, other, high - step), tail));
			cr_expect(ge(dbl, r.interval.coverage, level - 1e-9));
			cr_expect(lt(dbl, r.interval.low, r.estimate));
			cr_expect(gt(dbl, r.interval.high, r.estimate));
		}
		gb_logrank_release(&there);
		gb_logrank_release(&back);
	}
}

/* The fourth of nine scores is their mean: the statistic has it between two differences, in whose
 * middle the estimate is. */
Test(logrank, a_statistic_that_is_its_mean)
{
	static const double eight[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, one[] = { 10 };

	for (int back = 0; back < 2; back++) {
		struct gb_logrank test = { 0 };
		struct gb_error err = { 0 };
		struct gb_ratio r;

		cr_assert(eq(int, (int)gb_logrank_init(&test, back ? 1 : 8, back ? 8 : 1, &err),
			     GB_OK));
		gb_logrank_ratio(&test, back ? one : eight, back ? eight : one, 0.9, &r, &err);
		cr_expect(epsilon_eq(dbl, log(r.estimate), back ? -7.5 : 7.5, 1e-9));
		gb_logrank_release(&test);
	}
}

/* Above the limit, p is that of the normal distribution: it differs little in the middle. */
Test(logrank, many_values)
{
	enum { MANY = GB_LOGRANK_EXACT / 2 };
	static double base[MANY + 1], other[MANY];
	struct gb_logrank exact = { 0 }, normal = { 0 };
	struct gb_error err = { 0 };
	struct gb_ratio r;
	double p;

	draw(base, MANY + 1, 1, 0);
	draw(other, MANY, 2, 1);
	cr_assert(eq(int, (int)gb_logrank_init(&exact, MANY, MANY, &err), GB_OK));
	cr_assert(eq(int, (int)gb_logrank_init(&normal, MANY + 1, MANY, &err), GB_OK));
	cr_assert(normal.at_most == NULL && exact.at_most != NULL);
	p = gb_logrank_slower(&exact, base, other, 0);
	cr_expect(epsilon_eq(dbl, gb_logrank_slower(&normal, base, other, 0), p, 0.03), "%g", p);
	cr_expect(epsilon_eq(dbl,
			     gb_logrank_slower(&normal, base, other, 0) +
				     gb_logrank_faster(&normal, base, other, 0),
			     1, 1e-12));
	gb_logrank_ratio(&normal, base, other, 0.95, &r, &err);
	cr_expect(epsilon_eq(dbl, r.interval.coverage, 0.95, 1e-6));
	cr_expect(lt(dbl, r.interval.low, r.estimate));
	cr_expect(gt(dbl, r.interval.high, r.estimate));
	gb_logrank_release(&exact);
	gb_logrank_release(&normal);
}
