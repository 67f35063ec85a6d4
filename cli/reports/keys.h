/* keys.h -- the records of one list or two, grouped by key. */
#ifndef GPUBENCH_CLI_REPORTS_KEYS_H
#define GPUBENCH_CLI_REPORTS_KEYS_H

#include "cli/records/lines.h"

/* One record; both point into the list. */
struct gb_key_entry {
	const char *key;
	size_t order; /* in which they were added */
	bool is_new;  /* of the second list */
	const struct gb_record *record;
};

/* Entries of one key in a row; `order` is where the key first appeared. */
struct gb_key_group {
	size_t order, first, count;
};

/* Start with { 0 }. */
struct gb_keys {
	size_t count, group_count;
	struct gb_key_entry *entry; /* by group, and then as they were added */
	struct gb_key_group *group; /* in the order in which the keys appeared */
};

/* Group the records of a list, and of a second one that may be NULL.  GB_EMEMORY. */
enum gb_status gb_keys_init(struct gb_keys *keys, const struct gb_records *list,
			    const struct gb_records *second, struct gb_error *err);
void gb_keys_release(struct gb_keys *keys);

/* Whether an earlier entry of the group is of the same launch: a file may have been appended to
 * itself. */
bool gb_key_is_repeated(const struct gb_key_entry *entry, size_t i);

#endif
