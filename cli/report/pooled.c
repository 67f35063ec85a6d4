/* pooled.c -- see pooled.h. */
#include "cli/report/pooled.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/identity.h"
#include "cli/report/compare/gate.h"
#include "cli/report/keys.h"
#include "common/stats.h"
#include "common/text.h"

static bool same_measurement(const struct gb_record *a, const struct gb_record *b)
{
	return gb_equal(a->key, b->key) &&
	       gb_same(a->context->host.hostname, b->context->host.hostname) &&
	       gb_same(a->context->tool.commit, b->context->tool.commit) &&
	       gb_same(a->plugin.sha256, b->plugin.sha256) &&
	       gb_same_machine(gb_record_machine(a), gb_record_machine(b));
}

/* True if b is another repetition of the same measurement as a: both may be pooled, or both lack a
 * time for the same reason. */
static bool is_repetition_of(const struct gb_record *a, const struct gb_record *b)
{
	if (a->has_time || b->has_time)
		return gb_is_timed(a) && gb_is_timed(b) && same_measurement(a, b) &&
		       gb_record_is_cold(a) == gb_record_is_cold(b);
	return same_measurement(a, b) && a->status == b->status && gb_same(a->reason, b->reason);
}

/* Replace the record's time by that of `count` repetitions, and drop the members of a single
 * repetition. */
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
	gb_record_forget(record, GB_OF_REPETITION);
	record->repetitions = count;
	record->time = (struct gb_times){ .count = count,
					  .sample = sample,
					  .median = all.median,
					  .ci_low = all.ci_low,
					  .ci_high = all.ci_high };
	record->rates.items_per_s = record->work.items / (all.median * 1e-9);
	return GB_OK;
}

/* Pool the repetitions of record `first` among `count` records of its key, commit and host, and
 * drop the others of these from the list. */
static enum gb_status pool_first(struct gb_records *records, struct gb_key_entry *entry,
				 size_t count, double *value, struct gb_error *err)
{
	struct gb_record *first = records->record[entry->order];
	size_t found = 1;

	value[0] = gb_repetition_value(first);
	for (size_t k = 1; k < count; k++) {
		struct gb_record *other = records->record[entry[k].order];

		if (!other || !is_repetition_of(first, other))
			continue;
		value[found++] = gb_repetition_value(other);
		gb_record_free(other);
		records->record[entry[k].order] = NULL;
	}
	if (found > 1 && gb_is_timed(first))
		(void)make_pooled(first, value, found, err);
	return err->code;
}

static enum gb_status add(struct gb_keys *keys, const struct gb_record *record,
			  struct gb_error *err)
{
	const char *commit = record->context->tool.commit, *host = record->context->host.hostname;
	char *text = NULL;

	if (asprintf(&text, "%s\n%s\n%s", record->key, commit ? commit : "", host ? host : "") < 0)
		return gb_out_of_memory(err, NULL);
	(void)gb_keys_add(keys, text, 0, record, err);
	free(text);
	return err->code;
}

enum gb_status gb_pool_repetitions(struct gb_records *records, struct gb_error *err)
{
	const size_t all = records->count;
	double *value = calloc(all + 1, sizeof *value);
	struct gb_keys keys = { 0 };

	if (!value)
		return gb_out_of_memory(err, NULL);
	for (size_t i = 0; i < all && !err->code; i++)
		(void)add(&keys, records->record[i], err);
	if (!err->code)
		(void)gb_keys_group(&keys, err);
	for (size_t g = 0; g < keys.group_count && !err->code; g++) {
		struct gb_key_entry *entry = &keys.entry[keys.group[g].first];

		for (size_t i = 0; i < keys.group[g].count && !err->code; i++)
			if (records->record[entry[i].order])
				(void)pool_first(records, &entry[i], keys.group[g].count - i, value,
						 err);
	}
	records->count = 0;
	for (size_t i = 0; i < all; i++)
		if (records->record[i])
			records->record[records->count++] = records->record[i];
	gb_keys_release(&keys);
	free(value);
	return err->code;
}
