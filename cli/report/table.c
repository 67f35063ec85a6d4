/* table.c -- the cells of a table, printed as aligned text, Markdown, HTML or CSV.
 *
 * Row 0 holds the titles.
 */
#include "cli/report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/csv.h"
#include "common/text.h"

const char *const gb_formats[] = { "table", "markdown", "html", "csv", "json", NULL };
_Static_assert(GB_COUNT(gb_formats) == GB_FORMATS + 1, "a word for each format");

void gb_table_init(struct gb_table *table, size_t columns, const struct gb_column *column)
{
	*table = (struct gb_table){ .columns = columns, .column = column };
	gb_table_row(table, false);
	for (size_t i = 0; i < columns; i++)
		gb_table_set(table, i, column[i].title, GB_PLAIN);
}

void gb_table_row(struct gb_table *table, bool gap)
{
	const size_t rows = table->rows, size = table->columns * sizeof(struct gb_cell);
	struct gb_cell *cell = table->cell;

	if (table->failed)
		return;
	if (!(rows & (rows - 1))) /* double the capacity */
		cell = reallocarray(cell, rows ? 2 * rows : 1, size);
	table->failed = !cell;
	if (!cell)
		return;
	table->cell = cell;
	table->rows++;
	for (size_t i = 0; i < table->columns; i++)
		cell[rows * table->columns + i] = (struct gb_cell){ .number = NAN, .gap = gap };
}

const struct gb_cell *gb_table_cell(const struct gb_table *table, size_t row, size_t column)
{
	return &table->cell[row * table->columns + column];
}

void gb_table_set(struct gb_table *table, size_t column, const char *text, enum gb_style style)
{
	struct gb_cell *cell;

	if (table->failed || !text || text[0] == '\0')
		return;
	cell = &table->cell[(table->rows - 1) * table->columns + column];
	free(cell->text);
	cell->text = strdup(text);
	cell->style = style;
	table->failed = !cell->text;
}

void gb_table_set_number(struct gb_table *table, size_t column, double number, const char *text,
			 enum gb_style style)
{
	if (table->failed || !isfinite(number))
		return;
	table->cell[(table->rows - 1) * table->columns + column].number = number;
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
	*table = (struct gb_table){ 0 };
}

/* ---- text --------------------------------------------------------------------------------- */

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

/* The width of text: its UTF-8 characters, and one '?' for each control sequence. */
static int width_of(const char *text)
{
	int width = 0;

	for (; text && *text; text += gb_text_step(text))
		width++;
	return width;
}

/* ---- rows for people ---------------------------------------------------------------------- */

struct printer {
	FILE *file;
	const struct gb_table *table;
	enum gb_format format;
	bool color;
	int *width; /* of each column; 0: it is omitted, because its cells are all empty */
};

static void print_aligned(const struct printer *p, const struct gb_cell *cell)
{
	static const char *const code[] = {
		[GB_GOOD] = "32", [GB_WARN] = "33", [GB_BAD] = "31", [GB_BEST] = "32"
	};
	const bool styled = p->color && cell->style != GB_PLAIN;

	if (styled)
		(void)fprintf(p->file, "\033[%sm", code[cell->style]);
	gb_table_print_text(p->file, cell->text, p->format);
	(void)fputs(styled ? "\033[0m" : "", p->file);
}

static void print_markdown(const struct printer *p, const struct gb_cell *cell)
{
	const char *mark =
		cell->text && (cell->style == GB_BAD || cell->style == GB_BEST) ? "**" : "";

	(void)fprintf(p->file, "| %s", mark);
	gb_table_print_text(p->file, cell->text ? cell->text : "", p->format);
	(void)fprintf(p->file, "%s ", mark);
}

/* Styles are classes of the page's style sheet. */
static void print_html(const struct printer *p, const struct gb_cell *cell, size_t row, bool left)
{
	static const char *const styles[] = { [GB_PLAIN] = "",
					      [GB_GOOD] = " good",
					      [GB_WARN] = " warn",
					      [GB_BAD] = " bad",
					      [GB_BEST] = " good" };

	(void)fprintf(p->file, "<%s class=\"%s%s\">", row ? "td" : "th scope=\"col\"",
		      left ? "left" : "right", styles[cell->style]);
	gb_table_print_text(p->file, cell->text ? cell->text : "", p->format);
	(void)fputs(row ? "</td>" : "</th>", p->file);
}

/* Aligned columns are separated by two spaces.  Padding is held back until more text follows, so no
 * line ends in spaces. */
static void print_row(const struct printer *p, size_t row)
{
	int owed = 0;
	bool first = true;

	for (size_t i = 0; i < p->table->columns; i++) {
		const struct gb_cell *cell = gb_table_cell(p->table, row, i);
		const bool left = p->table->column[i].left;
		const int width = p->width[i], used = width_of(cell->text);

		if (width == 0)
			continue;
		if (p->format == GB_FORMAT_HTML)
			print_html(p, cell, row, left);
		if (p->format == GB_FORMAT_MARKDOWN)
			print_markdown(p, cell);
		if (p->format != GB_FORMAT_TABLE)
			continue;
		owed += first ? 0 : 2;
		first = false;
		if (used == 0) {
			owed += width;
			continue;
		}
		(void)fprintf(p->file, "%*s", owed + (left ? 0 : width - used), "");
		print_aligned(p, cell);
		owed = left ? width - used : 0;
	}
}

/* The text around rows: before and after the titles, then each other row, and the end. */
static void print_rows(const struct printer *p)
{
	static const char *const titles[][2] = {
		{ "", "\n" },
		{ "", "|\n" },
		{ "<div class=\"wide\"><table>\n<thead><tr>", "</tr></thead>\n<tbody>\n" },
	};
	static const char *const rows[][2] = { { "", "\n" }, { "", "|\n" }, { "<tr>", "</tr>\n" } };
	static const char *const gaps[] = { "\n", "", "<tr class=\"gap\">" };
	static const char *const end[] = { "", "", "</tbody></table></div>\n" };

	(void)fputs(titles[p->format][0], p->file);
	print_row(p, 0);
	(void)fputs(titles[p->format][1], p->file);
	for (size_t i = 0; i < p->table->columns && p->format == GB_FORMAT_MARKDOWN; i++)
		if (p->width[i])
			(void)fputs(p->table->column[i].left ? "| :--- " : "| ---: ", p->file);
	(void)fputs(p->format == GB_FORMAT_MARKDOWN ? "|\n" : "", p->file);
	for (size_t row = 1; row < p->table->rows; row++) {
		(void)fputs(gb_table_cell(p->table, row, 0)->gap ? gaps[p->format]
								 : rows[p->format][0],
			    p->file);
		print_row(p, row);
		(void)fputs(rows[p->format][1], p->file);
	}
	(void)fputs(end[p->format], p->file);
}

bool gb_table_print(FILE *file, const struct gb_table *table, enum gb_format format, bool color)
{
	const struct printer p = { file, table, format, color,
				   calloc(table->columns + 1, sizeof(int)) };

	if (table->failed || !p.width) {
		free(p.width);
		return false;
	}
	for (size_t i = 0; i < table->columns; i++) {
		for (size_t row = 1; row < table->rows && table->column[i].title; row++) {
			const int width = width_of(gb_table_cell(table, row, i)->text);

			p.width[i] = width > p.width[i] ? width : p.width[i];
		}
		if (p.width[i] && width_of(table->column[i].title) > p.width[i])
			p.width[i] = width_of(table->column[i].title);
	}
	if (table->rows > 1)
		print_rows(&p);
	free(p.width);
	return true;
}

/* ---- CSV ---------------------------------------------------------------------------------- */

void gb_table_print_csv(FILE *file, const struct gb_table *table, bool head)
{
	for (size_t row = head ? 0 : 1; row < table->rows; row++) {
		const char *comma = "";

		for (size_t i = 0; i < table->columns; i++) {
			const struct gb_cell *cell = gb_table_cell(table, row, i);

			if (!table->column[i].name)
				continue;
			(void)fputs(comma, file);
			comma = ",";
			if (row == 0)
				gb_csv_print_text(file, table->column[i].name);
			else if (isnan(cell->number))
				gb_csv_print_text(file, cell->text ? cell->text : "");
			else
				gb_csv_print_number(file, cell->number);
		}
		(void)fputs("\r\n", file);
	}
}
