/* keys.h -- groups the records of one or two lists by key. */
#ifndef GPUBENCH_CLI_REPORTS_KEYS_H
#define GPUBENCH_CLI_REPORTS_KEYS_H

#include "cli/records/lines.h"

/* One record; both pointers point into the list. */
struct gb_key_entry {
	const char *key;
	size_t order; /* position in which it was added */
	bool is_new;  /* from the second list */
	const struct gb_record *record;
};

/* Consecutive entries of one key; `order` is the position of the key's first record. */
struct gb_key_group {
	size_t order, first, count;
};

/* Start with { 0 }. */
struct gb_keys {
	size_t count, group_count;
	struct gb_key_entry *entry; /* sorted by key, then by order */
	struct gb_key_group *group; /* in order of the first appearance of the key */
};

/* Group the records of a list and of `second`, which may be NULL.  GB_EMEMORY. */
enum gb_status gb_keys_init(struct gb_keys *keys, const struct gb_records *list,
			    const struct gb_records *second, struct gb_error *err);
void gb_keys_release(struct gb_keys *keys);

/* True if an earlier entry of the group is of the same launch: `repro` measures a key for each table
 * that has it. */
bool gb_key_is_repeated(const struct gb_key_entry *entry, size_t i);

#endif
