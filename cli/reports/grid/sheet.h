/* sheet.h -- a report in any format: lines of text and grids, one after another.
 *
 * In a format for people, blocks of different kinds stand apart.  CSV has one grid alone.  JSON is
 * one object (results/gpubench-report-1.schema.json): the facts are its members, a grid is an array of
 * objects, one for each row, with the names of the columns.  Grids of one name follow each other in one
 * array, or in CSV under one head.
 *
 * Errors are kept until gb_sheet_close().
 */
#ifndef GPUBENCH_CLI_REPORTS_GRID_SHEET_H
#define GPUBENCH_CLI_REPORTS_GRID_SHEET_H

#include <cjson/cJSON.h>

#include "cli/reports/grid/grid.h"

enum { GB_SHEET_SCHEMA = 1 };

/* The kind of a report. */
struct gb_sheet_kind {
	const char *type;  /* of the JSON object: "comparison" */
	const char *grid;  /* the one that CSV has */
	const char *title; /* of the page, beside "gpubench"; NULL: none */
};

enum gb_block {
	GB_START,
	GB_TITLE, /* of a chapter */
	GB_HEAD,  /* of what follows */
	GB_LINE,  /* a paragraph */
	GB_LABEL, /* of a list: its items are indented */
	GB_ITEM,  /* of a list */
	GB_GRID,
	GB_PICTURE, /* the caller's own HTML */
};

struct gb_sheet {
	FILE *file;
	enum gb_format format;
	bool color; /* escape sequences of a terminal */
	bool utf8;  /* else the report's own text is ASCII */

	/* The rest is the sheet's own: */
	enum gb_block last;         /* block */
	bool indent, failed, begun; /* CSV: its head is printed */
	const char *grid;           /* CSV */
	cJSON *document;            /* JSON */
};

/* Begin a report.  It has colour on a terminal that is not dumb, unless NO_COLOR is set, and UTF-8 if
 * that is the encoding of the locale (LC_CTYPE, set by main). */
void gb_sheet_open(struct gb_sheet *sheet, FILE *file, enum gb_format format,
		   struct gb_sheet_kind kind);

/* Print what is held back, and flush.  GB_EIO, or that memory ran out somewhere; always closes. */
enum gb_status gb_sheet_close(struct gb_sheet *sheet, struct gb_error *err);

/* True of CSV and JSON: blocks of text print nothing, and facts count. */
bool gb_sheet_is_data(const struct gb_sheet *sheet);

/* A block of text in one call, or in pieces between begin and end; what has a meaning in the format is
 * escaped. */
void gb_sheet_put(struct gb_sheet *sheet, enum gb_block block, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void gb_sheet_begin(struct gb_sheet *sheet, enum gb_block block);
void gb_sheet_text(struct gb_sheet *sheet, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void gb_sheet_strong(struct gb_sheet *sheet, const char *text);
void gb_sheet_end(struct gb_sheet *sheet);

/* A member of the JSON object; NAN and NULL become null. */
void gb_sheet_fact(struct gb_sheet *sheet, const char *name, double value);
void gb_sheet_fact_text(struct gb_sheet *sheet, const char *name, const char *text);

/* Print the grid, and release it. */
void gb_sheet_grid(struct gb_sheet *sheet, const char *name, struct gb_grid *grid);

#endif
