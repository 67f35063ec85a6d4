/* table.c -- the cells of a table, and text escaped for each format. */
#include "cli/reports/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

const char *const gb_formats[] = { "table", "markdown", "html", "csv", "json", NULL };
_Static_assert(GB_COUNT(gb_formats) == GB_FORMATS + 1, "a word for each format");

void gb_table_init(struct gb_table *table, size_t columns, const struct gb_column *column)
{
	*table = (struct gb_table){ .columns = columns, .column = column };
}

void gb_table_row(struct gb_table *table, bool gap)
{
	if (table->failed)
		return;
	if (table->rows == table->room) {
		const size_t room = table->room ? 2 * table->room : 32;
		struct gb_cell *cell;
		bool *gaps;

		cell = reallocarray(table->cell, room, table->columns * sizeof *cell);
		if (cell)
			table->cell = cell;
		gaps = reallocarray(table->gap, room, sizeof *gaps);
		if (gaps)
			table->gap = gaps;
		if (!cell || !gaps) {
			table->failed = true;
			return;
		}
		table->room = room;
	}
	for (size_t i = 0; i < table->columns; i++)
		table->cell[table->rows * table->columns + i] = (struct gb_cell){ .number = NAN };
	table->gap[table->rows++] = gap;
}

/* The cell of the last row; NULL if there is no row. */
static struct gb_cell *cell_at(struct gb_table *table, size_t column)
{
	return table->failed || !table->rows
		       ? NULL
		       : &table->cell[(table->rows - 1) * table->columns + column];
}

void gb_table_set(struct gb_table *table, size_t column, const char *text, enum gb_style style)
{
	struct gb_cell *cell = cell_at(table, column);

	if (!cell || !text || text[0] == '\0')
		return;
	free(cell->text);
	cell->text = strdup(text);
	cell->style = style;
	table->failed = !cell->text;
}

void gb_table_set_number(struct gb_table *table, size_t column, double number, const char *text,
			 enum gb_style style)
{
	struct gb_cell *cell = cell_at(table, column);

	if (!cell || !isfinite(number))
		return;
	cell->number = number;
	gb_table_set(table, column, text, style);
}

void gb_table_set_count(struct gb_table *table, size_t column, size_t count, enum gb_style style)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%zu", count);
	gb_table_set_number(table, column, (double)count, text, style);
}

void gb_table_release(struct gb_table *table)
{
	for (size_t i = 0; i < table->rows * table->columns; i++)
		free(table->cell[i].text);
	free(table->cell);
	free(table->gap);
	*table = (struct gb_table){ 0 };
}

/* The HTML entity of c; NULL if c needs none. */
static const char *entity(unsigned char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

void gb_table_print_part(FILE *file, const char *text, size_t size, enum gb_format format)
{
	const char *end = text + size;

	for (size_t length; text < end; text += length) {
		const unsigned char c = (unsigned char)*text;

		length = gb_text_step(text);
		if (gb_text_control(text)) {
			(void)fputc('?', file);
			continue;
		}
		if (format == GB_FORMAT_HTML && entity(c)) {
			(void)fputs(entity(c), file);
			continue;
		}
		if (format == GB_FORMAT_MARKDOWN && strchr("\\`*_|<[#", c))
			(void)fputc('\\', file);
		(void)fwrite(text, 1, length, file);
	}
}

void gb_table_print_text(FILE *file, const char *text, enum gb_format format)
{
	gb_table_print_part(file, text, strlen(text), format);
}
