/* print.c -- a paper's table for people: as text, Markdown, part of a page, or LaTeX.
 *
 * Beside each published column stands what was measured here, with its interval, and their quotient;
 * below the table what the columns are, why cells are empty, and the claims (notes.c).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/grid/sheet.h"
#include "cli/reports/repro/repro.h"
#include "common/text.h"

/* ---- the grid ----------------------------------------------------------------------------- */

/* value with that many significant digits; 0: a whole number.  NAN leaves the cell empty. */
static void set_number(struct gb_grid *grid, size_t column, double value, int digits)
{
	char text[40];

	if (isnan(value))
		return;
	if (digits)
		(void)snprintf(text, sizeof text, "%.*g", digits, value);
	else
		(void)snprintf(text, sizeof text, "%.0f", value);
	gb_grid_set(grid, column, text, GB_PLAIN);
}

/* What a column of the paper's becomes here. */
struct shape {
	bool key, ratio;
	bool published; /* some row has a number in print */
	bool measured;  /* a variant stands for it, or it is a ratio of such */
	bool is_time;
	bool exact; /* a count: compared by the difference */
};

static struct shape shape_of(const struct gb_repro *t, const cJSON *column, size_t c)
{
	const char *role = gb_json_text(column, "role");
	struct shape s = {
		.key = gb_equal(role, "key"),
		.ratio = gb_equal(role, "ratio"),
		.measured = gb_json_text(column, "variant") || gb_json_at(column, "of"),
		.is_time = gb_equal(role, "time"),
		.exact = gb_json_text(column, "type") &&
			 gb_equal(gb_json_text(column, "type"), "integer"),
	};

	for (size_t r = 0; r < t->rows; r++)
		s.published = s.published || !isnan(gb_repro_published(t, r, c)) ||
			      gb_repro_text(t, r, c);
	return s;
}

/* The titles: per measured column published, here and their ratio; then the variants beside. */
static size_t make_titles(const struct gb_repro *t, struct gb_column *title, char (*text)[64])
{
	const cJSON *column;
	size_t n = 0, c = 0;

	cJSON_ArrayForEach(column, gb_json_at(t->table, "columns"))
	{
		const struct shape s = shape_of(t, column, c++);
		const char *name = gb_json_text(column, "name");

		(void)snprintf(text[n], sizeof text[n], "%.40s%s", name,
			       s.key          ? ""
			       : !s.published ? " here"
					      : " paper");
		title[n].title = text[n];
		n++;
		if (s.key || !s.published || !s.measured)
			continue;
		title[n++].title = "here";
		if (s.exact)
			title[n++].title = "here-paper";
		else if (!s.ratio)
			title[n++].title = s.is_time ? "paper/here" : "here/paper";
	}
	for (size_t i = 0; i < t->besides; i++) {
		(void)snprintf(text[n], sizeof text[n], "%.50s %.12s", gb_repro_beside(t, i),
			       gb_json_text(gb_repro_beside_terms(t), "unit"));
		title[n].title = text[n];
		n++;
	}
	return n;
}

/* A row being made. */
struct row {
	const struct gb_repro *t;
	struct gb_grid *grid;
	size_t row;
	const char *plus_minus;
};

/* "4.123 ±1.2 %": a measured value; a wide interval is marked. */
static void set_measured(const struct row *row, size_t column, double value, int digits,
			 const struct gb_spread *spread)
{
	const double percent = 50 * (spread->high - spread->low) / value;
	const char *mark = gb_width_mark(percent / 100);
	char number[40], text[80];

	if (isnan(value))
		return;
	if (digits)
		(void)snprintf(number, sizeof number, "%.*g", digits, value);
	else
		(void)snprintf(number, sizeof number, "%.0f", value);
	if (isfinite(percent))
		(void)snprintf(text, sizeof text, "%s %s%.*f %%%s", number, row->plus_minus,
			       percent < 0.095 ? 2 : 1, percent, mark);
	else
		(void)snprintf(text, sizeof text, "%s", number);
	gb_grid_set(row->grid, column, text, mark[0] ? GB_WARN : GB_PLAIN);
}

static size_t add_cells(const struct row *row, size_t c, const struct shape *s, size_t n)
{
	const struct gb_repro *t = row->t;
	const size_t at = row->row * t->columns + c;
	const double published = gb_repro_published(t, row->row, c), here = t->here[at];
	char number[40];
	const char *printed = gb_repro_printed(t, row->row, c, number);

	if (s->key || s->published)
		gb_grid_set(row->grid, n, printed ? printed : "", GB_PLAIN);
	else
		set_measured(row, n, here, s->exact ? 0 : 4, &t->spread[at]);
	n++;
	if (s->key || !s->published || !s->measured)
		return n;
	set_measured(row, n++, here, s->exact ? 0 : 4, &t->spread[at]);
	if (s->exact)
		set_number(row->grid, n++, here - published, 0);
	else if (!s->ratio)
		set_number(row->grid, n++, s->is_time ? published / here : here / published, 3);
	return n;
}

static void add_row(const struct row *row)
{
	const struct gb_repro *t = row->t;
	const cJSON *column;
	size_t n = 0, c = 0;

	gb_grid_row(row->grid, false);
	cJSON_ArrayForEach(column, gb_json_at(t->table, "columns"))
	{
		const struct shape s = shape_of(t, column, c);

		n = add_cells(row, c++, &s, n);
	}
	for (size_t i = 0; i < t->besides; i++) {
		const size_t at = row->row * t->besides + i;

		set_measured(row, n++, t->beside_here[at], 4, &t->beside_spread[at]);
	}
}

/* ---- all of it ---------------------------------------------------------------------------- */

static enum gb_status print_grid(FILE *file, const struct gb_repro *t, enum gb_format markup,
				 struct gb_error *err)
{
	const size_t most = 3 * t->columns + t->besides + 1;
	struct gb_column *title = calloc(most, sizeof *title);
	char(*text)[64] = calloc(most, sizeof *text);
	struct gb_sheet sheet;
	struct gb_grid grid;

	gb_sheet_open(&sheet, file, GB_FORMAT_TABLE, (struct gb_sheet_kind){ 0 });
	if (!title || !text) {
		gb_out_of_memory(err, "a table");
		goto out;
	}
	gb_grid_init(&grid, make_titles(t, title, text), title);
	for (size_t r = 0; r < t->rows; r++)
		add_row(&(struct row){ t, &grid, r, markup || sheet.utf8 ? "\u00b1" : "+-" });
	if (!gb_grid_print(file, &grid, markup, sheet.color))
		gb_out_of_memory(err, "a table");
	gb_grid_release(&grid);
out:
	free(title);
	free(text);
	return err->code;
}

/* "radix:table1  Running time of the radix sort (s)"; where no head stands before it (notes.c), the
 * citation. */
static void print_title(FILE *file, const struct gb_repro *t, enum gb_format markup)
{
	static const char *const before[] = { "", "## ", "<h2>", "\\begin{table}\n\\caption{" };
	static const char *const after[] = { "\n\n", "\n\n", "</h2>\n",
					     "}\n\\centering\n\\footnotesize\n" };

	(void)fprintf(file, "%s%s:%s%s", before[markup], gb_json_text(t->paper, "paper"),
		      gb_json_text(t->table, "id"), markup == GB_FORMAT_LATEX ? ". " : "  ");
	gb_grid_print_text(file, gb_json_text(t->table, "title"), markup);
	if (markup == GB_FORMAT_LATEX || markup == GB_FORMAT_TABLE) {
		(void)fputs(markup == GB_FORMAT_LATEX ? ". " : "\n", file);
		gb_grid_print_text(file, gb_json_text(t->paper, "citation.english"), markup);
	}
	(void)fputs(after[markup], file);
}

enum gb_status gb_repro_print(FILE *file, const struct gb_repro *t, enum gb_format markup,
			      struct gb_error *err)
{
	print_title(file, t, markup);
	if (print_grid(file, t, markup, err))
		return err->code;
	if (markup == GB_FORMAT_LATEX)
		(void)fputs("\\end{table}\n", file);
	(void)fputs("\n", file);
	gb_repro_notes(file, t, markup);
	(void)fputs("\n", file);
	return ferror(file) ? gb_fail(err, GB_EIO, "cannot write the table: %s", strerror(errno))
			    : GB_OK;
}
