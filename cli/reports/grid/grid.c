/* grid.c -- the cells of a grid, and text escaped for each format. */
#include "cli/reports/grid/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

const char *const gb_formats[] = { "table", "markdown", "html", "csv", "json", NULL };
_Static_assert(GB_COUNT(gb_formats) == GB_FORMATS + 1, "a word for each format");

void gb_grid_init(struct gb_grid *grid, size_t columns, const struct gb_column *column)
{
	*grid = (struct gb_grid){ .columns = columns, .column = column };
}

void gb_grid_row(struct gb_grid *grid, bool gap)
{
	if (grid->failed)
		return;
	if (grid->rows == grid->room) {
		const size_t room = grid->room ? 2 * grid->room : 32;
		struct gb_cell *cell;
		bool *gaps;

		cell = reallocarray(grid->cell, room, grid->columns * sizeof *cell);
		if (cell)
			grid->cell = cell;
		gaps = reallocarray(grid->gap, room, sizeof *gaps);
		if (gaps)
			grid->gap = gaps;
		if (!cell || !gaps) {
			grid->failed = true;
			return;
		}
		grid->room = room;
	}
	for (size_t i = 0; i < grid->columns; i++)
		grid->cell[grid->rows * grid->columns + i] = (struct gb_cell){ .number = NAN };
	grid->gap[grid->rows++] = gap;
}

/* The cell of the last row; NULL if there is no row. */
static struct gb_cell *cell_at(struct gb_grid *grid, size_t column)
{
	return grid->failed || !grid->rows ? NULL
					   : &grid->cell[(grid->rows - 1) * grid->columns + column];
}

void gb_grid_set(struct gb_grid *grid, size_t column, const char *text, enum gb_tint tint)
{
	struct gb_cell *cell = cell_at(grid, column);

	if (!cell || !text || text[0] == '\0')
		return;
	free(cell->text);
	cell->text = strdup(text);
	cell->tint = tint;
	grid->failed = !cell->text;
}

void gb_grid_set_number(struct gb_grid *grid, size_t column, double number, const char *text,
			enum gb_tint tint)
{
	struct gb_cell *cell = cell_at(grid, column);

	if (!cell || !isfinite(number))
		return;
	cell->number = number;
	gb_grid_set(grid, column, text, tint);
}

void gb_grid_set_count(struct gb_grid *grid, size_t column, size_t count, enum gb_tint tint)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%zu", count);
	gb_grid_set_number(grid, column, (double)count, text, tint);
}

void gb_grid_release(struct gb_grid *grid)
{
	for (size_t i = 0; i < grid->rows * grid->columns; i++)
		free(grid->cell[i].text);
	free(grid->cell);
	free(grid->gap);
	*grid = (struct gb_grid){ 0 };
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

void gb_grid_print_part(FILE *file, const char *text, size_t size, enum gb_format format)
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

void gb_grid_print_text(FILE *file, const char *text, enum gb_format format)
{
	gb_grid_print_part(file, text, strlen(text), format);
}
