/* document.h -- a report in any format: a sequence of text blocks and tables.
 *
 * Formats for people separate blocks of different kinds by a blank line.  CSV has a single table.
 * JSON is one object (results/gpubench-report-1.schema.json): fields are its members, and a table
 * is an array of objects, one per row, whose members are the columns' names.  Grids of the same
 * name share one array, or in CSV one header line.
 *
 * Errors are kept until gb_document_close().
 */
#ifndef GPUBENCH_CLI_REPORT_DOCUMENT_H
#define GPUBENCH_CLI_REPORT_DOCUMENT_H

#include <cjson/cJSON.h>

#include "cli/report/table.h"

enum { GB_DOCUMENT_SCHEMA = 1 };

/* The kind of a report. */
struct gb_document_kind {
	const char *type;  /* "type" of the JSON object: "comparison" */
	const char *table; /* name of the table that CSV prints */
	const char *title; /* title of the page, after "gpubench"; NULL if none */
};

enum gb_block {
	GB_START,
	GB_TITLE, /* title of a chapter */
	GB_HEAD,  /* heading of the following blocks */
	GB_LINE,  /* a paragraph */
	GB_LABEL, /* label of a list, whose items are indented */
	GB_ITEM,  /* item of a list */
	GB_TABLE,
};

struct gb_document {
	FILE *file;
	enum gb_format format;
	bool color; /* use escape sequences of a terminal */
	bool utf8;  /* if false, the report's own text is ASCII */

	/* Private: */
	enum gb_block last;         /* last block */
	bool indent, failed, begun; /* begun, CSV: the header line is printed */
	const char *table;          /* table that CSV prints */
	cJSON *document;
};

/* Begin a report.  It has colour on a terminal that is not dumb, unless NO_COLOR is set, and UTF-8
 * if the locale uses it (LC_CTYPE, set by main). */
void gb_document_open(struct gb_document *document, FILE *file, enum gb_format format,
		      struct gb_document_kind kind);

/* Print anything pending, flush and close, also after a failure.  GB_EIO; GB_EMEMORY if memory ran
 * out since gb_document_open(). */
enum gb_status gb_document_close(struct gb_document *document, struct gb_error *err);

/* True for CSV and JSON, which print no text blocks.  Only JSON prints fields. */
bool gb_document_is_data(const struct gb_document *document);

/* Print a block of text in one call, or in pieces between begin and end.  The text is escaped for
 * the format. */
void gb_document_put(struct gb_document *document, enum gb_block block, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void gb_document_begin(struct gb_document *document, enum gb_block block);
void gb_document_text(struct gb_document *document, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void gb_document_strong(struct gb_document *document, const char *text);
void gb_document_end(struct gb_document *document);

/* Set a member of the JSON object; NAN and NULL become null. */
void gb_document_field(struct gb_document *document, const char *name, double value);
void gb_document_field_text(struct gb_document *document, const char *name, const char *text);

/* Print the table and release it. */
void gb_document_table(struct gb_document *document, const char *name, struct gb_table *table);

#endif
