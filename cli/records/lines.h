/* lines.h -- the lines of record files: a list in memory, read from files. */
#ifndef GPUBENCH_CLI_RECORDS_LINES_H
#define GPUBENCH_CLI_RECORDS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/records/record.h"

/* The lines of one or more files, owned.  Start with { 0 }. */
struct gb_records {
	size_t count;
	struct gb_record **record;
	size_t context_count;
	struct gb_context **context;
	size_t written_contexts, written; /* as many of each are in the output: gb_output_put() */
	bool truncated; /* a file ended within a line because its writer was killed */
	/* About the last file read: */
	size_t complete_bytes;     /* up to the end of its last complete line; 0: an array */
	size_t last_context_bytes; /* up to the start of its last run line */
	bool unended;              /* its last line is complete except for the newline */
};

/* Append the lines of a file ("-" for standard input): JSON Lines, or one array of the same objects.
 * A record line that was cut off at the end of the file is dropped and sets `truncated`.  A record
 * that a later one of the file replaces is dropped.  GB_EUSAGE, with errors as FILE:LINE, for any
 * other content; GB_EMEMORY; GB_EINTERRUPTED if a signal ended the wait for a FIFO's writer.  After
 * a failure, the list holds what was read so far and must still be released. */
enum gb_status gb_records_read(const char *path, struct gb_records *list, struct gb_error *err);

/* From record `first` and run `first_run` on, remove each line that repeats an earlier line of the
 * same run and number; *dropped counts them. */
enum gb_status gb_records_drop_repeated(struct gb_records *list, size_t first, size_t first_run,
					size_t *dropped, struct gb_error *err);

/* Append one line that was read; owns it even on failure.  GB_EUSAGE, with what is wrong with the
 * line; GB_EMEMORY. */
enum gb_status gb_records_add(struct gb_records *list, cJSON *line, struct gb_error *err);

/* Append the run that is under way; owns it even on failure. */
enum gb_status gb_records_add_context(struct gb_records *list, struct gb_context *context,
				      struct gb_error *err);
/* Append a record of the last run, and take what it owns, even on failure. */
enum gb_status gb_records_add_record(struct gb_records *list, struct gb_record *record,
				     struct gb_error *err);

void gb_records_release(struct gb_records *list);

/* Remove and free record number `index`. */
void gb_records_remove(struct gb_records *list, size_t index);

/* Remove and free run number `index` and its records. */
void gb_records_remove_context(struct gb_records *list, size_t index);

/* Records to measure again: none, those that failed or timed out, or also the unverified ones. */
enum gb_again { GB_AGAIN_NONE, GB_AGAIN_FAILED, GB_AGAIN_UNVERIFIED };

/* The state of a key in the first `count` records of a list. */
struct gb_done {
	int64_t times;                 /* records of it, but for those to be measured again */
	const struct gb_record *again; /* the first of those; NULL if there is none */
	bool hung;                     /* a run of it hung: it is never measured again */
};
struct gb_done gb_records_done(const struct gb_records *list, size_t count, const char *key,
			       enum gb_again again);
bool gb_has_hung(const struct gb_record *record);

/* Write the lines that are not yet in the output, each run before its records.  The caller checks
 * the stream for errors. */
void gb_records_print(FILE *file, const struct gb_records *list);

/* Append the records of all files.  A file that was cut off causes a warning on standard error or, if
 * `whole` is set, GB_EUSAGE.  A line that repeats an earlier one, of the same file or another, is
 * dropped with a warning.  GB_EUSAGE, as FILE:LINE, for a bad line or one that contradicts the line
 * it repeats. */
enum gb_status gb_read_files(struct gb_records *records, const char *const *path, size_t count,
			     bool whole, struct gb_error *err);

#endif
