/* print.c -- prints a paper's table: as in the paper for people, one row per cell for programs.
 *
 * Next to each published column are the value measured here, with its interval, and the ratio of
 * the two.  Below the table, notes.c explains the columns and the empty cells, and tests the
 * claims.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/repro/repro.h"
#include "common/text.h"

/* ---- the table ----------------------------------------------------------------------------- */

/* A value with that many significant digits; 0 prints an integer. */
static const char *number_text(char text[40], double value, int digits)
{
	if (digits)
		(void)snprintf(text, 40, "%.*g", digits, value);
	else
		(void)snprintf(text, 40, "%.0f", value);
	return text;
}

/* Set a value; NAN leaves the cell empty. */
static void set_number(struct gb_table *table, size_t column, double value, int digits)
{
	char text[40];

	if (!isnan(value))
		gb_table_set(table, column, number_text(text, value, digits), GB_PLAIN);
}

/* The title of values measured here: the variant, or "here" for ratios.  They are medians unless it
 * says so. */
static const char *title_of(const struct gb_repro_column *column, char text[64])
{
	const char *stat = strrchr(column->value, '.');
	const bool mean = stat && gb_equal(stat, ".mean") && !column->of[0];

	(void)snprintf(text, 64, "%.40s%s", column->variant ? column->variant : "here",
		       mean ? " mean" : "");
	return text;
}

/* Make the titles: for each measured column published, here and their ratio; then the variants
 * beside. */
static size_t make_titles(const struct gb_repro *t, struct gb_column *title, char (*text)[64])
{
	size_t n = 0;

	for (size_t c = 0; c < t->columns; c++, n++) {
		const struct gb_repro_column *column = &t->column[c];
		char measured[64];

		(void)title_of(column, measured);
		title[n].title = text[n];
		if (c >= t->paper_columns)
			(void)snprintf(text[n], sizeof text[n], "%.44s %.12s", measured,
				       column->unit);
		else if (column->is_key)
			(void)snprintf(text[n], sizeof text[n], "%.60s", column->name);
		else
			(void)snprintf(text[n], sizeof text[n], "%.30s %.30s", column->name,
				       column->is_published ? "paper" : measured);
		if (!column->is_shown_twice)
			continue;
		n++;
		title[n].title = title_of(column, text[n]);
		if (column->compared)
			title[++n].title = column->compared;
	}
	return n;
}

/* A row under construction. */
struct row {
	const struct gb_repro *t;
	struct gb_table *table;
	const struct gb_repro_cell *cell; /* its first cell */
	const char *plus_minus;
};

/* Set a measured value, "4.123 ±1.2 %"; a wide interval and a time that may be wrong are marked. */
static void set_measured(const struct row *row, size_t column, const struct gb_repro_cell *cell,
			 int digits)
{
	const double value = cell->here, percent = 50 * (cell->high - cell->low) / value;
	const bool trusted = !cell->record || !gb_is_untrusted(cell->record);
	const char *mark = gb_width_mark(percent / 100);
	const char *word = trusted ? "" : gb_status_word(cell->record->status);
	char number[40], text[80];

	if (isnan(value))
		return;
	(void)number_text(number, value, digits);
	if (isfinite(percent))
		(void)snprintf(text, sizeof text, "%s %s%.*f %%%s%s%s", number, row->plus_minus,
			       percent < 0.095 ? 2 : 1, percent, mark, trusted ? "" : " ", word);
	else
		(void)snprintf(text, sizeof text, "%s%s%s", number, trusted ? "" : " ", word);
	gb_table_set(row->table, column, text, mark[0] || !trusted ? GB_WARN : GB_PLAIN);
}

static void add_row(const struct row *row)
{
	const struct gb_repro *t = row->t;
	size_t n = 0;

	gb_table_row(row->table, false);
	for (size_t c = 0; c < t->columns; c++) {
		const struct gb_repro_column *column = &t->column[c];
		const struct gb_repro_cell *cell = &row->cell[c];
		const double published = cell->published, here = cell->here;
		const int digits = column->is_count && c < t->paper_columns ? 0 : 4;

		if (c < t->paper_columns && (column->is_key || column->is_published))
			gb_table_set(row->table, n++, gb_repro_printed(cell), GB_PLAIN);
		else
			set_measured(row, n++, cell, digits);
		if (!column->is_shown_twice)
			continue;
		set_measured(row, n++, cell, digits);
		if (column->is_count)
			set_number(row->table, n++, here - published, 0);
		else if (column->compared)
			set_number(row->table, n++,
				   gb_equal(column->role, "time") ? published / here
								  : here / published,
				   3);
	}
}

static void print_table(struct gb_document *document, const struct gb_repro *t)
{
	const size_t most = 3 * t->columns + 1;
	struct gb_column *title = calloc(most, sizeof *title);
	char(*text)[64] = calloc(most, sizeof *text);
	struct gb_table table;

	if (title && text) {
		gb_table_init(&table, make_titles(t, title, text), title);
		for (size_t r = 0; r < t->rows; r++)
			add_row(&(struct row){ t, &table, &t->cell[r * t->columns],
					       document->utf8 ? "\u00b1" : "+-" });
		gb_document_table(document, "table", &table);
	} else {
		document->failed = true;
	}
	free(title);
	free(text);
}

/* ---- for programs ------------------------------------------------------------------------- */

enum { TABLE, ROW, COLUMN, ROLE, VARIANT, UNIT, PRINTED, PAPER, HERE, LOW, HIGH, REASON, COLUMNS };

/* Keys have only the printed text; the paper's own columns have the published and the measured
 * value; the variants beside have the measured value. */
static void put_cells(struct gb_document *document, const struct gb_repro *t, const char *name)
{
	static const struct gb_column columns[COLUMNS] = {
		[TABLE] = { NULL, "table", true },     [ROW] = { NULL, "row", false },
		[COLUMN] = { NULL, "column", true },   [ROLE] = { NULL, "role", true },
		[VARIANT] = { NULL, "variant", true }, [UNIT] = { NULL, "unit", true },
		[PRINTED] = { NULL, "printed", true }, [PAPER] = { NULL, "paper", false },
		[HERE] = { NULL, "here", false },      [LOW] = { NULL, "low", false },
		[HIGH] = { NULL, "high", false },      [REASON] = { NULL, "reason", true },
	};
	struct gb_table table;

	gb_table_init(&table, COLUMNS, columns);
	for (size_t i = 0; i < t->rows * t->columns; i++) {
		const struct gb_repro_column *column = &t->column[i % t->columns];
		const struct gb_repro_cell *cell = &t->cell[i];

		gb_table_row(&table, false);
		gb_table_set(&table, TABLE, name, GB_PLAIN);
		gb_table_set_count(&table, ROW, i / t->columns + 1, GB_PLAIN);
		gb_table_set(&table, COLUMN, column->name, GB_PLAIN);
		gb_table_set(&table, ROLE,
			     i % t->columns < t->paper_columns ? column->role : "beside", GB_PLAIN);
		gb_table_set(&table, VARIANT, column->variant, GB_PLAIN);
		gb_table_set(&table, UNIT, column->unit, GB_PLAIN);
		gb_table_set(&table, PRINTED, gb_repro_printed(cell), GB_PLAIN);
		gb_table_set_number(&table, PAPER, cell->published, NULL, GB_PLAIN);
		if (!column->is_key)
			gb_table_set_number(&table, HERE, cell->here, NULL, GB_PLAIN);
		gb_table_set_number(&table, LOW, cell->low, NULL, GB_PLAIN);
		gb_table_set_number(&table, HIGH, cell->high, NULL, GB_PLAIN);
		gb_table_set(&table, REASON, cell->reason, GB_PLAIN);
	}
	gb_document_table(document, "cells", &table);
}

static void put_claims(struct gb_document *document, const struct gb_repro *t, const char *name)
{
	static const struct gb_column columns[] = {
		{ NULL, "table", true },   { NULL, "id", true },       { NULL, "verdict", true },
		{ NULL, "tested", false }, { NULL, "missing", false }, { NULL, "why", true },
		{ NULL, "text", true },
	};
	struct gb_table table;
	const cJSON *claim;

	gb_table_init(&table, GB_COUNT(columns), columns);
	cJSON_ArrayForEach(claim, gb_json_at(t->paper, "claims"))
	{
		struct gb_claim c;

		if (!gb_repro_claim(t, claim, &c))
			continue;
		gb_table_row(&table, false);
		gb_table_set(&table, 0, name, GB_PLAIN);
		gb_table_set(&table, 1, c.id, GB_PLAIN);
		gb_table_set(&table, 2, gb_claim_words[c.verdict], GB_PLAIN);
		gb_table_set_count(&table, 3, c.tested, GB_PLAIN);
		gb_table_set_count(&table, 4, c.missing, GB_PLAIN);
		gb_table_set(&table, 5, c.reason, GB_PLAIN);
		gb_table_set(&table, 6, c.text, GB_PLAIN);
	}
	gb_document_table(document, "claims", &table);
}

void gb_repro_print(struct gb_document *document, const struct gb_repro *t)
{
	char name[64];

	if (gb_document_is_data(document)) {
		(void)snprintf(name, sizeof name, "%.30s:%.30s", gb_json_text(t->paper, "paper"),
			       gb_json_text(t->table, "id"));
		put_cells(document, t, name);
		put_claims(document, t, name);
		return;
	}
	gb_document_put(document, GB_HEAD, "%s:%s  %s", gb_json_text(t->paper, "paper"),
			gb_json_text(t->table, "id"), gb_json_text(t->table, "title"));
	print_table(document, t);
	gb_repro_notes(document, t);
}
