/* record.h -- the record file: JSON Lines, described by results/gpubench-record-1.schema.json.
 *
 * One `run` line says where and how; then comes one `record` line per variant and point, flushed
 * as soon as it is known, so that a sweep that dies keeps its past.  Times are ns.
 */
#ifndef GPUBENCH_CLI_RECORDS_RECORD_H
#define GPUBENCH_CLI_RECORDS_RECORD_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "cli/measuring/runner.h"
#include "cli/records/machine.h"

enum { GB_RECORD_SCHEMA = 1 };

/* ---- writing ----------------------------------------------------------------------------- */

/* The `run` line.  NULL, with err set, if memory ran out.  For the caller to cJSON_Delete(). */
cJSON *gb_record_run(const struct gb_run_info *info, struct gb_error *err);

/* The `record` line number seq (from 0) of run run_id.  As above. */
cJSON *gb_record_result(const struct gb_result *result, const char *run_id, int64_t seq,
			struct gb_error *err);

/* "radix/cuda/onesweep count=1000000 type=u32 ...": what identifies a measurement across files.
 * The parameters in the order of their table, as they would be typed in plain digits; those that
 * mean nothing to the variant and paths not given are left out.  For the caller to free();
 * NULL, with err set, if memory ran out. */
char *gb_record_key(const struct gb_workload *workload, const struct gb_variant *variant,
		    const void *params, struct gb_error *err);

/* One line, flushed.  GB_EIO if it could not be written. */
enum gb_status gb_record_write(FILE *file, const cJSON *line, struct gb_error *err);

/* ---- reading ----------------------------------------------------------------------------- */

/* The lines of one or more files, owned.  Start with { 0 }. */
struct gb_records {
	size_t count, room;
	cJSON **line;
	bool truncated;        /* a file ended within a line: its writer was killed */
	size_t complete_bytes; /* of the last file read: up to the end of its last whole line */
};

/* Append the lines of a file, "-" for standard input: JSON Lines, or the document form (one array
 * of the same objects).  A last line without its end is left out and sets truncated.  GB_EUSAGE,
 * with file:line, for anything else that is not a record file; the list then holds what was read
 * before and is still to be released. */
enum gb_status gb_records_read(const char *path, struct gb_records *list, struct gb_error *err);

/* Append one line; owns it, even if memory runs out. */
enum gb_status gb_records_add(struct gb_records *list, cJSON *line, struct gb_error *err);

void gb_records_release(struct gb_records *list);

/* Whether the line is a `record` (else it is a `run`). */
bool gb_is_record(const cJSON *line);

#endif
