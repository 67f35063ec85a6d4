/* keys.c -- see keys.h. */
#include "cli/report/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/machine.h"
#include "cli/report/compare/gate.h"
#include "common/stats.h"
#include "common/text.h"

static int by_key(const void *a, const void *b)
{
	const struct gb_key_entry *x = a, *y = b;
	const int order = strcmp(x->key, y->key);

	return order ? order : GB_ORDER(x->order, y->order);
}

static int by_order(const void *a, const void *b)
{
	const struct gb_key_group *x = a, *y = b;

	return GB_ORDER(x->order, y->order);
}

enum gb_status gb_keys_add(struct gb_keys *keys, const char *key, size_t side,
			   const struct gb_record *record, struct gb_error *err)
{
	char *copy = strdup(key);
	struct gb_key_entry *entry = keys->entry;

	if (!(keys->count & (keys->count - 1)))
		entry = reallocarray(entry, 2 * keys->count + 1, sizeof *entry);
	if (!copy || !entry) {
		free(copy);
		return gb_out_of_memory(err, NULL);
	}
	keys->entry = entry;
	entry[keys->count] = (struct gb_key_entry){ copy, keys->count, side, record };
	keys->count++;
	return GB_OK;
}

enum gb_status gb_keys_group(struct gb_keys *keys, struct gb_error *err)
{
	struct gb_key_entry *entry = keys->entry;

	keys->group = calloc(keys->count + 1, sizeof *keys->group);
	if (!keys->group)
		return gb_out_of_memory(err, NULL);
	if (keys->count)
		qsort(entry, keys->count, sizeof *entry, by_key);
	for (size_t i = 0; i < keys->count; i++) {
		if (i > 0 && gb_equal(entry[i].key, entry[i - 1].key))
			keys->group[keys->group_count - 1].count++;
		else
			keys->group[keys->group_count++] =
				(struct gb_key_group){ entry[i].order, i, 1 };
	}
	qsort(keys->group, keys->group_count, sizeof *keys->group, by_order);
	return GB_OK;
}

void gb_keys_release(struct gb_keys *keys)
{
	for (size_t i = 0; i < keys->count; i++)
		free(keys->entry[i].key);
	free(keys->entry);
	free(keys->group);
	*keys = (struct gb_keys){ 0 };
}

bool gb_key_is_repeated(const struct gb_key_entry *entry, size_t i)
{
	const struct gb_record *record = entry[i].record;

	for (size_t k = 0; k < i; k++)
		if (entry[k].side == entry[i].side &&
		    gb_equal(entry[k].record->run_id, record->run_id) &&
		    gb_equal(entry[k].record->key, record->key) &&
		    gb_record_is_cold(entry[k].record) == gb_record_is_cold(record))
			return true;
	return false;
}

static void take_record(struct gb_side_values *v, const struct gb_record *record)
{
	const bool unverified = gb_is_untrusted(record);
	const double value = unverified ? (double)NAN : gb_repetition_value(record);

	v->records++;
	v->broken += record->status == GB_STATUS_FAILED;
	v->unverified |= unverified;
	if (!isnan(value) || !v->count)
		v->record = record;
	if (!isnan(value))
		v->value[v->count++] = value;
	else
		v->reason = record->emulated ? "emulated" : record->reason;
}

void gb_side_take(struct gb_side_values *values, const struct gb_key_entry *entry, size_t count,
		  size_t side, const char *variant)
{
	for (size_t i = 0; i < count; i++)
		if (entry[i].side == side &&
		    (!variant || gb_equal(entry[i].record->variant, variant)) &&
		    !gb_key_is_repeated(entry, i))
			take_record(values, entry[i].record);
}

/* ---- pooled repetitions ----------------------------------------------------------------------- */

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

/* Add a record to its group: of the same measurement on the same machine and build.  Records without
 * a time lack it for the same reason; a time that may be wrong has a group of its own. */
static enum gb_status add(struct gb_keys *keys, const struct gb_record *record,
			  struct gb_error *err)
{
	const struct gb_context *context = record->context;
	const char *part[] = { context->tool.commit, context->host.hostname, record->plugin.sha256,
			       record->has_time ? NULL : record->reason };
	const size_t own = record->has_time && !gb_is_timed(record) ? keys->count + 1 : 0;
	char *text = NULL;

	for (size_t i = 0; i < GB_COUNT(part); i++)
		part[i] = part[i] ? part[i] : "";
	if (asprintf(&text, "%s\n%s\n%s\n%s\n%s\n%s\n%d\n%d\n%zu", record->key, part[0], part[1],
		     part[2], part[3], gb_record_machine(record)->text, (int)record->status,
		     record->has_time && gb_record_is_cold(record), own) < 0)
		return gb_out_of_memory(err, NULL);
	(void)gb_keys_add(keys, text, 0, record, err);
	free(text);
	return err->code;
}

/* Pool the runs of a group into its first record, and drop the others from the list. */
static enum gb_status pool(struct gb_records *records, const struct gb_key_entry *entry,
			   size_t count, double *value, struct gb_error *err)
{
	struct gb_record *first = records->record[entry->order];
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (!gb_key_is_repeated(entry, i))
			value[found++] = gb_repetition_value(entry[i].record);
	for (size_t i = count; i-- > 1;) {
		if (gb_key_is_repeated(entry, i))
			continue;
		gb_record_free(records->record[entry[i].order]);
		records->record[entry[i].order] = NULL;
	}
	return found > 1 && gb_is_timed(first) ? make_pooled(first, value, found, err) : GB_OK;
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
	for (size_t g = 0; g < keys.group_count && !err->code; g++)
		(void)pool(records, &keys.entry[keys.group[g].first], keys.group[g].count, value,
			   err);
	records->count = 0;
	for (size_t i = 0; i < all; i++)
		if (records->record[i])
			records->record[records->count++] = records->record[i];
	gb_keys_release(&keys);
	free(value);
	return err->code;
}
