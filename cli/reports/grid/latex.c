/* latex.c -- prints a grid as LaTeX tables with booktabs rules and siunitx numbers.
 *
 * A page is 178 mm wide.  A grid that is wider is split into several tables, which repeat its key
 * columns.  Widths are estimated from the number of characters at \footnotesize.  A title that
 * occurs several times belongs to the column before it, so no table begins with it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/grid/grid.h"
#include "common/text.h"

enum { PAGE_MM = 178 };
/* Wider columns of text are broken into lines: none if all fits a page, or such that the keys fill
 * at most half of it. */
static const int text_mm[] = { PAGE_MM, 50, 28 };
static const double character_mm = 1.52, gap_mm = 2.2;

struct column {
	bool shown, number; /* number: all cells are plain numbers */
	bool apart;         /* a table may begin with it */
	int before, after;  /* most digits before and after the point */
	bool sign;
	size_t cells; /* characters of the widest cell */
	int broken;   /* width in mm of the lines that its cells are broken into; 0: one line */
	double mm;
};

static const struct gb_cell *cell_of(const struct gb_grid *grid, size_t row, size_t column)
{
	return &grid->cell[row * grid->columns + column];
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* The length of the number that text begins with: "-12.5e+3"; 0 if there is none.  Sets the digits
 * before and after the point, if they are not NULL. */
static size_t number_length(const char *text, int *before, int *after)
{
	static const char digits[] = "0123456789";
	const char *at = text + (*text == '-');
	const size_t whole = strspn(at, digits);
	size_t fraction = 0;

	at += whole;
	if (whole && *at == '.') {
		fraction = strspn(at + 1, digits);
		at += fraction ? fraction + 1 : 0;
	}
	if (before) {
		*before = (int)whole;
		*after = (int)fraction;
	}
	if (whole && *at == 'e') {
		const size_t sign = strspn(at + 1, "+-"), power = strspn(at + 1 + sign, digits);

		at += power && sign < 2 ? 1 + sign + power : 0;
	}
	return whole ? (size_t)(at - text) : 0;
}

/* The argument of \SI for a unit; NULL for another word. */
static const char *unit_of(const char *word, size_t length)
{
	static const struct {
		const char *of, *is;
	} units[] = {
		{ "%", "\\percent" },
		{ "ns", "\\nano\\second" },
		{ "us", "\\micro\\second" },
		{ "ms", "\\milli\\second" },
		{ "s", "\\second" },
		{ "k", "k" },
		{ "M", "M" },
		{ "G", "G" },
		{ "T", "T" },
		{ "KiB", "KiB" },
		{ "MiB", "MiB" },
		{ "GiB", "GiB" },
	};

	for (size_t i = 0; i < GB_COUNT(units); i++)
		if (strlen(units[i].of) == length && memcmp(units[i].of, word, length) == 0)
			return units[i].is;
	return NULL;
}

static void put_text(FILE *file, const char *text, size_t length)
{
	gb_grid_print_part(file, text, length, GB_FORMAT_LATEX);
}

/* Print text that may be broken after the punctuation of keys and paths. */
static void put_breakable(FILE *file, const char *text)
{
	for (size_t length; *text; text += length) {
		length = strcspn(text, "/=_-.:,");
		length += text[length] != '\0';
		put_text(file, text, length);
		(void)fputs(text[length] && text[length] != ' ' ? "\\allowbreak{}" : "", file);
	}
}

/* Print words; numbers, with their units, by siunitx: "8.52 ms", "4.12 +-1.2 %". */
static void put_quantities(FILE *file, const char *text)
{
	static const char plus_minus[] = "\u00b1";

	while (*text) {
		const size_t sign = strncmp(text, plus_minus, 2) == 0 ? 2 : 0;
		const size_t length = strcspn(text, " ");
		const size_t number = number_length(text + sign, NULL, NULL);
		const char *next = text + length + (text[length] == ' ');
		const size_t next_length = strcspn(next, " ");
		const char *unit = unit_of(next, next_length);

		if (number == 0 || sign + number != length) {
			put_text(file, text, length);
		} else {
			(void)fprintf(file, "%s\\%s{%.*s}", sign ? "$\\pm$" : "",
				      unit ? "SI" : "num", (int)number, text + sign);
			if (unit) {
				(void)fprintf(file, "{%s}", unit);
				next += next_length + (next[next_length] == ' ');
			}
		}
		if (*next)
			(void)fputc(' ', file);
		text = next;
	}
}

/* ---- columns ------------------------------------------------------------------------------ */

static size_t characters(const char *text, size_t length)
{
	size_t count = 0;

	for (const char *end = text + length; text < end; text += gb_text_step(text))
		count++;
	return count;
}

static size_t longest_word(const char *title)
{
	size_t longest = 0;

	for (size_t length; *title; title += length + (title[length] == ' ')) {
		length = strcspn(title, " ");
		longest = characters(title, length) > longest ? characters(title, length) : longest;
	}
	return longest;
}

static bool is_repeated(const struct gb_grid *grid, size_t column)
{
	size_t count = 0;

	for (size_t i = 0; i < grid->columns; i++)
		count += grid->column[i].title &&
			 gb_equal(grid->column[i].title, grid->column[column].title);
	return count > 1;
}

static struct column measure(const struct gb_grid *grid, size_t i, int most_mm)
{
	const char *title = grid->column[i].title;
	const size_t word = longest_word(title);
	struct column c = { .shown = true, .number = true, .apart = !is_repeated(grid, i) };
	double wide;

	for (size_t row = 0; row < grid->rows; row++) {
		const struct gb_cell *cell = cell_of(grid, row, i);
		const char *text = cell->text ? cell->text : "";
		const size_t length = strlen(text), count = characters(text, length);
		int before = 0, after = 0;

		c.cells = count > c.cells ? count : c.cells;
		if (length == 0)
			continue;
		c.number &= number_length(text, &before, &after) == length && !strchr(text, 'e') &&
			    cell->tint != GB_BAD && cell->tint != GB_BEST;
		c.before = before > c.before ? before : c.before;
		c.after = after > c.after ? after : c.after;
		c.sign |= text[0] == '-';
	}
	wide = character_mm * (double)c.cells;
	if (grid->column[i].left && wide > most_mm) {
		c.broken = most_mm;
		wide = most_mm;
	}
	if (!c.broken)
		wide = fmax(wide, character_mm * (double)word);
	c.mm = wide + gap_mm;
	return c;
}

/* ---- tables ------------------------------------------------------------------------------- */

struct table {
	FILE *file;
	const struct gb_grid *grid;
	const struct column *column;
	size_t keys, first, end; /* columns: 0 .. keys - 1, first .. end - 1 */
};

static bool is_in(const struct table *t, size_t i)
{
	return t->column[i].shown && (i < t->keys || (i >= t->first && i < t->end));
}

static void put_formats(const struct table *t)
{
	(void)fputs("\\begin{tabular}{", t->file);
	for (size_t i = 0; i < t->grid->columns; i++) {
		const struct column *c = &t->column[i];
		const bool left = t->grid->column[i].left;

		if (!is_in(t, i))
			continue;
		if (c->number)
			(void)fprintf(t->file, "S[table-format=%s%d.%d]", c->sign ? "-" : "",
				      c->before, c->after);
		else if (c->broken)
			(void)fprintf(t->file, ">{\\raggedright\\arraybackslash}p{%dmm}",
				      c->broken);
		else
			(void)fputc(left ? 'l' : 'r', t->file);
	}
	(void)fputs("}\n\\toprule\n", t->file);
}

/* A title in lines that are no wider than the cells or its longest word. */
static void put_title(const struct table *t, size_t i)
{
	const char *title = t->grid->column[i].title;
	const size_t word = longest_word(title), cells = t->column[i].cells;
	const size_t most = word > cells ? word : cells;
	size_t used = 0;

	if (characters(title, strlen(title)) <= most) {
		(void)fputs(t->column[i].number ? "{" : "", t->file);
		gb_grid_print_text(t->file, title, GB_FORMAT_LATEX);
		(void)fputs(t->column[i].number ? "}" : "", t->file);
		return;
	}
	(void)fprintf(t->file, "{\\shortstack[%c]{", t->grid->column[i].left ? 'l' : 'r');
	for (size_t length; *title; title += length + (title[length] == ' ')) {
		size_t count;
		bool fits;

		length = strcspn(title, " ");
		count = characters(title, length);
		fits = used + 1 + count <= most;
		if (used)
			(void)fputs(fits ? " " : "\\\\", t->file);
		used = used && fits ? used + 1 + count : count;
		put_text(t->file, title, length);
	}
	(void)fputs("}}", t->file);
}

static void put_cell(const struct table *t, size_t row, size_t i)
{
	const struct gb_cell *cell = cell_of(t->grid, row, i);
	const bool bold = cell->text && (cell->tint == GB_BAD || cell->tint == GB_BEST);

	if (!cell->text)
		return;
	(void)fputs(bold ? "\\textbf{" : "", t->file);
	if (t->column[i].number)
		(void)fputs(cell->text, t->file);
	else if (t->column[i].broken)
		put_breakable(t->file, cell->text);
	else if (t->grid->column[i].left)
		gb_grid_print_text(t->file, cell->text, GB_FORMAT_LATEX);
	else
		put_quantities(t->file, cell->text);
	(void)fputs(bold ? "}" : "", t->file);
}

static void put_table(const struct table *t)
{
	const char *between = "";

	put_formats(t);
	for (size_t i = 0; i < t->grid->columns; i++)
		if (is_in(t, i)) {
			(void)fputs(between, t->file);
			put_title(t, i);
			between = " & ";
		}
	(void)fputs(" \\\\\n\\midrule\n", t->file);
	for (size_t row = 0; row < t->grid->rows; row++) {
		between = t->grid->gap[row] ? "\\midrule\n" : "";
		for (size_t i = 0; i < t->grid->columns; i++)
			if (is_in(t, i)) {
				(void)fputs(between, t->file);
				put_cell(t, row, i);
				between = " & ";
			}
		(void)fputs(" \\\\\n", t->file);
	}
	(void)fputs("\\bottomrule\n\\end{tabular}\n", t->file);
}

/* The column after the last that fits into a table which begins with `first`. */
static size_t end_of_table(const struct table *t, double keys_mm)
{
	size_t end = t->first;
	double mm = keys_mm;

	while (end < t->grid->columns) {
		size_t next = end;
		double group = 0;

		do
			group += t->column[next].shown ? t->column[next].mm : 0;
		while (++next < t->grid->columns &&
		       (!t->column[next].shown || !t->column[next].apart));
		if (mm + group > PAGE_MM && end > t->first)
			break;
		mm += group;
		end = next;
	}
	return end;
}

/* The columns that name a row, and that each part of a table has; not all columns. */
static size_t key_columns(const struct gb_grid *grid)
{
	size_t keys = grid->keys;

	while (grid->keys == 0 && keys < grid->columns && grid->column[keys].left)
		keys++;
	if (keys == 0 || keys == grid->columns)
		return grid->columns > 1 ? 1 : 0;
	return keys;
}

static double width_of(const struct table *t, size_t end)
{
	double mm = 0;

	for (size_t i = 0; i < end; i++)
		mm += t->column[i].shown ? t->column[i].mm : 0;
	return mm;
}

static void print_parts(struct table *t)
{
	const double keys_mm = width_of(t, t->keys);

	for (t->first = t->keys; t->first < t->grid->columns; t->first = t->end) {
		t->end = end_of_table(t, keys_mm);
		(void)fputs(t->first > t->keys ? "\n\\medskip\\noindent\n" : "", t->file);
		put_table(t);
	}
}

bool gb_grid_print_latex(FILE *file, const struct gb_grid *grid, const size_t *width)
{
	struct column *column = calloc(grid->columns + 1, sizeof *column);
	struct table t = { file, grid, column, .end = grid->columns };
	const size_t keys = key_columns(grid);

	if (!column)
		return false;
	for (size_t k = 0; k < GB_COUNT(text_mm); k++) {
		for (size_t i = 0; i < grid->columns; i++)
			if (width[i])
				column[i] = measure(grid, i, text_mm[k]);
		if (width_of(&t, grid->columns) <= PAGE_MM ||
		    (k > 0 && 2 * width_of(&t, keys) <= PAGE_MM))
			break;
	}
	(void)fputs("\\begingroup\\footnotesize\\setlength{\\tabcolsep}{3pt}\\noindent\n", file);
	if (width_of(&t, grid->columns) <= PAGE_MM) {
		put_table(&t);
	} else {
		t.keys = keys;
		print_parts(&t);
	}
	(void)fputs("\\par\\smallskip\\endgroup\n", file);
	free(column);
	return true;
}
