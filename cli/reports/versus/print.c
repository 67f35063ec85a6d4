#include "cli/reports/versus/print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/grid/print.h"
#include "cli/reports/page.h"
#include "cli/reports/style.h"
#include "cli/reports/versus/data.h"
#include "common/text.h"

/* Columns of the grid: what the row is, and four for each machine, the last one drawn. */
enum { VARIANT, PARAMETERS, CACHES, FIRST, EACH = 4 };

struct printer {
	FILE *file;
	const struct gb_versus *v;
	enum gb_versus_show show;
	struct gb_grid_style style;
};

static void print_text(const struct printer *p, const char *text)
{
	gb_grid_print_text(p->file, text, p->style.markup);
}

static const char *name_of(const struct printer *p, const struct gb_versus_table *table, size_t c)
{
	return p->v->column[table->column[c]].name;
}

/* A line beside a table: its own paragraph where there is markup. */
static void begin_line(const struct printer *p)
{
	static const char *const mark[] = { "", "\n", "<p>" };

	(void)fputs(mark[p->style.markup], p->file);
}

static void end_line(const struct printer *p)
{
	(void)fputs(p->style.markup == GB_MARKUP_HTML ? "</p>\n" : "\n", p->file);
}

/* ---- the rows ----------------------------------------------------------------------------- */

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

/* The time or the rate; or in a word why there is none. */
static void set_value(const struct printer *p, struct gb_grid *grid, size_t column,
		      const struct gb_versus_cell *cell)
{
	char text[GB_TEXT_MAX];

	if (!cell->has_record)
		gb_grid_set(grid, column, "-", GB_PLAIN);
	else if (!cell->has_time)
		gb_grid_set(grid, column, gb_verdict_text(cell->verdict),
			    gb_verdict_tint(cell->verdict));
	else if (p->show == GB_SHOW_TIME)
		gb_grid_set(grid, column, gb_text_time(text, cell->ns), GB_PLAIN);
	else
		gb_grid_set(grid, column,
			    isnan(cell->rate) ? "unknown" : gb_text_scaled(text, cell->rate),
			    GB_PLAIN);
}

/* The ratio, marked if it has no interval. */
static void set_speed_up(struct gb_grid *grid, size_t column, const struct gb_ratio *r)
{
	const bool alone = isnan(r->interval.low);
	char text[64];

	if (isnan(r->estimate))
		return;
	(void)snprintf(text, sizeof text, "%.3f%s", r->estimate, alone ? " ?" : "");
	gb_grid_set(grid, column, text,
		    alone                  ? GB_PLAIN
		    : r->interval.low > 1  ? GB_GOOD
		    : r->interval.high < 1 ? GB_BAD
					   : GB_PLAIN);
	gb_grid_set_span(grid, column + 2,
			 (struct gb_span){ r->estimate, r->estimate, r->estimate }, text);
	if (alone)
		return;
	(void)snprintf(text, sizeof text, "%.3f to %.3f", r->interval.low, r->interval.high);
	gb_grid_set(grid, column + 1, text, GB_PLAIN);
	gb_grid_set_span(grid, column + 2,
			 (struct gb_span){ r->interval.low, r->estimate, r->interval.high }, text);
}

static enum gb_status print_grid(const struct printer *p, const struct gb_versus_table *table,
				 struct gb_error *err)
{
	const size_t columns = FIRST + EACH * table->column_count;
	const char **title = calloc(columns, sizeof *title);
	bool *left = calloc(columns, sizeof *left);
	struct gb_grid grid;

	if (!title || !left) {
		free(title);
		free(left);
		return gb_out_of_memory(err, NULL);
	}
	title[VARIANT] = "variant";
	title[PARAMETERS] = "parameters";
	title[CACHES] = "caches";
	left[VARIANT] = left[PARAMETERS] = left[CACHES] = true;
	for (size_t c = 0; c < table->column_count; c++) {
		title[FIRST + EACH * c] = name_of(p, table, c);
		title[FIRST + EACH * c + 1] = "speed-up";
		title[FIRST + EACH * c + 2] = "95 %";
		title[FIRST + EACH * c + 3] = "";
	}
	gb_grid_init(&grid, columns, title, left);
	for (size_t i = 0; i < table->row_count; i++) {
		gb_grid_row(&grid, false);
		set_what(&grid, table, &table->row[i]);
		for (size_t c = 0; c < table->column_count; c++) {
			const struct gb_versus_cell *cell = &table->row[i].cell[c];

			set_value(p, &grid, FIRST + EACH * c, cell);
			set_speed_up(&grid, FIRST + EACH * c + 1, &cell->speed_up);
		}
	}
	(void)gb_grid_print(p->file, &grid, &p->style, err);
	gb_grid_release(&grid);
	free(title);
	free(left);
	return err->code;
}

/* ---- around the rows ---------------------------------------------------------------------- */

/* "radix on cuda: keys/s" */
static void print_head(const struct printer *p, const struct gb_versus_table *table)
{
	static const char *const before[] = { "\n", "\n## ", "<h2>" };
	static const char *const after[] = { "\n\n", "\n", "</h2>\n" };

	(void)fputs(before[p->style.markup], p->file);
	print_text(p, table->bench);
	(void)fputs(" on ", p->file);
	print_text(p, table->backend);
	(void)fputs(table->machine[0] ? ", " : "", p->file);
	print_text(p, table->machine);
	if (p->show == GB_SHOW_RATE) {
		(void)fputs(": ", p->file);
		print_text(p, table->unit ? table->unit : "items");
		(void)fputs("/s", p->file);
	}
	(void)fputs(after[p->style.markup], p->file);
}

static void print_mixes(const struct printer *p, const struct gb_versus_table *table)
{
	char text[512];

	for (size_t i = 0; i < table->mix_count; i++) {
		const struct gb_versus_mix *mix = &table->mix[i];

		begin_line(p);
		print_text(p, name_of(p, table, mix->column));
		(void)fprintf(p->file, ": more than one %s: ", mix->name);
		print_text(p, gb_versus_mix_text(mix, text, sizeof text));
		end_line(p);
	}
	if (table->mix_count || p->style.markup == GB_MARKUP_MARKDOWN)
		(void)fputs(p->style.markup == GB_MARKUP_HTML ? "" : "\n", p->file);
}

static void print_mean(const struct printer *p, const struct gb_versus_table *table, size_t c,
		       bool hot)
{
	const struct gb_versus_mean mean = gb_versus_mean_of(table, c, hot);
	const char *caches = !table->mixed_caches ? "" : hot ? "hot " : "cold ";
	size_t rows = 0;

	for (size_t i = 0; i < table->row_count; i++)
		rows += table->row[i].hot == hot;
	if (!rows)
		return;
	begin_line(p);
	if (mean.rows)
		(void)fprintf(p->file,
			      "geometric mean of the speed-ups over %zu of %zu %srows: %.3f on ",
			      mean.rows, rows, caches, mean.speed_up);
	else
		(void)fprintf(p->file, "no %srow has a time on both sides: no speed-up of ",
			      caches);
	print_text(p, name_of(p, table, c));
	end_line(p);
}

static void print_means(const struct printer *p, const struct gb_versus_table *table)
{
	for (size_t c = 1; c < table->column_count; c++) {
		print_mean(p, table, c, false);
		print_mean(p, table, c, true);
	}
}

/* How many rows a column lacks that another one has. */
static void print_absent(const struct printer *p, const struct gb_versus_table *table)
{
	for (size_t c = 0; c < table->column_count; c++) {
		size_t absent = 0;

		for (size_t i = 0; i < table->row_count; i++)
			absent += !table->row[i].cell[c].has_record;
		if (!absent)
			continue;
		begin_line(p);
		print_text(p, name_of(p, table, c));
		(void)fprintf(p->file, " has no record of %zu of %zu rows (-)", absent,
			      table->row_count);
		end_line(p);
	}
}

static void print_reason(const struct printer *p, const struct gb_versus_table *table, size_t c,
			 const struct gb_versus_row *row)
{
	const struct gb_versus_cell *cell = &row->cell[c];

	begin_line(p);
	(void)fprintf(p->file, "%s on ", gb_verdict_text(cell->verdict));
	print_text(p, name_of(p, table, c));
	(void)fputs(": ", p->file);
	print_text(p, gb_versus_row_name(table, row));
	(void)fputs(row->hot && table->mixed_caches ? ", hot" : "", p->file);
	(void)fputs(": ", p->file);
	print_text(p, cell->reason ? cell->reason : "no reason is given");
	end_line(p);
}

/* A line for each cell that has neither a time nor tells by its word alone why. */
static void print_reasons(const struct printer *p, const struct gb_versus_table *table)
{
	for (size_t i = 0; i < table->row_count; i++)
		for (size_t c = 0; c < table->column_count; c++) {
			const struct gb_versus_cell *cell = &table->row[i].cell[c];

			if (cell->verdict == GB_FAILED_RUN ||
			    (cell->verdict == GB_ABSENT && cell->has_record))
				print_reason(p, table, c, &table->row[i]);
		}
}

static enum gb_status print_table(const struct printer *p, const struct gb_versus_table *table,
				  struct gb_error *err)
{
	print_head(p, table);
	print_mixes(p, table);
	if (print_grid(p, table, err))
		return err->code;
	if (p->style.markup == GB_MARKUP_NONE && table->column_count > 1)
		(void)fputc('\n', p->file);
	print_means(p, table);
	print_absent(p, table);
	print_reasons(p, table);
	return GB_OK;
}

static void print_legend(const struct printer *p)
{
	if (p->style.markup == GB_MARKUP_NONE)
		(void)fputc('\n', p->file);
	begin_line(p);
	(void)fprintf(p->file,
		      "%s: from the median over the launches of the median of each; speed-up: "
		      "the first column's time over this one's, Hodges-Lehmann over the launches%s",
		      p->show == GB_SHOW_TIME ? "times" : "rates",
		      "; ?: fewer than 4 launches on a side, no interval");
	end_line(p);
	if (!p->v->left_out)
		return;
	begin_line(p);
	(void)fprintf(p->file, "left out: %zu records of %s", p->v->left_out,
		      p->v->by == GB_BY_THREADS ? "variants that threads do not run"
						: "CPU variants, which no driver runs");
	end_line(p);
}

static enum gb_status print_tables(FILE *file, const struct gb_versus *versus,
				   const struct gb_records *records, enum gb_versus_show show,
				   enum gb_format format, struct gb_error *err)
{
	struct printer p = { .file = file, .v = versus, .show = show };

	p.style.markup = format == GB_FORMAT_HTML       ? GB_MARKUP_HTML
			 : format == GB_FORMAT_MARKDOWN ? GB_MARKUP_MARKDOWN
							: GB_MARKUP_NONE;
	p.style.color = gb_style_for(file, format).color;
	if (p.style.markup == GB_MARKUP_HTML)
		gb_page_begin(file, records);
	for (size_t t = 0; t < versus->table_count && !err->code; t++)
		(void)print_table(&p, &versus->table[t], err);
	print_legend(&p);
	if (p.style.markup == GB_MARKUP_HTML)
		gb_page_end(file, records);
	return err->code;
}

enum gb_status gb_versus_print(FILE *file, const struct gb_versus *versus,
			       const struct gb_records *records, enum gb_versus_show show,
			       enum gb_format format, struct gb_error *err)
{
	if (format == GB_FORMAT_JSON)
		(void)gb_versus_print_json(file, versus, err);
	else if (format == GB_FORMAT_CSV)
		gb_versus_print_csv(file, versus);
	else
		(void)print_tables(file, versus, records, show, format, err);
	if (!err->code && (fflush(file) || ferror(file)))
		gb_fail(err, GB_EIO, "cannot write the tables: %s", strerror(errno));
	return err->code;
}
