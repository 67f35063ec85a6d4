/* describe.h -- formats a measurement as a line of a record file. */
#ifndef GPUBENCH_CLI_RECORDS_DESCRIBE_H
#define GPUBENCH_CLI_RECORDS_DESCRIBE_H

#include <cjson/cJSON.h>

#include "cli/records/record.h"
#include "cli/records/result.h"

/* The status that the result's record gets. */
enum gb_record_status gb_status_of_result(const struct gb_result *result);

/* Make line `seq` (from 0) of run `run_id`.  It replaces `old`, an earlier record of the same file;
 * NULL if there is none.  NULL, with err set, if memory ran out.  For cJSON_Delete(). */
cJSON *gb_describe_result(const struct gb_result *result, const char *run_id, int64_t seq,
			  const struct gb_record *old, struct gb_error *err);

#endif
