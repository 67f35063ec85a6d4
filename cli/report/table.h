/* table.h -- typed cells in rows and columns, which a document (document.h) prints in any format.
 *
 * A cell has a text for people, a number for programs, or both: "29.1 us" and 29100.  A column with
 * a title is shown to people, one with a name is written for programs; most have both.
 */
#ifndef GPUBENCH_CLI_REPORT_TABLE_H
#define GPUBENCH_CLI_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/status.h"

/* The formats of every command that prints tables; the first three are for people. */
enum gb_format {
	GB_FORMAT_TABLE,
	GB_FORMAT_MARKDOWN,
	GB_FORMAT_HTML, /* one self-contained page: tables, pictures, the machine */
	GB_FORMAT_CSV,
	GB_FORMAT_JSON,
};
enum { GB_FORMATS = GB_FORMAT_JSON + 1 };

/* Their names on the command line, NULL terminated. */
extern const char *const gb_formats[];

enum gb_style { GB_PLAIN, GB_GOOD, GB_WARN, GB_BAD, GB_BEST /* the fastest at its point */ };

struct gb_cell {
	char *text;    /* owned; NULL if empty for people */
	double number; /* NAN if programs get the text */
	bool gap;      /* print a blank line before its row */
	enum gb_style style;
};

struct gb_column {
	const char *title; /* for people: "base us"; NULL: programs only */
	const char *name;  /* for programs: "base_ns"; NULL: people only */
	bool left;         /* left-aligned */
};

struct gb_table {
	size_t columns, rows; /* rows: with that of the titles */
	const struct gb_column *column;
	struct gb_cell *cell; /* rows * columns */
	bool failed;          /* memory ran out, so the table is incomplete */
};

/* Make an empty table; the columns must outlive it. */
void gb_table_init(struct gb_table *table, size_t columns, const struct gb_column *column);

/* Begin a row.  gap: print a blank line before it. */
void gb_table_row(struct gb_table *table, bool gap);

/* Set a cell of the last row.  text is copied; "" and NULL leave the cell empty. */
void gb_table_set(struct gb_table *table, size_t column, const char *text, enum gb_style style);

/* The same, with a number for programs; one that is not finite leaves the cell empty. */
void gb_table_set_number(struct gb_table *table, size_t column, double number, const char *text,
			 enum gb_style style);

/* Set an integer, which people see in full. */
void gb_table_set_count(struct gb_table *table, size_t column, size_t count, enum gb_style style);

/* A cell; row 0 is that of the titles. */
const struct gb_cell *gb_table_cell(const struct gb_table *table, size_t row, size_t column);

void gb_table_release(struct gb_table *table);

/* Print text, escaped for the format.  Characters that control a terminal (gb_text_control())
 * become '?'. */
void gb_table_print_text(FILE *file, const char *text, enum gb_format format);
/* The same of the first `size` bytes. */
void gb_table_print_part(FILE *file, const char *text, size_t size, enum gb_format format);

/* Print the table for people.  Columns whose cells are all empty are omitted, and a table without
 * rows prints nothing. color: print escape sequences, in tables only.  False if memory ran out. */
bool gb_table_print(FILE *file, const struct gb_table *table, enum gb_format format, bool color);

/* Print the named columns as CSV (RFC 4180), with a header line if `head` is true. */
void gb_table_print_csv(FILE *file, const struct gb_table *table, bool head);

#endif
