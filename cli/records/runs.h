/* runs.h -- the run line of each record: which machine, build and settings it was measured with. */
#ifndef GPUBENCH_CLI_RECORDS_RUNS_H
#define GPUBENCH_CLI_RECORDS_RUNS_H

#include "cli/records/lines.h"

/* The run lines of some records, sorted by run_id.  They point into the records.  Start with
 * { 0 }. */
struct gb_runs {
	size_t count;
	const cJSON **line;
};

/* Add the run lines of a list.  GB_EMEMORY. */
enum gb_status gb_runs_add(struct gb_runs *runs, const struct gb_records *list,
			   struct gb_error *err);

/* The run of the record; NULL if the list has none. */
const cJSON *gb_runs_find(const struct gb_runs *runs, const cJSON *record);

void gb_runs_release(struct gb_runs *runs);

#endif
