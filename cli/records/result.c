/* result.c -- the series of a result: they grow with each sample and are freed if the measurement
 * fails. */
#include "cli/records/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/stats.h"

enum gb_status gb_series_push(struct gb_series *series, double value, struct gb_error *err)
{
	if (series->count == series->room) {
		const size_t room = series->room ? 2 * series->room : 32;
		double *grown =
			gb_memory_admit(err) ? realloc(series->value, room * sizeof *grown) : NULL;

		if (!grown)
			return gb_out_of_memory(err, "the samples");
		series->value = grown;
		series->room = room;
	}
	series->value[series->count++] = value;
	return GB_OK;
}

double gb_series_quantile(const struct gb_series *series, double q)
{
	double *sorted = malloc((series->count + 1) * sizeof *sorted);
	double value = NAN;

	if (sorted && series->count) {
		memcpy(sorted, series->value, series->count * sizeof *sorted);
		gb_sort(sorted, series->count);
		value = gb_quantile_sorted(sorted, series->count, q);
	}
	free(sorted);
	return value;
}

static void clear(struct gb_series *series)
{
	free(series->value);
	*series = (struct gb_series){ 0 };
}

void gb_result_forget(struct gb_result *r)
{
	clear(&r->time);
	clear(&r->host_time);
	clear(&r->upload);
	clear(&r->download);
	clear(&r->sm_clock_hz);
	for (size_t i = 0; i < r->phase_count; i++)
		clear(&r->phase[i].time);
	r->phase_count = 0;
	r->create_ns = r->first_ns = NAN;
	r->resident_bytes = r->harmonic_items_per_s = r->copy_bytes_per_s = NAN;
	r->metrics.count = 0;
	free(r->counts);
	r->counts = NULL;
	r->verified = r->given_up = r->throttled = 0;
	r->doubtful = false;
}

void gb_result_settle(struct gb_result *r, const struct gb_error *err)
{
	r->code = err->code;
	if (!err->code)
		return;
	r->outcome =
		err->code == GB_EUNAVAILABLE || err->code == GB_EMEMORY ? GB_SKIPPED : GB_FAILED;
	(void)snprintf(r->reason, sizeof r->reason, "%s", err->message);
	gb_result_forget(r);
}

void gb_result_release(struct gb_result *result)
{
	gb_result_forget(result);
}
