/* print.c -- prints a table as aligned text, Markdown, HTML or CSV. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/csv.h"
#include "cli/reports/table.h"
#include "common/text.h"

#define TITLES SIZE_MAX /* the row of the titles */

struct printer {
	FILE *file;
	const struct gb_table *table;
	enum gb_format format;
	bool color;
	const size_t *width;
};

/* The width of text: its UTF-8 characters, and one '?' for each control sequence. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text += gb_text_step(text))
		width++;
	return width;
}

static const char *text_of(const struct gb_table *table, size_t row, size_t column)
{
	const char *text = row == TITLES ? table->column[column].title
					 : table->cell[row * table->columns + column].text;

	return text ? text : "";
}

/* The width of the column's widest cell or title; 0 if the column is omitted: its cells are all
 * empty, or it is not for people. */
static size_t column_width(const struct gb_table *table, size_t column)
{
	size_t width = 0, title;

	if (!table->column[column].title)
		return 0;
	for (size_t row = 0; row < table->rows; row++) {
		const size_t cell = width_of(text_of(table, row, column));

		width = cell > width ? cell : width;
	}
	title = width_of(table->column[column].title);
	return width && title > width ? title : width;
}

static void print_cell(const struct printer *p, size_t row, size_t column)
{
	static const char *const code[] = {
		[GB_GOOD] = "32",
		[GB_WARN] = "33",
		[GB_BAD] = "31",
		[GB_BEST] = "32",
	};
	const char *text = text_of(p->table, row, column);
	const enum gb_style style = row == TITLES || !text[0]
					  ? GB_PLAIN
					  : p->table->cell[row * p->table->columns + column].style;
	const bool styled = p->color && p->format == GB_FORMAT_TABLE && style != GB_PLAIN;
	const bool is_marked = style == GB_BAD || style == GB_BEST;
	const bool in_markdown = is_marked && p->format == GB_FORMAT_MARKDOWN;

	if (styled)
		(void)fprintf(p->file, "\033[%sm", code[style]);
	(void)fputs(in_markdown ? "**" : "", p->file);
	gb_table_print_text(p->file, text, p->format);
	(void)fputs(in_markdown ? "**" : "", p->file);
	(void)fputs(styled ? "\033[0m" : "", p->file);
}

/* Separate columns by two spaces.  Padding is held back until more text follows, so no line ends in
 * spaces. */
static void print_aligned_row(const struct printer *p, size_t row)
{
	int owed = 0;
	bool first = true;

	for (size_t i = 0; i < p->table->columns; i++) {
		const int width = (int)p->width[i], used = (int)width_of(text_of(p->table, row, i));
		const bool left = p->table->column[i].left;

		if (width == 0)
			continue;
		owed += first ? 0 : 2;
		first = false;
		if (used == 0) {
			owed += width;
			continue;
		}
		(void)fprintf(p->file, "%*s", owed + (left ? 0 : width - used), "");
		print_cell(p, row, i);
		owed = left ? width - used : 0;
	}
	(void)fputc('\n', p->file);
}

static void print_markdown_row(const struct printer *p, size_t row)
{
	for (size_t i = 0; i < p->table->columns; i++) {
		if (p->width[i] == 0)
			continue;
		(void)fputs("| ", p->file);
		print_cell(p, row, i);
		(void)fputc(' ', p->file);
	}
	(void)fputs("|\n", p->file);
}

static void print_markdown(const struct printer *p)
{
	print_markdown_row(p, TITLES);
	for (size_t i = 0; i < p->table->columns; i++)
		if (p->width[i])
			(void)fputs(p->table->column[i].left ? "| :--- " : "| ---: ", p->file);
	(void)fputs("|\n", p->file);
	for (size_t row = 0; row < p->table->rows; row++)
		print_markdown_row(p, row);
}

static void print_aligned(const struct printer *p)
{
	print_aligned_row(p, TITLES);
	for (size_t row = 0; row < p->table->rows; row++) {
		(void)fputs(p->table->gap[row] ? "\n" : "", p->file);
		print_aligned_row(p, row);
	}
}

/* ---- HTML: styles are classes of the page's style sheet --------------------------------------- */

static void print_html_cell(const struct printer *p, size_t row, size_t column)
{
	static const char *const styles[] = { [GB_PLAIN] = "",
					     [GB_GOOD] = " good",
					     [GB_WARN] = " warn",
					     [GB_BAD] = " bad",
					     [GB_BEST] = " good" };
	const char *side = p->table->column[column].left ? "left" : "right";

	if (row == TITLES)
		(void)fprintf(p->file, "<th scope=\"col\" class=\"%s\">", side);
	else
		(void)fprintf(p->file, "<td class=\"%s%s\">", side,
			      styles[p->table->cell[row * p->table->columns + column].style]);
	gb_table_print_text(p->file, text_of(p->table, row, column), GB_FORMAT_HTML);
	(void)fputs(row == TITLES ? "</th>" : "</td>", p->file);
}

static void print_html_cells(const struct printer *p, size_t row)
{
	for (size_t i = 0; i < p->table->columns; i++)
		if (p->width[i])
			print_html_cell(p, row, i);
}

static void print_html(const struct printer *p)
{
	(void)fputs("<div class=\"wide\"><table>\n<thead><tr>", p->file);
	print_html_cells(p, TITLES);
	(void)fputs("</tr></thead>\n<tbody>\n", p->file);
	for (size_t row = 0; row < p->table->rows; row++) {
		(void)fputs(p->table->gap[row] ? "<tr class=\"gap\">" : "<tr>", p->file);
		print_html_cells(p, row);
		(void)fputs("</tr>\n", p->file);
	}
	(void)fputs("</tbody></table></div>\n", p->file);
}

bool gb_table_print(FILE *file, const struct gb_table *table, enum gb_format format, bool color)
{
	size_t *width = calloc(table->columns + 1, sizeof *width);
	const struct printer p = { file, table, format, color, width };

	if (table->failed || !width) {
		free(width);
		return false;
	}
	for (size_t i = 0; i < table->columns; i++)
		width[i] = column_width(table, i);
	if (table->rows && format == GB_FORMAT_HTML)
		print_html(&p);
	else if (table->rows && format == GB_FORMAT_MARKDOWN)
		print_markdown(&p);
	else if (table->rows)
		print_aligned(&p);
	free(width);
	return true;
}

/* ---- CSV ---------------------------------------------------------------------------------- */

void gb_table_print_csv(FILE *file, const struct gb_table *table, bool head)
{
	for (size_t row = head ? TITLES : 0; row == TITLES || row < table->rows; row++) {
		const char *comma = "";

		for (size_t i = 0; i < table->columns; i++) {
			const struct gb_cell *cell =
				row == TITLES ? NULL : &table->cell[row * table->columns + i];

			if (!table->column[i].name)
				continue;
			(void)fputs(comma, file);
			comma = ",";
			if (!cell)
				gb_csv_print_text(file, table->column[i].name);
			else if (isnan(cell->number))
				gb_csv_print_text(file, cell->text ? cell->text : "");
			else
				gb_csv_print_number(file, cell->number);
		}
		(void)fputs("\r\n", file);
	}
}
