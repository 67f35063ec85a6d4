/* test_ratio.c -- ratios of two sets of times with their exact intervals. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>

#include "common/stats.h"
#include "common/text.h"

/* 1 - 2 P(Mann-Whitney's U < k), from all orders of n + m values. */
static double coverage_by_brute_force(unsigned n, unsigned m, unsigned k)
{
	unsigned total = 0, tail = 0;

	for (unsigned set = 0; set < 1u << (n + m); set++) {
		unsigned u = 0;

		if ((unsigned)__builtin_popcount(set) != n)
			continue;
		for (unsigned x = 0; x < n + m; x++)
			for (unsigned y = 0; y < x; y++)
				u += (set >> x & 1) && !(set >> y & 1);
		total++;
		tail += u < k;
	}
	return 1 - 2.0 * tail / total;
}

Test(ratio, interval_matches_brute_force)
{
	for (unsigned n = 1; n <= 7; n++) {
		for (unsigned m = 1; m <= 7; m++) {
			double base[8], other[8], quotient[64];
			struct gb_error err = { 0 };
			struct gb_ratio r;
			unsigned k = 0, count = 0;

			for (unsigned i = 0; i < n; i++)
				base[i] = 1 + 0.13 * i * i;
			for (unsigned j = 0; j < m; j++)
				other[j] = 1.7 + 0.31 * j;
			for (unsigned i = 0; i < n; i++)
				for (unsigned j = 0; j < m; j++)
					quotient[count++] = log(other[j] / base[i]);
			gb_sort(quotient, count);
			while (k < count && coverage_by_brute_force(n, m, k + 1) >= 0.95)
				k++;
			gb_ratio(base, n, other, m, 0.95, &r, &err);
			cr_assert(eq(int, (int)err.code, GB_OK));
			cr_assert(ieee_ulp_eq(dbl, r.estimate,
					      exp(gb_median_sorted(quotient, count)), 8));
			if (k == 0) {
				cr_assert(isnan(r.interval.low) && isnan(r.interval.high));
				continue;
			}
			cr_assert(ieee_ulp_eq(dbl, r.interval.low, exp(quotient[k - 1]), 4));
			cr_assert(ieee_ulp_eq(dbl, r.interval.high, exp(quotient[count - k]), 4));
			cr_assert(epsilon_eq(dbl, r.interval.coverage,
					     coverage_by_brute_force(n, m, k), 1e-12));
		}
	}
}

Test(ratio, edges)
{
	const double one[] = { 0.5 }, zero[] = { 0 };
	double many[60];
	struct gb_error err = { 0 };
	struct gb_ratio r;

	gb_ratio(one, 0, one, 1, 0.95, &r, &err);
	cr_assert(isnan(r.estimate));
	gb_ratio(one, 1, one, 1, 0.95, &r, &err);
	cr_assert(ieee_ulp_eq(dbl, r.estimate, 1, 2));
	for (int i = 0; i < 60; i++)
		many[i] = 100 + i;
	gb_ratio(one, 1, many, 60, 0.95, &r, &err);
	cr_assert(isnan(r.interval.low));
	gb_ratio(one, 1, many, 60, 0.9, &r, &err);
	cr_assert(ieee_ulp_eq(dbl, r.interval.low, 200, 8)); /* of rank 1 */
	gb_ratio(many, 60, many, 60, 0.95, &r, &err);
	cr_assert(ieee_ulp_eq(dbl, r.estimate, 1, 4));
	cr_assert(r.interval.low < 1 && r.interval.high > 1 && r.interval.low > 0.9);
	cr_assert(eq(int, (int)gb_ratio(one, 1, zero, 1, 0.95, &r, &err), GB_ERUNTIME));
	err = (struct gb_error){ 0 };
	cr_assert(eq(int, (int)gb_ratio(zero, 1, one, 1, 0.95, &r, &err), GB_ERUNTIME));
}

/* The quotients are exp(k / 1000), k = 0, 1, ..., so an interval shows its ranks.  The exact
 * coverage is above the level; that of the normal approximation, from 51 values on, is the level.
 * The ranks of the approximation: floor(n m / 2 - 1.959964 sqrt(n m (n + m + 1) / 12)). */
Test(ratio, ranks_of_many_values)
{
	static const struct {
		size_t n, m, rank; /* rank 0: not checked */
		bool exact;
	} table[] = {
		{ 60, 60, 1426, false }, { 60, 20, 423, false }, { 51, 3, 24, false },
		{ 3, 51, 24, false },    { 50, 3, 0, true },     { 3, 50, 0, true },
	};

	for (size_t i = 0; i < GB_COUNT(table); i++) {
		const size_t n = table[i].n, m = table[i].m, k = table[i].rank;
		double some[60], more[60];
		struct gb_error err = { 0 };
		struct gb_ratio r;

		for (size_t j = 0; j < n; j++)
			some[j] = exp(-1e-3 * (double)(j * m));
		for (size_t j = 0; j < m; j++)
			more[j] = exp(1e-3 * (double)j);
		cr_assert(eq(int, (int)gb_ratio(some, n, more, m, 0.95, &r, &err), GB_OK));
		cr_assert(table[i].exact ? r.interval.coverage > 0.95 : r.interval.coverage == 0.95,
			  "case %zu", i);
		if (k) {
			cr_assert(
				epsilon_eq(dbl, log(r.interval.low) * 1e3, (double)(k - 1), 1e-6));
			cr_assert(epsilon_eq(dbl, log(r.interval.high) * 1e3, (double)(n * m - k),
					     1e-6));
		}
	}
}
