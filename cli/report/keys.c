/* keys.c -- see keys.h. */
#include "cli/report/keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/compare/gate.h"
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
	else if (!v->reason)
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
