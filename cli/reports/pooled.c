/* pooled.c -- see pooled.h. */
#include "cli/reports/pooled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/identity.h"
#include "cli/reports/launch.h"
#include "common/stats.h"
#include "common/text.h"

/* True if the record has a time that may be pooled. */
static bool is_timed(const struct gb_record *record)
{
	return record->has_time && record->status == GB_STATUS_OK;
}

/* True if both are NULL, or equal. */
static bool same_text(const char *a, const char *b)
{
	return a && b ? gb_equal(a, b) : a == b;
}

static bool same_build(const struct gb_run *a, const struct gb_run *b)
{
	return same_text(a->host.hostname, b->host.hostname) &&
	       same_text(a->tool.commit, b->tool.commit);
}

static bool same_measurement(const struct gb_record *a, const struct gb_record *b)
{
	return gb_equal(a->key, b->key) && same_build(a->run, b->run) &&
	       gb_same_machine(gb_record_machine(a), gb_record_machine(b));
}

/* True if b is another launch of the same measurement as a: both may be pooled, or both lack a time
 * for the same reason. */
static bool belongs(const struct gb_record *a, const struct gb_record *b)
{
	if (a->has_time || b->has_time)
		return is_timed(a) && is_timed(b) && same_measurement(a, b) &&
		       gb_record_is_cold(a) == gb_record_is_cold(b);
	return same_measurement(a, b) && a->status == b->status && same_text(a->reason, b->reason);
}

/* Replace the record's time by that of `count` launches, and drop the members of a single
 * launch. */
static enum gb_status make_pooled(struct gb_record *record, const double *value, size_t count,
				  struct gb_error *err)
{
	double *sample = malloc(count * sizeof *sample);
	struct gb_summary all;

	if (!sample)
		return gb_out_of_memory(err, NULL);
	if (gb_summarize(value, count, &all, err)) {
		free(sample);
		return err->code;
	}
	memcpy(sample, value, count * sizeof *sample);
	gb_record_forget_launch(record);
	record->launches = count;
	record->time = (struct gb_times){ .count = count,
					  .sample = sample,
					  .median = all.median,
					  .ci_low = all.ci_low,
					  .ci_high = all.ci_high };
	record->rates.items_per_s = record->work.items / (all.median * 1e-9);
	return GB_OK;
}

/* Remove each run whose records were all pooled into those of an earlier run. */
static void drop_empty_runs(struct gb_records *records)
{
	for (size_t i = records->run_count; i-- > 1;) {
		const struct gb_run *run = records->run[i];
		bool empty = true, repeated = false;

		for (size_t r = 0; r < records->count; r++)
			empty &= records->record[r]->run != run;
		for (size_t k = 0; k < i; k++)
			repeated |= same_build(records->run[k], run);
		if (empty && repeated)
			gb_records_remove_run(records, i);
	}
}

enum gb_status gb_pool_launches(struct gb_records *records, struct gb_error *err)
{
	double *value = calloc(records->count + 1, sizeof *value);

	if (!value)
		return gb_out_of_memory(err, NULL);
	for (size_t i = 0; i < records->count && !err->code; i++) {
		struct gb_record *record = records->record[i];
		size_t count = 1;

		value[0] = gb_launch_value(record, false);
		for (size_t k = records->count - 1; k > i; k--) {
			if (!belongs(record, records->record[k]))
				continue;
			value[count++] = gb_launch_value(records->record[k], false);
			gb_records_remove(records, k);
		}
		if (count > 1 && is_timed(record))
			(void)make_pooled(record, value, count, err);
	}
	free(value);
	drop_empty_runs(records);
	return err->code;
}
