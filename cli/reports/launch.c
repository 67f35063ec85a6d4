#include "cli/reports/launch.h"

#include <math.h>
#include <stdlib.h>

#include "cli/records/json.h"
#include "common/stats.h"
#include "common/text.h"

/* Sample i of the series at hand: ns, or 1000 cycles; NAN if its clock is unknown. */
static double sample_of(const cJSON *sample, const cJSON *clock, bool in_cycles)
{
	if (!in_cycles)
		return sample->valuedouble;
	return clock && cJSON_IsNumber(clock) ? sample->valuedouble * clock->valuedouble * 1e-12
					      : (double)NAN;
}

double gb_launch_value(const struct gb_record *record, struct gb_launch_stat stat)
{
	const cJSON *samples = gb_json_at(record, "time.samples");
	const cJSON *clock = gb_json_at(record, "gpu_state.sm_clock_hz");
	const size_t count = (size_t)cJSON_GetArraySize(samples);
	double *value = malloc((count + 1) * sizeof *value);
	double result = NAN;
	const cJSON *sample;
	size_t n = 0;

	clock = clock ? clock->child : NULL;
	cJSON_ArrayForEach(sample, samples)
	{
		const double x = value ? sample_of(sample, clock, stat.in_cycles) : (double)NAN;

		if (value && !isnan(x))
			value[n++] = x;
		clock = clock ? clock->next : NULL;
	}
	if (value && n > 0 && !record->emulated) {
		gb_sort(value, n);
		result = stat.by_median ? gb_median_sorted(value, n) : value[0];
	}
	free(value);
	return result;
}

bool gb_launch_is_broken(const struct gb_record *record)
{
	const char *status = record->status;

	return gb_equal(status, "failed") || gb_equal(status, "timeout");
}
