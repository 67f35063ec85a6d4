#include "cli/reports/grid/print.h"

#include <stdlib.h>

#include "cli/reports/grid/html.h"
#include "common/text.h"

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
		[GB_BEST] = "32",
	};
	const bool tinted = style->color && !style->markup && tint != GB_PLAIN && text[0];
	const bool markdown = style->markup == GB_MARKUP_MARKDOWN;
	const char *bold = markdown && (tint == GB_BAD || tint == GB_BEST) && text[0] ? "**" : "";

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

static void print_latex_row(FILE *file, const struct gb_grid *grid, size_t row, bool titles,
			    const size_t *width)
{
	bool first = true;

	for (size_t i = 0; i < grid->columns; i++) {
		if (width[i] == 0)
			continue;
		(void)fputs(first ? "" : " & ", file);
		first = false;
		gb_grid_print_text(file, titles ? grid->title[i] : text_of(grid, row, i),
				   GB_MARKUP_LATEX);
	}
	(void)fputs(" \\\\\n", file);
}

static void print_latex(FILE *file, const struct gb_grid *grid, const size_t *width)
{
	(void)fputs("\\begin{tabular}{", file);
	for (size_t i = 0; i < grid->columns; i++)
		if (width[i])
			(void)fputc(grid->left && grid->left[i] ? 'l' : 'r', file);
	(void)fputs("}\n\\toprule\n", file);
	print_latex_row(file, grid, 0, true, width);
	(void)fputs("\\midrule\n", file);
	for (size_t row = 0; row < grid->rows; row++) {
		if (grid->gap[row])
			(void)fputs("\\midrule\n", file);
		print_latex_row(file, grid, row, false, width);
	}
	(void)fputs("\\bottomrule\n\\end{tabular}\n", file);
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
	case GB_MARKUP_LATEX:
		print_latex(file, grid, width);
		break;
	case GB_MARKUP_NONE:
		print_plain(file, grid, width, style);
		break;
	}
	free(width);
	return GB_OK;
}
