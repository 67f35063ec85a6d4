/* record.h -- a line of a record file as a C struct.
 *
 * This folder handles record files.  A file is JSON Lines, described by
 * results/gpubench-record-2.schema.json: a `run` line (struct gb_context), then a `record` line per
 * variant and point (struct gb_record).  Each line is flushed as soon as it is known, so a sweep
 * that is killed keeps its records.
 *
 * A measurement fills struct gb_record (result.h), and machine.h fills struct gb_context.
 * members.h has these structs, and a row for each member; field.h writes and reads JSON by these
 * rows.  lines.h reads and writes files; output.h opens the file that -o names; csv.h converts.
 * cJSON is used only in this folder.  May use cli/benchmarks and the folders below cli.
 */
#ifndef GPUBENCH_CLI_RECORDS_RECORD_H
#define GPUBENCH_CLI_RECORDS_RECORD_H

#include "cli/records/members.h"
#include "common/backend.h"
#include "common/benchmark.h"
#include "common/status.h"

enum { GB_RECORD_SCHEMA = 2 };

/* A run about which nothing is known. */
extern const struct gb_context *const gb_no_context;

/* A record in which nothing is known. */
struct gb_record gb_record_empty(void);

/* Compute what follows from the members.  Call it once these are known. */
void gb_record_derive(struct gb_record *record);

enum gb_status gb_record_put_metrics(struct gb_record *record, const struct gb_metrics *metrics,
				     struct gb_error *err);

/* Set the GPU's state, but for what belongs to the samples. */
enum gb_status gb_record_put_gpu_state(struct gb_record *record, const struct gb_gpu_state *before,
				       const struct gb_gpu_state *after, struct gb_error *err);

/* Take the counts of a run from their JSON.  GB_EMEMORY, also if it is no object of counts. */
enum gb_status gb_record_put_counts(struct gb_record *record, const char *json,
				    struct gb_error *err);

/* Parse a line; owns it even on failure.  NULL if this version cannot read the line as a record or
 * a run; `fault` then says why, or is "" if memory ran out. */
struct gb_record *gb_record_parse(cJSON *line, char fault[GB_FAULT_MAX]);
struct gb_context *gb_context_parse(cJSON *line, char fault[GB_FAULT_MAX]);
void gb_record_release(struct gb_record *record); /* what it owns */
void gb_record_free(struct gb_record *record);
void gb_context_free(struct gb_context *context);

/* Remove the members that not all records have: those that describe a result, or only those that
 * describe a single repetition.  Other texts stay. */
void gb_record_forget(struct gb_record *record, enum gb_stays stays);

/* Print the line. */
void gb_record_print(FILE *file, const struct gb_record *record);
void gb_context_print(FILE *file, const struct gb_context *context);

/* The run line, indented, for free().  NULL if memory ran out. */
char *gb_context_text(const struct gb_context *context);

/* The value at a path in the JSON or of a derived member ("time.mean", "rates.items_per_s",
 * "counts.chain").  GB_VALUE_ABSENT if there is none. */
struct gb_field_value gb_record_value(const struct gb_record *record, const char *path);
struct gb_field_value gb_context_value(const struct gb_context *context, const char *path);
struct gb_field_value gb_gpu_value(const struct gb_gpu *gpu, const char *path);
/* The number at the path; NAN if there is none. */
double gb_record_number(const struct gb_record *record, const char *path);
/* The series that the path leads into, or that "upload" and "download" are the medians of; NULL if
 * there is none. */
const struct gb_times *gb_record_times(const struct gb_record *record, const char *path);

/* True if the record has a time on which no conclusion may rest: it is doubtful or unverified. */
bool gb_is_untrusted(const struct gb_record *record);

bool gb_is_cpu(const struct gb_record *record);

/* True if caches were cold, according to the record, else to its run, else by default. */
bool gb_record_is_cold(const struct gb_record *record);

/* The CPU or GPU that the record's back end ran on. */
const struct gb_machine *gb_record_machine(const struct gb_record *record);

/* The GPU that the run used; NULL if there was none. */
const struct gb_gpu *gb_context_gpu(const struct gb_context *context);

#endif
