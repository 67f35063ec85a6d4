#include "cli/reports/launch.h"

#include <math.h>
#include <stdlib.h>

#include "common/stats.h"
#include "common/text.h"

/* Sample i: ns, or 1000 cycles; NAN if its clock is unknown. */
static double sample_of(const struct gb_record *record, size_t i, bool in_cycles)
{
	const struct gb_numbers *clock = &record->gpu_state.sm_clock_hz;

	if (!in_cycles)
		return record->time.sample[i];
	return i < clock->count ? record->time.sample[i] * clock->value[i] * 1e-12 : (double)NAN;
}

double gb_launch_value(const struct gb_record *record, struct gb_launch_stat stat)
{
	double *value = malloc((record->time.count + 1) * sizeof *value);
	double result = NAN;
	size_t n = 0;

	for (size_t i = 0; i < record->time.count && value && record->has_time; i++) {
		value[n] = sample_of(record, i, stat.in_cycles);
		n += isnan(value[n]) ? 0 : 1;
	}
	if (n > 0) {
		gb_sort(value, n);
		result = stat.by_median ? gb_median_sorted(value, n) : value[0];
	}
	free(value);
	return result;
}
