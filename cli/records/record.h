/* record.h -- the `record` line of a record file: what came of one measurement.
 *
 * The room: everything about record files.  A file is JSON Lines, described by
 * results/gpubench-record-1.schema.json: a `run` line (machine.h, run.h), then a `record` line per
 * variant and point (result.h, key.h), flushed as soon as it is known, so that a sweep that is
 * killed keeps its records.  lines.h reads and writes files, output.h opens what -o names, csv.h
 * converts.  Times are ns.  May use cli/workloads and what is below cli.
 */
#ifndef GPUBENCH_CLI_RECORDS_RECORD_H
#define GPUBENCH_CLI_RECORDS_RECORD_H

#include <cjson/cJSON.h>

#include "cli/records/result.h"

/* Line number seq (from 0) of run run_id.  NULL, with err set, if memory ran out.  For the caller
 * to cJSON_Delete(). */
cJSON *gb_record_result(const struct gb_result *result, const char *run_id, int64_t seq,
			struct gb_error *err);

/* Note in the line that it takes the place of `old`, an earlier record of the same file. */
enum gb_status gb_record_replaces(cJSON *line, const cJSON *old, struct gb_error *err);

/* The word for what became of it: its member `status`. */
const char *gb_status_word(const struct gb_result *result);

#endif
