/* keys.h -- groups records of several sides by a key, and the repetitions of a measurement. */
#ifndef GPUBENCH_CLI_REPORT_KEYS_H
#define GPUBENCH_CLI_REPORT_KEYS_H

#include "cli/records/lines.h"

struct gb_key_entry {
	char *key;
	size_t order, side; /* order: position in which it was added */
	const struct gb_record *record;
};

/* Consecutive entries of one key; `order` is the position of the key's first record. */
struct gb_key_group {
	size_t order, first, count;
};

/* Start with { 0 }. */
struct gb_keys {
	size_t count, group_count;
	struct gb_key_entry *entry; /* after gb_keys_group(): by key, then by order */
	struct gb_key_group *group; /* in order of the first appearance of the key */
};

/* Add a record to a key. */
enum gb_status gb_keys_add(struct gb_keys *keys, const char *key, size_t side,
			   const struct gb_record *record, struct gb_error *err);
/* Group all records; call it once, before the groups are used. */
enum gb_status gb_keys_group(struct gb_keys *keys, struct gb_error *err);
void gb_keys_release(struct gb_keys *keys);

/* True if an earlier entry of the group is of the same measurement and repetition: `repro` measures
 * a key for each table that has it. */
bool gb_key_is_repeated(const struct gb_key_entry *entry, size_t i);

/* The repetitions of a key on one side. */
struct gb_side_values {
	size_t records, broken, count;
	double *value;                  /* `count` values, one per repetition, in order of time */
	const struct gb_record *record; /* the last with a value; else the last */
	bool unverified;
	const char *reason; /* why the last record without a value has none */
};

/* Take the records of one side and, unless it is NULL, of one variant, but those that are repeated;
 * value has room for all. */
void gb_side_take(struct gb_side_values *values, const struct gb_key_entry *entry, size_t count,
		  size_t side, const char *variant);

/* Group the records that have a time by key, host, machine, commit and cache mode, and keep the
 * first record of each group.  Its samples become the medians of the repetitions, in ns: `time.n`
 * is their number, `time.ci95` the interval of their median (null below six).  Members that
 * describe a single repetition (phases, transfers, other rates) are removed.  A record that is
 * alone in its group, or unverified, is not changed.  Records without a time are kept once for each
 * reason.  GB_EMEMORY. */
enum gb_status gb_pool_repetitions(struct gb_records *records, struct gb_error *err);

#endif
