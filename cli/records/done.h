/* done.h -- which measurements a record file already holds, by key and how often. */
#ifndef GPUBENCH_CLI_RECORDS_DONE_H
#define GPUBENCH_CLI_RECORDS_DONE_H

#include <stdint.h>

#include "cli/records/lines.h"

/* Which records are of measurements to be made again: none; those that failed or timed out; those
 * and the ones that were not verified. */
enum gb_again { GB_AGAIN_NONE, GB_AGAIN_FAILED, GB_AGAIN_UNVERIFIED };

/* Start with { 0 }. */
struct gb_done {
	size_t count;
	const char **key; /* they point into records that outlive this */
	size_t again_count;
	const struct gb_record **again; /* to be made again: not among the keys */
};

enum gb_status gb_done_init(struct gb_done *done, const struct gb_records *records,
			    enum gb_again again, struct gb_error *err);
/* How many records have the key, without those to be made again. */
int64_t gb_done_times(const struct gb_done *done, const char *key);
/* The first record with the key that is to be made again; NULL if there is none. */
const struct gb_record *gb_done_again(const struct gb_done *done, const char *key);
/* That record was made again. */
void gb_done_remove(struct gb_done *done, const struct gb_record *record);
void gb_done_release(struct gb_done *done);

#endif
