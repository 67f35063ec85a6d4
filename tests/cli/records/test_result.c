/* test_result.c -- series grow, and their median and interval are those of the samples. */
#include "cli/records/result.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>

Test(result, series)
{
	struct gb_times times = { 0 };
	struct gb_error err = { 0 };

	cr_assert(zero(int, (int)gb_times_settle(&times, "c", 0, &err)));
	cr_expect(isnan(times.median));
	for (int i = 0; i < 1000; i++)
		cr_assert(zero(int, (int)gb_times_add(&times, (7 * i) % 1000, &err)));
	cr_assert(eq(sz, times.count, 1000));
	for (int i = 0; i < 1000; i++)
		cr_assert(eq(dbl, times.sample[i], (7 * i) % 1000));
	cr_assert(zero(int, (int)gb_times_settle(&times, "c", 300, &err)));
	cr_expect(eq(dbl, times.median, 499.5));
	cr_expect(times.ci_low <= 200 && times.ci_high >= 799, "the clock's resolution");
	free(times.sample);
}

Test(result, phases)
{
	struct gb_phases phases = { 0 };
	struct gb_error err = { 0 };
	static const char name[20][2] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
					  "k", "l", "m", "n", "o", "p", "q", "r", "s", "t" };

	for (int n = 0; n < 60; n++)
		cr_assert(zero(int,
			       (int)gb_times_add(gb_phases_get(&phases, name[n % 20]), n, &err)));
	cr_assert(eq(sz, phases.count, 20));
	for (size_t i = 0; i < 20; i++) {
		cr_expect(eq(str, (char *)phases.item[i].name, (char *)name[i]));
		cr_expect(eq(sz, phases.item[i].time.count, 3));
		free(phases.item[i].time.sample);
	}
	free(phases.item);
}
