/* test_scale.c -- logarithmic scales: which values they include, places, and ticks. */
#include "cli/reports/grid/scale.h"

#include <criterion/criterion.h>
#include <math.h>

#include "common/text.h"

Test(scale, includes_positive_finite_values)
{
	static const double outside[] = { 0, -1, (double)NAN, (double)INFINITY };
	struct gb_scale s = gb_scale_empty(10, 110);

	gb_scale_widen(&s, 20);
	gb_scale_widen(&s, 5);
	for (size_t i = 0; i < GB_COUNT(outside); i++)
		gb_scale_widen(&s, outside[i]);
	cr_expect_eq(s.low, 5);
	cr_expect_eq(s.high, 20);
	cr_expect_float_eq(gb_scale_at(&s, 5), 10, 1e-9);
	cr_expect_float_eq(gb_scale_at(&s, 10), 60, 1e-9);
	cr_expect_float_eq(gb_scale_at(&s, 20), 110, 1e-9);
	gb_scale_settle(&s);
	cr_expect_float_eq(s.low, 5 / pow(4, 0.04), 1e-9);
	cr_expect_float_eq(s.high, 20 * pow(4, 0.04), 1e-9);
	gb_scale_widen(&s, 1e-200);
	gb_scale_widen(&s, 1e200);
	cr_expect_eq(s.low, 1e-100);
	cr_expect_eq(s.high, 1e100);
}

/* Ticks are at least so many pixels apart; 1, 2 and 5 need room. */
Test(scale, ticks)
{
	static const struct {
		struct gb_scale scale;
		double apart;
		double tick[8]; /* 0 ends them */
	} row[] = {
		{ { 1, 10, 0, 300 }, 48, { 1, 2, 5, 10 } },
		{ { 1, 10, 300, 0 }, 90, { 1, 2, 5, 10 } },
		{ { 1, 10, 0, 300 }, 91, { 1, 10 } },
		{ { 3, 300, 0, 600 }, 48, { 5, 10, 20, 50, 100, 200 } },
		{ { 1, 1e6, 0, 30 }, 14, { 1, 1e3, 1e6 } },
		{ { 1, 1e6, 0, 30 }, 11, { 1, 1e3, 1e6 } },
		{ { 1, 1e6, 0, 30 }, 9, { 1, 1e2, 1e4, 1e6 } },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		double tick = 0;
		size_t k = 0;

		for (; gb_scale_tick(&row[i].scale, row[i].apart, &tick); k++)
			cr_assert_float_eq(tick / row[i].tick[k], 1, 1e-9, "row %zu: %g", i, tick);
		cr_expect_eq(row[i].tick[k], 0, "row %zu: %zu ticks", i, k);
	}
}
