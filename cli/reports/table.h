/* table.h -- records as a table for a person, Markdown, a page, CSV, or one JSON document.
 *
 * Everything is made from the lines of the record file, so that a run and a later report of its
 * file print the same.  A table shows only the parameters that vary; the others are stated once.
 * Times of the emulator are never shown: they say nothing about a GPU.
 */
#ifndef GPUBENCH_CLI_REPORTS_TABLE_H
#define GPUBENCH_CLI_REPORTS_TABLE_H

#include <stdio.h>

#include "cli/records/record.h"

enum gb_format {
	GB_FORMAT_TABLE,
	GB_FORMAT_MARKDOWN,
	GB_FORMAT_HTML, /* one page that needs nothing else: tables, pictures, the machine */
	GB_FORMAT_CSV,
	GB_FORMAT_JSON,
};

struct gb_style {
	enum gb_format format;
	bool color; /* escape sequences of a terminal */
	bool utf8;  /* else ASCII for what the table itself says */
};

/* For file: colour on a terminal that is not dumb, unless NO_COLOR is set; UTF-8 if the locale
 * (LC_CTYPE, set by main) says so. */
struct gb_style gb_style_for(FILE *file, enum gb_format format);

/* Print the whole list.  GB_EIO if it could not be written; the file is flushed. */
enum gb_status gb_table_print(FILE *file, const struct gb_records *list,
			      const struct gb_style *style, struct gb_error *err);

/* The parts of it for the two formats that are not tables. */
enum gb_status gb_csv_print(FILE *file, const struct gb_records *list, struct gb_error *err);
enum gb_status gb_document_print(FILE *file, const struct gb_records *list, struct gb_error *err);

#endif
