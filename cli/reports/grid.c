#include "cli/reports/grid.h"

#include <stdlib.h>
#include <string.h>

#include "common/text.h"

void gb_grid_init(struct gb_grid *grid, size_t columns, const char *const *title, const bool *left)
{
	*grid = (struct gb_grid){ .columns = columns, .title = title, .left = left };
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
		grid->cell[grid->rows * grid->columns + i] = (struct gb_cell){ 0 };
	grid->gap[grid->rows++] = gap;
}

void gb_grid_set(struct gb_grid *grid, size_t column, const char *text, enum gb_tint tint)
{
	struct gb_cell *cell;

	if (grid->failed || grid->rows == 0 || text[0] == '\0')
		return;
	cell = &grid->cell[(grid->rows - 1) * grid->columns + column];
	free(cell->text);
	cell->text = strdup(text);
	cell->tint = tint;
	grid->failed = !cell->text;
}

void gb_grid_set_span(struct gb_grid *grid, size_t column, struct gb_span span, const char *text)
{
	gb_grid_set(grid, column, text, GB_PLAIN);
	if (!grid->failed && grid->rows && text[0])
		grid->cell[(grid->rows - 1) * grid->columns + column].span = span;
}

void gb_grid_release(struct gb_grid *grid)
{
	for (size_t i = 0; i < grid->rows * grid->columns; i++)
		free(grid->cell[i].text);
	free(grid->cell);
	free(grid->gap);
	*grid = (struct gb_grid){ 0 };
}

/* Columns that text takes: its UTF-8 characters, and a '?' for each that is not shown. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; width++) {
		const size_t control = gb_text_control(text);

		text += control ? control : gb_utf8_length(text);
	}
	return width;
}

/* What stands for c in HTML; NULL: itself. */
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

void gb_grid_print_text(FILE *file, const char *text, enum gb_markup markup)
{
	for (size_t length; *text; text += length) {
		const unsigned char c = (unsigned char)*text;
		const size_t control = gb_text_control(text);

		length = control ? control : gb_utf8_length(text);
		if (control) {
			(void)fputc('?', file);
			continue;
		}
		if (markup == GB_MARKUP_HTML && entity(c)) {
			(void)fputs(entity(c), file);
			continue;
		}
		if (markup == GB_MARKUP_MARKDOWN && strchr("\\`*_|<[#", c))
			(void)fputc('\\', file);
		(void)fwrite(text, 1, length, file);
	}
}

static const char *text_of(const struct gb_grid *grid, size_t row, size_t column)
{
	const char *text = grid->cell[row * grid->columns + column].text;

	return text ? text : "";
}

/* The width of the column's widest cell or title; 0 if all of its cells are empty, or cannot be
 * drawn. */
static size_t column_width(const struct gb_grid *grid, size_t column, enum gb_markup markup)
{
	size_t width = 0, title;

	for (size_t row = 0; row < grid->rows; row++) {
		const size_t cell = width_of(text_of(grid, row, column));
		const bool drawn = grid->cell[row * grid->columns + column].span.at > 0;

		if (cell > width && (!drawn || markup == GB_MARKUP_HTML))
			width = cell;
	}
	title = width_of(grid->title[column]);
	return width && title > width ? title : width;
}

static void pad(FILE *file, size_t count)
{
	while (count-- > 0)
		(void)fputc(' ', file);
}

static void print_tinted(FILE *file, const char *text, enum gb_tint tint,
			 const struct gb_grid_style *style)
{
	static const char *const code[] = {
		[GB_GOOD] = "32",
		[GB_WARN] = "33",
		[GB_BAD] = "31",
	};
	const bool tinted = style->color && !style->markup && tint != GB_PLAIN && text[0];
	const bool markdown = style->markup == GB_MARKUP_MARKDOWN;
	const char *bold = markdown && tint == GB_GOOD && text[0] ? "**" : "";

	if (tinted)
		(void)fprintf(file, "\033[%sm", code[tint]);
	(void)fputs(bold, file);
	gb_grid_print_text(file, text, style->markup);
	(void)fputs(bold, file);
	if (tinted)
		(void)fputs("\033[0m", file);
}

/* Two spaces between columns and none at the end of a line: padding is held back until something
 * follows it. */
static void print_text_row(FILE *file, const struct gb_grid *grid, size_t row, bool titles,
			   const size_t *width, const struct gb_grid_style *style)
{
	size_t owed = 0;
	bool first = true;

	for (size_t i = 0; i < grid->columns; i++) {
		const char *text = titles ? grid->title[i] : text_of(grid, row, i);
		const size_t used = width_of(text);
		const bool left = grid->left && grid->left[i];

		if (width[i] == 0)
			continue;
		owed += first ? 0 : 2;
		first = false;
		if (used == 0) {
			owed += width[i];
			continue;
		}
		pad(file, owed + (left ? 0 : width[i] - used));
		print_tinted(file, text,
			     titles ? GB_PLAIN : grid->cell[row * grid->columns + i].tint, style);
		owed = left ? width[i] - used : 0;
	}
	(void)fputc('\n', file);
}

static void print_markdown_row(FILE *file, const struct gb_grid *grid, size_t row, bool titles,
			       const size_t *width, const struct gb_grid_style *style)
{
	(void)fputc('|', file);
	for (size_t i = 0; i < grid->columns; i++) {
		if (width[i] == 0)
			continue;
		(void)fputc(' ', file);
		print_tinted(file, titles ? grid->title[i] : text_of(grid, row, i),
			     titles ? GB_PLAIN : grid->cell[row * grid->columns + i].tint, style);
		(void)fputs(" |", file);
	}
	(void)fputc('\n', file);
}

static void print_markdown_rule(FILE *file, const struct gb_grid *grid, const size_t *width)
{
	(void)fputc('|', file);
	for (size_t i = 0; i < grid->columns; i++)
		if (width[i])
			(void)fputs(grid->left && grid->left[i] ? " :--- |" : " ---: |", file);
	(void)fputc('\n', file);
}

static void print_markdown(FILE *file, const struct gb_grid *grid, const size_t *width,
			   const struct gb_grid_style *style)
{
	print_markdown_row(file, grid, 0, true, width, style);
	print_markdown_rule(file, grid, width);
	for (size_t row = 0; row < grid->rows; row++)
		print_markdown_row(file, grid, row, false, width, style);
}

static void print_plain(FILE *file, const struct gb_grid *grid, const size_t *width,
			const struct gb_grid_style *style)
{
	print_text_row(file, grid, 0, true, width, style);
	for (size_t row = 0; row < grid->rows; row++) {
		if (grid->gap[row])
			(void)fputc('\n', file);
		print_text_row(file, grid, row, false, width, style);
	}
}

enum gb_status gb_grid_print(FILE *file, const struct gb_grid *grid,
			     const struct gb_grid_style *style, struct gb_error *err)
{
	size_t *width = calloc(grid->columns + 1, sizeof *width);

	if (grid->failed || !width) {
		free(width);
		return gb_out_of_memory(err, "a table");
	}
	for (size_t i = 0; i < grid->columns; i++)
		width[i] = column_width(grid, i, style->markup);
	switch (style->markup) {
	case GB_MARKUP_HTML:
		gb_grid_print_html(file, grid, width);
		break;
	case GB_MARKUP_MARKDOWN:
		print_markdown(file, grid, width, style);
		break;
	case GB_MARKUP_NONE:
		print_plain(file, grid, width, style);
		break;
	}
	free(width);
	return GB_OK;
}
