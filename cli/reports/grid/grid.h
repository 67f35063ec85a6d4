/* grid.h -- typed cells in rows and columns, which a sheet (grid/sheet.h) prints in any format.
 *
 * A cell has a text for people, a number for programs, or both: "29.1 us" and 29100.  A column that
 * has a title is shown to people, one that has a name goes to programs; most have both.
 */
#ifndef GPUBENCH_CLI_REPORTS_GRID_GRID_H
#define GPUBENCH_CLI_REPORTS_GRID_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/status.h"

/* The formats of every command that prints grids; the first four are for people. */
enum gb_format {
	GB_FORMAT_TABLE,
	GB_FORMAT_MARKDOWN,
	GB_FORMAT_HTML, /* one page that needs nothing else: tables, pictures, the machine */
	GB_FORMAT_LATEX,
	GB_FORMAT_CSV,
	GB_FORMAT_JSON,
};
enum { GB_FORMATS = GB_FORMAT_JSON + 1 };

/* Their words on the command line, which end with NULL. */
extern const char *const gb_formats[];

enum gb_tint { GB_PLAIN, GB_GOOD, GB_WARN, GB_BAD, GB_BEST /* the fastest at its point */ };

/* A value, which is positive, and its interval; without one, low and high are the value. */
struct gb_span {
	double low, at, high;
};

struct gb_cell {
	char *text;    /* owned; NULL: empty for people */
	double number; /* NAN: programs get the text */
	enum gb_tint tint;
	struct gb_span span; /* at 0: none */
};

struct gb_column {
	const char *title; /* for people: "base us"; NULL: programs only */
	const char *name;  /* for programs: "base_ns"; NULL: people only */
	bool left;         /* aligned to the left */
};

struct gb_grid {
	size_t columns, rows, room;
	const struct gb_column *column;
	struct gb_cell *cell; /* rows * columns */
	bool *gap;            /* per row: a blank line before it */
	bool spans_are_times; /* ns; else plain numbers */
	bool failed;          /* memory ran out: the grid is incomplete */
};

/* An empty grid; the columns must outlive it. */
void gb_grid_init(struct gb_grid *grid, size_t columns, const struct gb_column *column);

/* Begin a row. */
void gb_grid_row(struct gb_grid *grid, bool gap);

/* Set a cell of the last row; text is copied, "" and NULL leave it empty. */
void gb_grid_set(struct gb_grid *grid, size_t column, const char *text, enum gb_tint tint);

/* The same with a number for programs; NAN leaves the cell empty. */
void gb_grid_set_number(struct gb_grid *grid, size_t column, double number, const char *text,
			enum gb_tint tint);

/* A whole number, which people read in digits. */
void gb_grid_set_count(struct gb_grid *grid, size_t column, size_t count, enum gb_tint tint);

/* Set a cell of the last row that is drawn on a page, and nowhere else: all spans of a grid are on one
 * logarithmic scale, of times if `spans_are_times`.  text is what the pointer shows. */
void gb_grid_set_span(struct gb_grid *grid, size_t column, struct gb_span span, const char *text);

void gb_grid_release(struct gb_grid *grid);

/* Print text with '?' for what controls a terminal (gb_text_control()), and what has a meaning in the
 * format escaped. */
void gb_grid_print_text(FILE *file, const char *text, enum gb_format format);

/* Print the grid for people; columns whose cells are all empty are left out, and a grid without rows
 * prints nothing.  color: escape sequences, in tables only.  False if memory ran out somewhere. */
bool gb_grid_print(FILE *file, const struct gb_grid *grid, enum gb_format format, bool color);

/* One <table>; columns whose width is 0 are left out. */
void gb_grid_print_html(FILE *file, const struct gb_grid *grid, const size_t *width);

/* The named columns as lines of CSV (RFC 4180), with a head if `head`. */
void gb_grid_print_csv(FILE *file, const struct gb_grid *grid, bool head);

#endif
