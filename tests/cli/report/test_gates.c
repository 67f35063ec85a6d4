/* test_gates.c -- p of the gate against the enumeration of all choices of ranks, and its verdicts
 * on synthetic repetitions. */
#include "cli/report/compare/gate.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>

#include "common/rng.h"
#include "common/text.h"

/* ---- exact p ------------------------------------------------------------------------------- */

/* The score of rank r, from 0, of `all`. */
static long score_of(size_t r, size_t all)
{
	double sum = 0;

	for (size_t j = r + 1; j <= all; j++)
		sum += 1.0 / (double)j;
	return lround(16 * sum);
}

/* The sum of the scores of the side whose ranks are the bits of `ranks`. */
static long sum_of(unsigned ranks, size_t all)
{
	long sum = 0;

	for (size_t r = 0; r < all; r++)
		sum += ranks >> r & 1 ? score_of(r, all) : 0;
	return sum;
}

/* The ranks of other among both sides; of equal values, base has the first if `base_first`. */
static unsigned ranks_of(const double *base, size_t n, const double *other, size_t m,
			 bool base_first)
{
	unsigned ranks = 0;

	for (size_t j = 0; j < m; j++) {
		size_t rank = j;

		for (size_t i = 0; i < n; i++)
			rank += base_first ? base[i] <= other[j] : base[i] < other[j];
		ranks |= 1U << rank;
	}
	return ranks;
}

/* The share of all choices of m of n + m ranks whose sum is at most (slower) or at least that of
 * the ranks. */
static double enumerated(size_t n, size_t m, unsigned ranks, bool slower)
{
	const long sum = sum_of(ranks, n + m);
	size_t all = 0, extreme = 0;

	for (unsigned choice = 0; choice < 1U << (n + m); choice++) {
		const long its = sum_of(choice, n + m);

		if ((size_t)__builtin_popcount(choice) != m)
			continue;
		all++;
		extreme += slower ? its <= sum : its >= sum;
	}
	return (double)extreme / (double)all;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Logarithms from few values, so that there are ties within and between the sides. */
static void draw(double *log_of, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++)
		log_of[i] = floor(6 * gb_random_unit_stream(1, seed, i)) / 8;
	qsort(log_of, count, sizeof *log_of, ascending);
}

Test(gates, p_is_counted_exactly)
{
	struct gb_gate_tests tests = { 0 };

	for (size_t n = 1; n <= 6; n++)
		for (size_t m = 1; m <= 6; m++)
			for (uint64_t seed = 0; seed < 4; seed++) {
				double base[6], other[6];
				const struct gb_gate_values v = { base, other, n, m };
				unsigned slower, faster;

				draw(base, n, 100 * seed + 10 * n + m);
				draw(other, m, 1000 + 100 * seed + 10 * n + m);
				slower = ranks_of(base, n, other, m, false);
				faster = ranks_of(base, n, other, m, true);
				cr_expect(epsilon_eq(dbl, gb_gate_p(&tests, &v, 1, false),
						     enumerated(n, m, slower, true), 1e-12));
				cr_expect(epsilon_eq(dbl, gb_gate_p(&tests, &v, 1, true),
						     enumerated(n, m, faster, false), 1e-12));
			}
	gb_gate_release(&tests);
}

/* Sides that separate: one choice of C(2n, n). */
Test(gates, complete_separation)
{
	struct gb_gate_tests tests = { 0 };

	for (size_t i = 0; i < GB_GATE_LOOKS; i++) {
		const size_t n = gb_gate_looks[i];
		double base[GB_GATE_MOST], other[GB_GATE_MOST];
		const struct gb_gate_values v = { base, other, n, n };
		const double choices = lgamma(2 * (double)n + 1) - 2 * lgamma((double)n + 1);

		for (size_t k = 0; k < n; k++) {
			base[k] = 1e-3 * (double)k;
			other[k] = 1 + 1e-3 * (double)k;
		}
		/* Rounding makes some scores of more repetitions equal. */
		if (n <= 28)
			cr_expect(epsilon_eq(dbl, log(gb_gate_p(&tests, &v, 1, false)), -choices,
					     1e-9));
		else
			cr_expect(lt(dbl, log(gb_gate_p(&tests, &v, 1, false)), 5 - choices));
		cr_expect(epsilon_eq(dbl, gb_gate_p(&tests, &v, 1, true), 1, 1e-12));
		if (n <= 13) /* 1 - p has no more digits */
			cr_expect(epsilon_eq(dbl, gb_gate_p(&tests, &v, 20, true), exp(-choices),
					     1e-9));
	}
	gb_gate_release(&tests);
}

/* ---- verdicts ------------------------------------------------------------------------------ */

static double normal(uint64_t seed, uint64_t i)
{
	const double u = 1 - gb_random_unit_stream(seed, 2 * i, 0);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * gb_random_unit_stream(seed, 2 * i + 1, 0));
}

/* Judge repetitions of 1000 ns with this relative noise, the new side's `factor` times as long. */
static struct gb_gate_result judged(const struct gb_gate *gate, struct gb_gate_tests *tests,
				    size_t base_count, size_t other_count, double noise,
				    double factor, uint64_t seed)
{
	double base[GB_GATE_MOST], other[GB_GATE_MOST];
	const struct gb_gate_values v = { base, other, base_count, other_count };
	struct gb_gate_result result;
	struct gb_error err = { 0 };

	for (size_t i = 0; i < base_count; i++)
		base[i] = 1000 * exp(noise * normal(seed, i));
	for (size_t i = 0; i < other_count; i++)
		other[i] = 1000 * factor * exp(noise * normal(seed, GB_GATE_MOST + i));
	cr_assert(zero(int, (int)gb_gate_judge(gate, tests, &v, &result, &err)), "%s", err.message);
	return result;
}

Test(gates, clear_cases)
{
	const struct gb_gate ab = { 0.05, 0.05, 68, GB_GATE_LOOKS }, once = { 0.05, 0.05, 68, 0 };
	static const struct {
		size_t base, other;
		double factor;
		bool once;
		enum gb_verdict_word verdict;
	} row[] = {
		{ 28, 28, 1.1, false, GB_SLOWER },  { 28, 28, 1, false, GB_SAME },
		{ 28, 28, 0.8, false, GB_FASTER },  { 4, 4, 1, false, GB_SAME },
		{ 4, 4, 1.2, false, GB_UNSURE },    { 3, 28, 1, false, GB_UNSURE },
		{ 0, 28, 1, false, GB_UNSURE },     { 12, 20, 1.1, true, GB_SLOWER },
		{ 20, 12, 1, true, GB_SAME },       { 5, 30, 0.8, true, GB_FASTER },
		{ 200, 200, 1.1, true, GB_SLOWER },
	};
	struct gb_gate_tests tests = { 0 };

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const size_t base = row[i].base < GB_GATE_MOST ? row[i].base : GB_GATE_MOST;
		const size_t other = row[i].other < GB_GATE_MOST ? row[i].other : GB_GATE_MOST;
		const struct gb_gate_result r = judged(row[i].once ? &once : &ab, &tests, base,
						       other, 0.005, row[i].factor, i);

		cr_expect(eq(int, (int)r.verdict, (int)row[i].verdict), "row %zu: ratio %g", i,
			  r.ratio.estimate);
		if (base)
			cr_expect(epsilon_eq(dbl, r.ratio.estimate, row[i].factor, 0.02));
	}
	gb_gate_release(&tests);
}

Test(gates, the_interval_has_the_ratio)
{
	const struct gb_gate once = { 0.05, 0.05, 1, 0 };
	struct gb_gate_tests tests = { 0 };
	size_t within = 0;

	for (uint64_t seed = 0; seed < 200; seed++) {
		const struct gb_ratio r = judged(&once, &tests, 10, 14, 0.1, 1.3, seed).ratio;

		cr_expect(le(dbl, r.interval.low, r.estimate));
		cr_expect(le(dbl, r.estimate, r.interval.high));
		within += r.interval.low <= 1.3 && 1.3 <= r.interval.high;
	}
	cr_expect(ge(sz, within, 180));
	cr_expect(isnan(judged(&once, &tests, 3, 3, 0.1, 1, 1).ratio.interval.low));
	cr_expect(isnan(judged(&once, &tests, 0, 3, 0.1, 1, 1).ratio.estimate));
	gb_gate_release(&tests);
}

/* Red at most in 5 % of gates of an unchanged build, and a key that is 10 % slower passes at most
 * in 4.1 % of them, for each noise. */
Test(gates, error_rates)
{
	enum { KEYS = 4, GATES = 400 };
	static const double noise[] = { 0.01, 0.05, 0.15 };
	const struct gb_gate gate = { 0.05, 0.05, KEYS, 7 };
	struct gb_gate_tests tests = { 0 };

	for (size_t k = 0; k < GB_COUNT(noise); k++) {
		size_t red = 0, passed = 0;

		for (uint64_t g = 0; g < GATES; g++) {
			bool any = false;

			for (uint64_t key = 0; key < KEYS; key++)
				any |= judged(&gate, &tests, 42, 42, noise[k], 1,
					      10000 * k + KEYS * g + key)
					       .verdict == GB_SLOWER;
			red += any;
			passed += judged(&gate, &tests, 42, 42, noise[k], 1.1, 100000 * (k + 1) + g)
					  .verdict == GB_SAME;
		}
		cr_expect(le(sz, red, GATES / 20), "noise %g", noise[k]);
		cr_expect(le(sz, passed, GATES * 41 / 1000), "noise %g: %zu", noise[k], passed);
	}
	gb_gate_release(&tests);
}

Test(gates, repetitions_that_suffice)
{
	const struct gb_gate ab = { 0.05, 0.05, 68, GB_GATE_LOOKS }, once = { 0.05, 0.05, 3, 0 };

	cr_expect(not(gb_gate_suffices(&ab, 6, 6)));
	cr_expect(gb_gate_suffices(&ab, 9, 9));
	cr_expect(gb_gate_suffices(&once, 4, 4));
	cr_expect(not(gb_gate_suffices(&once, 3, 100)));
}

Test(gates, values_that_are_not_positive)
{
	const double base[] = { 1, 2 }, other[] = { 1, 0 };
	const struct gb_gate_values v = { base, other, 2, 2 };
	const struct gb_gate gate = { 0.05, 0.05, 1, 0 };
	struct gb_gate_tests tests = { 0 };
	struct gb_gate_result result;
	struct gb_error err = { 0 };

	cr_expect(eq(int, (int)gb_gate_judge(&gate, &tests, &v, &result, &err), GB_ERUNTIME));
	gb_gate_release(&tests);
}
