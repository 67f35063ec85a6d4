/* done.h -- the measurements that a record file already holds, counted by key. */
#ifndef GPUBENCH_CLI_RECORDS_DONE_H
#define GPUBENCH_CLI_RECORDS_DONE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/records/lines.h"

/* Records to measure again: none, those that failed or timed out, or also the unverified ones. */
enum gb_again { GB_AGAIN_NONE, GB_AGAIN_FAILED, GB_AGAIN_UNVERIFIED };

/* Start with { 0 }. */
struct gb_done {
	size_t count;
	const char **key; /* point into the records, which must outlive this */
	size_t again_count;
	const struct gb_record **again; /* to be measured again; their keys are not in `key` */
	size_t hung_count;
	const char **hung; /* keys that are never measured again, because a run hung */
};

enum gb_status gb_done_init(struct gb_done *done, const struct gb_records *records,
			    enum gb_again again, struct gb_error *err);
/* The number of records with the key, excluding those to be measured again. */
int64_t gb_done_times(const struct gb_done *done, const char *key);
/* True if a run of the key hung. */
bool gb_done_hung(const struct gb_done *done, const char *key);
/* The first record with the key that is to be measured again; NULL if there is none. */
const struct gb_record *gb_done_again(const struct gb_done *done, const char *key);
/* Call after the record was measured again. */
void gb_done_remove(struct gb_done *done, const struct gb_record *record);
void gb_done_release(struct gb_done *done);

#endif
