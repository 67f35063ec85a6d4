/* test_result.c -- series of a result: they grow, and nothing is left of a forgotten result. */
#include "cli/records/result.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

Test(result, series)
{
	struct gb_series series = { 0 };
	struct gb_error err = { 0 };

	cr_expect(isnan(gb_series_quantile(&series, 0.5)));
	for (int i = 0; i < 1000; i++)
		cr_assert(zero(int, (int)gb_series_push(&series, (7 * i) % 1000, &err)));
	cr_assert(eq(sz, series.count, 1000));
	for (int i = 0; i < 1000; i++)
		cr_assert(eq(dbl, series.value[i], (7 * i) % 1000));
	cr_expect(eq(dbl, gb_series_quantile(&series, 0), 0));
	cr_expect(eq(dbl, gb_series_quantile(&series, 0.5), 499.5));
	cr_expect(eq(dbl, gb_series_quantile(&series, 1), 999));
	free(series.value);
}

Test(result, forgotten)
{
	static struct gb_result r;
	struct gb_series *const series[] = { &r.time,         &r.host_time,   &r.upload,
					     &r.download,     &r.sm_clock_hz, &r.phase[0].time,
					     &r.phase[1].time };
	double *const number[] = { &r.create_ns, &r.first_ns, &r.resident_bytes,
				   &r.harmonic_items_per_s, &r.copy_bytes_per_s };
	struct gb_error err = { 0 };

	for (size_t i = 0; i < GB_COUNT(series); i++)
		cr_assert(zero(int, (int)gb_series_push(series[i], 1, &err)));
	for (size_t i = 0; i < GB_COUNT(number); i++)
		*number[i] = 1;
	r.phase_count = 2;
	r.metrics.count = 1;
	r.counts = strdup("{}");
	r.verified = 1;
	r.given_up = r.throttled = 1;
	r.doubtful = true;
	gb_result_release(&r);
	for (size_t i = 0; i < GB_COUNT(series); i++)
		cr_expect(series[i]->count == 0 && series[i]->room == 0 && !series[i]->value,
			  "series %zu", i);
	for (size_t i = 0; i < GB_COUNT(number); i++)
		cr_expect(isnan(*number[i]), "number %zu", i);
	cr_expect(r.phase_count == 0 && r.metrics.count == 0 && r.counts == NULL);
	cr_expect(r.verified == 0 && r.given_up == 0 && r.throttled == 0 && !r.doubtful);
}
