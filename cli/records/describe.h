/* describe.h -- a measurement as a line of a record file. */
#ifndef GPUBENCH_CLI_RECORDS_DESCRIBE_H
#define GPUBENCH_CLI_RECORDS_DESCRIBE_H

#include <cjson/cJSON.h>

#include "cli/records/record.h"
#include "cli/records/result.h"

/* The status of its record. */
enum gb_record_status gb_status_of_result(const struct gb_result *result);

/* Line number seq (from 0) of run run_id, in the place of `old` (NULL: none), an earlier record of the
 * same file.  NULL, with err set, if memory ran out.  For cJSON_Delete(). */
cJSON *gb_describe_result(const struct gb_result *result, const char *run_id, int64_t seq,
			  const struct gb_record *old, struct gb_error *err);

#endif
