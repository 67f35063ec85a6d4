/* done.h -- which measurements a record file already holds, by key and how often. */
#ifndef GPUBENCH_CLI_RECORDS_DONE_H
#define GPUBENCH_CLI_RECORDS_DONE_H

#include <stdint.h>

#include "cli/records/lines.h"

/* Ascending keys, pointing into records that outlive it.  Start with { 0 }. */
struct gb_done {
	size_t count;
	const char **key;
};

enum gb_status gb_done_init(struct gb_done *done, const struct gb_records *records,
			    struct gb_error *err);
/* How many records have the key. */
int64_t gb_done_times(const struct gb_done *done, const char *key);
void gb_done_release(struct gb_done *done);

#endif
