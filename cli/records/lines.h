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
	bool truncated; /* a file ended within a line: its writer was killed */
	/* Of the last file read: */
	size_t complete_bytes; /* up to the end of its last whole line */
	size_t last_run_bytes; /* up to where its last run line begins */
	bool unended;          /* that line lacks its newline, and nothing else */
	bool document;         /* it was one array */
};

/* Append the lines of a file, "-" for standard input: JSON Lines, or the document form (one array
 * of the same objects).  Keys are spelled anew (key.h).  A record line that was cut off at the end
 * of the file is left out and sets truncated; a record that a later one of the file replaces is
 * left out.  GB_EUSAGE, errors as FILE:LINE, for anything else, GB_EMEMORY, GB_EINTERRUPTED if a
 * signal ended the wait for a FIFO's writer; the list then holds what was read before and is still
 * to be released. */
enum gb_status gb_records_read(const char *path, struct gb_records *list, struct gb_error *err);

/* The same for text in memory, of size bytes and a NUL; name is for messages. The text is changed. */
enum gb_status gb_records_parse(const char *name, char *text, size_t size, struct gb_records *list,
				struct gb_error *err);

/* Append one line; owns it, even if memory runs out. */
enum gb_status gb_records_add(struct gb_records *list, cJSON *line, struct gb_error *err);

void gb_records_release(struct gb_records *list);

/* Whether the line is a `record` (else it is a `run`). */
bool gb_is_record(const cJSON *line);

/* Whether the record has the word as its status. */
bool gb_has_status(const cJSON *record, const char *word);

/* Whether nobody verified what the record's time stands for: --no-verify was given. */
bool gb_is_unverified(const cJSON *record);

/* Remove and delete line number `index`. */
void gb_records_remove(struct gb_records *list, size_t index);

/* The line as text with its newline, which *length counts, for free(); NULL if memory ran out. */
char *gb_record_text(const cJSON *line, size_t *length);

/* Write one line and flush it.  GB_EIO if it could not be written. */
enum gb_status gb_record_write(FILE *file, const cJSON *line, struct gb_error *err);

/* Write the document form.  Errors of the stream are the caller's to look for. */
enum gb_status gb_document_print(FILE *file, const struct gb_records *list, struct gb_error *err);

#endif
