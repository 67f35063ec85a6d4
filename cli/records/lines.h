/* lines.h -- the lines of record files in memory: a list, read from files and written to them. */
#ifndef GPUBENCH_CLI_RECORDS_LINES_H
#define GPUBENCH_CLI_RECORDS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/status.h"

enum { GB_RECORD_SCHEMA = 1 };

/* The lines of one or more files, owned.  Start with { 0 }. */
struct gb_records {
	size_t count, room;
	cJSON **line;
	bool truncated;        /* a file ended within a line: its writer was killed */
	size_t complete_bytes; /* of the last file read: up to the end of its last whole line */
};

/* Append the lines of a file, "-" for standard input: JSON Lines, or the document form (one array
 * of the same objects).  A last line without its end is left out and sets truncated.  GB_EUSAGE,
 * errors as FILE:LINE, for anything else; the list then holds what was read before and is still to
 * be released. */
enum gb_status gb_records_read(const char *path, struct gb_records *list, struct gb_error *err);

/* Append one line; owns it, even if memory runs out. */
enum gb_status gb_records_add(struct gb_records *list, cJSON *line, struct gb_error *err);

void gb_records_release(struct gb_records *list);

/* Whether the line is a `record` (else it is a `run`). */
bool gb_is_record(const cJSON *line);

/* Write one line and flush it.  GB_EIO if it could not be written. */
enum gb_status gb_record_write(FILE *file, const cJSON *line, struct gb_error *err);

/* Write the document form.  Errors of the stream are the caller's to look for. */
enum gb_status gb_document_print(FILE *file, const struct gb_records *list, struct gb_error *err);

#endif
