/* launch.c -- see launch.h. */
#include "cli/reports/launch.h"

#include <math.h>

#include "cli/reports/compare/gate.h"

double gb_launch_value(const struct gb_record *record)
{
	return record->has_time ? record->time.median : (double)NAN;
}

bool gb_is_timed(const struct gb_record *record)
{
	return record->has_time && record->status == GB_STATUS_OK;
}

struct gb_ratio gb_time_ratio(const struct gb_record *a, const struct gb_record *b)
{
	struct gb_ratio ratio = { NAN, { NAN, NAN, NAN } };
	struct gb_gate_tests tests = { 0 };
	struct gb_error ignored = { 0 };

	if (!gb_is_timed(a) || !gb_is_timed(b))
		return ratio;
	ratio.estimate = b->time.median / a->time.median;
	if (a->launches >= GB_LAUNCHES && b->launches >= GB_LAUNCHES)
		(void)gb_gate_ratio(&tests,
				    &(struct gb_gate_values){ a->time.sample, b->time.sample,
							      a->launches, b->launches },
				    &ratio, &ignored);
	else if (a->launches <= 1 && b->launches <= 1)
		ratio.interval = (struct gb_interval){ b->time.ci_low / a->time.ci_high,
						       b->time.ci_high / a->time.ci_low, NAN };
	gb_gate_release(&tests);
	return ratio;
}

bool gb_is_faster(const struct gb_record *a, const struct gb_record *b)
{
	return gb_time_ratio(a, b).interval.low > 1;
}
