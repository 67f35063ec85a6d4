/* keys.c -- see keys.h. */
#include "cli/reports/keys.h"

#include <stdlib.h>
#include <string.h>

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

static void add(struct gb_keys *keys, const struct gb_records *list, bool is_new)
{
	for (size_t i = 0; list && i < list->count; i++) {
		keys->entry[keys->count] = (struct gb_key_entry){ list->record[i]->key, keys->count,
								  is_new, list->record[i] };
		keys->count++;
	}
}

static void group(struct gb_keys *keys)
{
	const struct gb_key_entry *entry = keys->entry;

	for (size_t i = 0; i < keys->count; i++) {
		if (i > 0 && gb_equal(entry[i].key, entry[i - 1].key))
			keys->group[keys->group_count - 1].count++;
		else
			keys->group[keys->group_count++] =
				(struct gb_key_group){ entry[i].order, i, 1 };
	}
}

enum gb_status gb_keys_init(struct gb_keys *keys, const struct gb_records *list,
			    const struct gb_records *second, struct gb_error *err)
{
	const size_t room = list->count + (second ? second->count : 0) + 1;

	*keys = (struct gb_keys){ .entry = calloc(room, sizeof *keys->entry),
				  .group = calloc(room, sizeof *keys->group) };
	if (!keys->entry || !keys->group) {
		gb_keys_release(keys);
		return gb_out_of_memory(err, NULL);
	}
	add(keys, list, false);
	add(keys, second, true);
	if (keys->count)
		qsort(keys->entry, keys->count, sizeof *keys->entry, by_key);
	group(keys);
	if (keys->group_count)
		qsort(keys->group, keys->group_count, sizeof *keys->group, by_order);
	return GB_OK;
}

void gb_keys_release(struct gb_keys *keys)
{
	free(keys->entry);
	free(keys->group);
	*keys = (struct gb_keys){ 0 };
}

bool gb_key_is_repeated(const struct gb_key_entry *entry, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (entry[k].is_new == entry[i].is_new &&
		    gb_equal(entry[i].record->run_id, entry[k].record->run_id) &&
		    gb_record_is_cold(entry[i].record) == gb_record_is_cold(entry[k].record))
			return true;
	return false;
}
