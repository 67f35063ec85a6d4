/* print.c -- prints machines side by side. */
#include "cli/reports/versus/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/command.h"
#include "cli/reports/grid/sheet.h"
#include "cli/reports/page.h"
#include "common/text.h"

static const char *name_of(const struct gb_versus *v, const struct gb_versus_table *table, size_t c)
{
	return v->column[table->column[c]].name;
}

/* ---- for people: a table ------------------------------------------------------------------- */

/* Columns of the grid: those that name the row, then four per machine, the last of which is
 * drawn. */
enum { VARIANT, PARAMETERS, CACHES, FIRST, EACH = 4 };

static void set_what(struct gb_grid *grid, const struct gb_versus_table *table,
		     const struct gb_versus_row *row)
{
	const char *name = gb_versus_row_name(table, row);
	const size_t length = strcspn(name, " ");
	char variant[128];

	(void)snprintf(variant, sizeof variant, "%.*s", (int)length, name);
	gb_grid_set(grid, VARIANT, variant, GB_PLAIN);
	gb_grid_set(grid, PARAMETERS, name[length] ? name + length + 1 : "", GB_PLAIN);
	if (table->mixed_caches)
		gb_grid_set(grid, CACHES, row->hot ? "hot" : "cold", GB_PLAIN);
}

/* The time or the rate, or one word for why there is none. */
static void set_value(struct gb_grid *grid, size_t column, const struct gb_versus_cell *cell,
		      enum gb_versus_show show)
{
	char text[GB_TEXT_MAX];

	if (!cell->has_record)
		gb_grid_set(grid, column, "-", GB_PLAIN);
	else if (!cell->has_time)
		gb_grid_set(grid, column, gb_verdict_text(cell->verdict),
			    gb_verdict_tint(cell->verdict));
	else if (show == GB_SHOW_TIME)
		gb_grid_set(grid, column, gb_text_time(text, cell->ns), GB_PLAIN);
	else
		gb_grid_set(grid, column,
			    isnan(cell->rate) ? "unknown" : gb_text_scaled(text, cell->rate),
			    GB_PLAIN);
}

/* The speed-up, marked "?" if it has no interval. */
static void set_speed_up(struct gb_grid *grid, size_t column, const struct gb_ratio *r)
{
	const bool alone = isnan(r->interval.low);
	struct gb_span span = { r->estimate, r->estimate, r->estimate };
	char text[64];

	if (isnan(r->estimate))
		return;
	(void)snprintf(text, sizeof text, "%.3f%s", r->estimate, alone ? " ?" : "");
	gb_grid_set(grid, column, text,
		    alone                  ? GB_PLAIN
		    : r->interval.low > 1  ? GB_GOOD
		    : r->interval.high < 1 ? GB_BAD
					   : GB_PLAIN);
	if (!alone) {
		(void)snprintf(text, sizeof text, "%.3f to %.3f", r->interval.low,
			       r->interval.high);
		gb_grid_set(grid, column + 1, text, GB_PLAIN);
		span = (struct gb_span){ r->interval.low, r->estimate, r->interval.high };
	}
	gb_grid_set_span(grid, column + 2, span, text);
}

static void print_table_grid(struct gb_sheet *sheet, const struct gb_versus *v,
			     const struct gb_versus_table *table, enum gb_versus_show show)
{
	const size_t columns = FIRST + EACH * table->column_count;
	struct gb_column *column = calloc(columns, sizeof *column);
	struct gb_grid grid;

	if (!column) {
		sheet->failed = true;
		return;
	}
	column[VARIANT] = (struct gb_column){ "variant", NULL, true };
	column[PARAMETERS] = (struct gb_column){ "parameters", NULL, true };
	column[CACHES] = (struct gb_column){ "caches", NULL, true };
	for (size_t c = 0; c < table->column_count; c++) {
		column[FIRST + EACH * c].title = name_of(v, table, c);
		column[FIRST + EACH * c + 1].title = "speed-up";
		column[FIRST + EACH * c + 2].title = "95 %";
		column[FIRST + EACH * c + 3].title = "";
	}
	gb_grid_init(&grid, columns, column);
	for (size_t i = 0; i < table->row_count; i++) {
		gb_grid_row(&grid, false);
		set_what(&grid, table, &table->row[i]);
		for (size_t c = 0; c < table->column_count; c++) {
			const struct gb_versus_cell *cell = &table->row[i].cell[c];

			set_value(&grid, FIRST + EACH * c, cell, show);
			set_speed_up(&grid, FIRST + EACH * c + 1, &cell->speed_up);
		}
	}
	gb_sheet_grid(sheet, "table", &grid);
	free(column);
}

/* "radix on cuda: keys/s" */
static void print_head(struct gb_sheet *sheet, const struct gb_versus_table *table,
		       enum gb_versus_show show)
{
	gb_sheet_begin(sheet, GB_HEAD);
	gb_sheet_text(sheet, "%s on %s%s%s", table->bench, table->backend,
		      table->machine[0] ? ", " : "", table->machine);
	if (show == GB_SHOW_RATE)
		gb_sheet_text(sheet, ": %s/s", table->unit ? table->unit : "items");
	gb_sheet_end(sheet);
}

static void print_mean(struct gb_sheet *sheet, const struct gb_versus *v,
		       const struct gb_versus_table *table, size_t c, bool hot)
{
	const struct gb_versus_mean mean = gb_versus_mean_of(table, c, hot);
	const char *caches = !table->mixed_caches ? "" : hot ? "hot " : "cold ";
	size_t rows = 0;

	for (size_t i = 0; i < table->row_count; i++)
		rows += table->row[i].hot == hot;
	if (mean.rows)
		gb_sheet_put(sheet, GB_LINE,
			     "geometric mean of the speed-ups over %zu of %zu %srows: %.3f on %s",
			     mean.rows, rows, caches, mean.speed_up, name_of(v, table, c));
	else if (rows && v->speed_ups)
		gb_sheet_put(sheet, GB_LINE, "no %srow has a time on both sides: no speed-up of %s",
			     caches, name_of(v, table, c));
}

/* Print the number of rows that a column lacks. */
static void print_absent(struct gb_sheet *sheet, const struct gb_versus *v,
			 const struct gb_versus_table *table, size_t c)
{
	size_t absent = 0;

	for (size_t i = 0; i < table->row_count; i++)
		absent += !table->row[i].cell[c].has_record;
	if (absent)
		gb_sheet_put(sheet, GB_LINE, "%s has no record of %zu of %zu rows (-)",
			     name_of(v, table, c), absent, table->row_count);
}

/* Print a line for each cell without a time, except where its verdict already explains why. */
static void print_reasons(struct gb_sheet *sheet, const struct gb_versus *v,
			  const struct gb_versus_table *table, const struct gb_versus_row *row)
{
	for (size_t c = 0; c < table->column_count; c++) {
		const struct gb_versus_cell *cell = &row->cell[c];

		if (cell->verdict == GB_FAILED_RUN ||
		    (cell->verdict == GB_ABSENT && cell->has_record))
			gb_sheet_put(sheet, GB_LINE, "%s on %s: %s%s: %s",
				     gb_verdict_text(cell->verdict), name_of(v, table, c),
				     gb_versus_row_name(table, row),
				     row->hot && table->mixed_caches ? ", hot" : "",
				     cell->reason ? cell->reason : "no reason is given");
	}
}

static void print_table(struct gb_sheet *sheet, const struct gb_versus *v,
			const struct gb_versus_table *table, enum gb_versus_show show)
{
	char text[512];

	print_head(sheet, table, show);
	for (size_t i = 0; i < table->mix_count; i++)
		gb_sheet_put(sheet, GB_LINE, "%s: more than one %s: %s",
			     name_of(v, table, table->mix[i].column), table->mix[i].name,
			     gb_versus_mix_text(&table->mix[i], text, sizeof text));
	for (size_t c = 1; c < table->column_count; c++) {
		print_mean(sheet, v, table, c, false);
		print_mean(sheet, v, table, c, true);
	}
	print_table_grid(sheet, v, table, show);
	for (size_t c = 0; c < table->column_count; c++)
		print_absent(sheet, v, table, c);
	for (size_t i = 0; i < table->row_count; i++)
		print_reasons(sheet, v, table, &table->row[i]);
}

/* The means of one column over all tables, in which each mean counts the same. */
struct total {
	double logs;
	size_t rows, means;
	const char *over; /* the first column of the last table */
	bool mixed;       /* tables have different first columns, so there is no total */
};

static void add_mean(struct gb_grid *grid, const char *const name[4], struct gb_versus_mean mean)
{
	char text[64];

	gb_grid_row(grid, false);
	for (size_t i = 0; i < 4; i++)
		gb_grid_set(grid, i, name[i], GB_PLAIN);
	gb_grid_set_count(grid, 4, mean.rows, GB_PLAIN);
	(void)snprintf(text, sizeof text, "%.3f", mean.speed_up);
	gb_grid_set(grid, 5, text, GB_PLAIN);
	gb_grid_set_span(grid, 6, (struct gb_span){ mean.speed_up, mean.speed_up, mean.speed_up },
			 text);
}

/* Add a row for the cold and one for the hot mean of a column. */
static void add_means(struct gb_grid *grid, const struct gb_versus *v,
		      const struct gb_versus_table *table, size_t c, struct total *total)
{
	const char *over = name_of(v, table, 0);

	for (int hot = 0; hot < 2; hot++) {
		const struct gb_versus_mean mean = gb_versus_mean_of(table, c, hot);
		const char *caches = hot ? ", hot" : ", cold";
		char name[128];

		if (mean.rows == 0)
			continue;
		(void)snprintf(name, sizeof name, "%.60s%s", table->backend,
			       table->mixed_caches ? caches : "");
		add_mean(grid, (const char *[]){ table->bench, name, name_of(v, table, c), over },
			 mean);
		total->mixed |= total->over && !gb_equal(total->over, over);
		total->over = over;
		total->logs += log(mean.speed_up);
		total->rows += mean.rows;
		total->means++;
	}
}

/* The means of all tables, and of each column their mean. */
static void print_summary(struct gb_sheet *sheet, const struct gb_versus *v)
{
	static const struct gb_column column[] = {
		{ "benchmark", NULL, true }, { "on", NULL, true },    { "of", NULL, true },
		{ "over", NULL, true },      { "rows", NULL, false }, { "speed-up", NULL, false },
		{ "", NULL, false }
	};
	struct gb_grid grid;

	if (v->table_count < 2 || v->speed_ups == 0)
		return;
	gb_grid_init(&grid, GB_COUNT(column), column);
	for (size_t of = 0; of < v->column_count; of++) {
		struct total total = { 0 };

		for (size_t t = 0; t < v->table_count; t++)
			for (size_t c = 1; c < v->table[t].column_count; c++)
				if (v->table[t].column[c] == of)
					add_means(&grid, v, &v->table[t], c, &total);
		if (total.means > 1 && !total.mixed)
			add_mean(&grid,
				 (const char *[]){ "all", "", v->column[of].name, total.over },
				 (struct gb_versus_mean){ exp(total.logs / (double)total.means),
							  total.rows });
	}
	gb_sheet_put(sheet, GB_HEAD, "Geometric means of the speed-ups");
	gb_sheet_grid(sheet, "summary", &grid);
}

/* The number of rows that have a record in two columns. */
static size_t shared_rows(const struct gb_versus_table *table)
{
	size_t shared = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		size_t records = 0;

		for (size_t c = 0; c < table->column_count; c++)
			records += table->row[i].cell[c].has_record;
		shared += records > 1;
	}
	return shared;
}

/* No row of a table has a record in two columns: name a measurement that one column has and another
 * lacks, as a command line. */
static void print_wanted(struct gb_sheet *sheet, const struct gb_versus *v,
			 const struct gb_versus_table *table, const struct gb_records *records)
{
	const struct gb_versus_row *row = &table->row[0];
	char *command = NULL;
	size_t has = 0;

	while (!row->cell[has].has_record)
		has++;
	for (size_t i = 0; i < records->count && !command; i++)
		if (gb_equal(records->record[i]->key, row->key))
			command = gb_record_command(records->record[i]);
	gb_sheet_begin(sheet, GB_LINE);
	gb_sheet_text(sheet, "no speed-up: no measurement was made in two columns; %s has %s, ",
		      name_of(v, table, has), row->key);
	gb_sheet_text(sheet, "which %s lacks%s%s", name_of(v, table, has == 0), command ? ": " : "",
		      command ? command : "");
	gb_sheet_end(sheet);
	free(command);
}

/* Print why there is no speed-up, and what would give one. */
static void print_none(struct gb_sheet *sheet, const struct gb_versus *v,
		       const struct gb_records *records)
{
	const struct gb_versus_table *wide = NULL;
	size_t shared = 0;

	for (size_t t = 0; t < v->table_count; t++) {
		shared += shared_rows(&v->table[t]);
		wide = wide || v->table[t].column_count < 2 ? wide : &v->table[t];
	}
	if (shared)
		gb_sheet_put(sheet, GB_LINE,
			     "no speed-up: %zu row%s in two columns, none with a verified time in "
			     "both; the cells say why",
			     shared, shared == 1 ? "" : "s");
	else if (wide)
		print_wanted(sheet, v, wide, records);
	else
		gb_sheet_put(sheet, GB_LINE,
			     "no speed-up: all records of a table have the same %s; add records "
			     "of another, or choose another --by",
			     gb_versus_bys[v->by]);
}

static void print_legend(struct gb_sheet *sheet, const struct gb_versus *v,
			 enum gb_versus_show show)
{
	gb_sheet_put(sheet, GB_LABEL,
		     "%s: from the median over the launches of the median of each; speed-up: "
		     "the first column's time over this one's, Hodges-Lehmann over the launches; "
		     "?: fewer than 4 launches on a side, no interval",
		     show == GB_SHOW_TIME ? "times" : "rates");
	if (v->left_out)
		gb_sheet_put(sheet, GB_LABEL, "left out: %zu records of %s", v->left_out,
			     v->by == GB_BY_THREADS ? "GPU variants, which run no CPU threads"
						    : "CPU variants, which use no driver");
}

/* ---- for programs: a line for each cell ---------------------------------------------------- */

enum { BENCH, BACKEND, MACHINE, COLUMN, WHERE };
#define WHERE_COLUMNS                                                                  \
	{ NULL, "bench", true }, { NULL, "backend", true }, { NULL, "machine", true }, \
	{                                                                              \
		NULL, "column", true                                                   \
	}

static void add_where(struct gb_grid *grid, const struct gb_versus *v,
		      const struct gb_versus_table *table, size_t c)
{
	gb_grid_row(grid, false);
	gb_grid_set(grid, BENCH, table->bench, GB_PLAIN);
	gb_grid_set(grid, BACKEND, table->backend, GB_PLAIN);
	gb_grid_set(grid, MACHINE, table->machine, GB_PLAIN);
	gb_grid_set(grid, COLUMN, name_of(v, table, c), GB_PLAIN);
}

static void add_cells(struct gb_grid *grid, const struct gb_versus *v,
		      const struct gb_versus_table *table, const struct gb_versus_row *row)
{
	for (size_t c = 0; c < table->column_count; c++) {
		const struct gb_versus_cell *cell = &row->cell[c];
		const double number[] = { cell->ns,
					  cell->rate,
					  cell->speed_up.estimate,
					  cell->speed_up.interval.low,
					  cell->speed_up.interval.high,
					  cell->speed_up.interval.coverage };

		add_where(grid, v, table, c);
		gb_grid_set(grid, WHERE, row->key, GB_PLAIN);
		gb_grid_set(grid, WHERE + 1, row->hot ? "hot" : "cold", GB_PLAIN);
		gb_grid_set(grid, WHERE + 2, gb_verdict_text(cell->verdict), GB_PLAIN);
		gb_grid_set(grid, WHERE + 3, cell->reason, GB_PLAIN);
		gb_grid_set_count(grid, WHERE + 4, cell->launches, GB_PLAIN);
		for (size_t i = 0; i < GB_COUNT(number); i++)
			gb_grid_set_number(grid, WHERE + 5 + i, number[i], NULL, GB_PLAIN);
	}
}

static void put_cells(struct gb_sheet *sheet, const struct gb_versus *v)
{
	static const struct gb_column column[] = { WHERE_COLUMNS,
						   { NULL, "key", true },
						   { NULL, "caches", true },
						   { NULL, "verdict", true },
						   { NULL, "reason", true },
						   { NULL, "launches", false },
						   { NULL, "time_ns", false },
						   { NULL, "items_per_s", false },
						   { NULL, "speed_up", false },
						   { NULL, "low", false },
						   { NULL, "high", false },
						   { NULL, "coverage", false } };
	struct gb_grid grid;

	gb_grid_init(&grid, GB_COUNT(column), column);
	for (size_t t = 0; t < v->table_count; t++)
		for (size_t i = 0; i < v->table[t].row_count; i++)
			add_cells(&grid, v, &v->table[t], &v->table[t].row[i]);
	gb_sheet_grid(sheet, "cells", &grid);
}

static void put_means(struct gb_sheet *sheet, const struct gb_versus *v)
{
	static const struct gb_column column[] = { WHERE_COLUMNS,
						   { NULL, "caches", true },
						   { NULL, "rows", false },
						   { NULL, "speed_up", false } };
	struct gb_grid grid;

	gb_grid_init(&grid, GB_COUNT(column), column);
	for (size_t t = 0; t < v->table_count; t++)
		for (size_t c = 0; c < v->table[t].column_count; c++)
			for (int hot = 0; hot < 2; hot++) {
				const struct gb_versus_mean mean =
					gb_versus_mean_of(&v->table[t], c, hot);

				if (!mean.rows)
					continue;
				add_where(&grid, v, &v->table[t], c);
				gb_grid_set(&grid, WHERE, hot ? "hot" : "cold", GB_PLAIN);
				gb_grid_set_count(&grid, WHERE + 1, mean.rows, GB_PLAIN);
				gb_grid_set_number(&grid, WHERE + 2, mean.speed_up, NULL, GB_PLAIN);
			}
	gb_sheet_grid(sheet, "means", &grid);
}

static void put_mixes(struct gb_sheet *sheet, const struct gb_versus *v)
{
	static const struct gb_column column[] = { WHERE_COLUMNS,
						   { NULL, "part", true },
						   { NULL, "values", true } };
	struct gb_grid grid;
	char text[512];

	gb_grid_init(&grid, GB_COUNT(column), column);
	for (size_t t = 0; t < v->table_count; t++)
		for (size_t i = 0; i < v->table[t].mix_count; i++) {
			const struct gb_versus_mix *mix = &v->table[t].mix[i];

			add_where(&grid, v, &v->table[t], mix->column);
			gb_grid_set(&grid, WHERE, mix->name, GB_PLAIN);
			gb_grid_set(&grid, WHERE + 1, gb_versus_mix_text(mix, text, sizeof text),
				    GB_PLAIN);
		}
	gb_sheet_grid(sheet, "mixes", &grid);
}

enum gb_status gb_versus_print(FILE *file, const struct gb_versus *versus,
			       const struct gb_records *records, enum gb_versus_show show,
			       enum gb_format format, struct gb_error *err)
{
	char title[GB_PAGE_TITLE];
	struct gb_sheet sheet;

	gb_sheet_open(&sheet, file, format,
		      (struct gb_sheet_kind){ "versus", "cells", gb_page_title(title, records) });
	if (gb_sheet_is_data(&sheet)) {
		gb_sheet_fact_text(&sheet, "by", gb_versus_bys[versus->by]);
		gb_sheet_fact(&sheet, "level", GB_LEVEL);
		gb_sheet_fact(&sheet, "left_out", (double)versus->left_out);
		put_cells(&sheet, versus);
		put_means(&sheet, versus);
		put_mixes(&sheet, versus);
	} else {
		if (versus->speed_ups == 0)
			print_none(&sheet, versus, records);
		print_summary(&sheet, versus);
		for (size_t t = 0; t < versus->table_count; t++)
			print_table(&sheet, versus, &versus->table[t], show);
		print_legend(&sheet, versus, show);
		if (format == GB_FORMAT_HTML)
			gb_page_print_runs(file, records);
	}
	return gb_sheet_close(&sheet, err);
}
