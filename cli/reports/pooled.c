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

/* True if b is timed and another launch of the same measurement as a. */
static bool belongs(const struct gb_record *a, const struct gb_record *b)
{
	return is_timed(b) && gb_equal(a->key, b->key) &&
	       same_text(a->run->host.hostname, b->run->host.hostname) &&
	       same_text(a->run->tool.commit, b->run->tool.commit) &&
	       gb_same_machine(gb_record_machine(a), gb_record_machine(b)) &&
	       gb_record_is_cold(a) == gb_record_is_cold(b);
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

enum gb_status gb_pool_launches(struct gb_records *records, struct gb_error *err)
{
	double *value = calloc(records->count + 1, sizeof *value);

	if (!value)
		return gb_out_of_memory(err, NULL);
	for (size_t i = 0; i < records->count && !err->code; i++) {
		struct gb_record *record = records->record[i];
		size_t count = 1;

		if (!is_timed(record))
			continue;
		value[0] = gb_launch_value(record, false);
		for (size_t k = records->count - 1; k > i; k--) {
			if (!belongs(record, records->record[k]))
				continue;
			value[count++] = gb_launch_value(records->record[k], false);
			gb_records_remove(records, k);
		}
		if (count > 1)
			(void)make_pooled(record, value, count, err);
	}
	free(value);
	return err->code;
}
