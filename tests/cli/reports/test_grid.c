/* test_grid.c -- grids in each format: titles, widths, numbers, tints. */
#include "cli/reports/grid/grid.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

enum { COLUMNS = 24 };

#define PM "\u00b1"
/* Titles and cells are separated by ';'.  A title after '<' is left-aligned, a row after '^' has a
 * gap before it, and a cell after a sign of signs[] has a tint. */
static char *printed(const char *titles, const char *const *row, enum gb_format format)
{
	static const char signs[] = "\1+?!*";
	struct gb_column column[COLUMNS] = { 0 };
	char *words = strdup(titles), *rest = words, *word, *text = NULL;
	struct gb_grid grid;
	size_t count = 0, size;
	FILE *file = open_memstream(&text, &size);

	for (; (word = strsep(&rest, ";")); count++) {
		column[count].left = *word == '<';
		column[count].title = word + column[count].left;
	}
	gb_grid_init(&grid, count, column);
	for (; *row; row++) {
		char *cells = strdup(*row), *at = cells + (**row == '^');

		gb_grid_row(&grid, **row == '^');
		for (size_t i = 0; (word = strsep(&at, ";")); i++) {
			const char *sign = *word ? strchr(signs, *word) : NULL;

			gb_grid_set(&grid, i, word + (sign != NULL),
				    sign ? (enum gb_tint)(sign - signs) : GB_PLAIN);
		}
		free(cells);
	}
	cr_expect(gb_grid_print(file, &grid, format, true));
	(void)fclose(file);
	gb_grid_release(&grid);
	free(words);
	return text;
}

static const struct {
	enum gb_format format;
	const char *titles, *row[10], *wanted;
} grids[] = {
	{ GB_FORMAT_TABLE,
	  "<name;n;empty;<rest",
	  { "a;1", "^bb;?22;;+x", ";5", "c;!3;;y", "d;*4", "e" },
	  "name   n  rest\n"
	  "a      1\n"
	  "\n"
	  "bb    \033[33m22\033[0m  \033[32mx\033[0m\n"
	  "       5\n"
	  "c      \033[31m3\033[0m  y\n"
	  "d      \033[32m4\033[0m\n"
	  "e\n" },
	{ GB_FORMAT_TABLE, "n;<" PM "2", { "1;\033[1m", "2;b" }, "n  " PM "2\n1  ?[1m\n2  b\n" },
	{ GB_FORMAT_MARKDOWN,
	  "<name;empty;n",
	  { "a|b;;?1", "^`*_<[#\\;;!22", ";;*3" },
	  "| name | n |\n| :--- | ---: |\n| a\\|b | 1 |\n| \\`\\*\\_\\<\\[\\#\\\\ | **22** |\n"
	  "|  | **3** |\n" },
	{ GB_FORMAT_HTML,
	  "<name;n;empty;o",
	  { "a&\"b\";1;;+2", "^<c>;?3;;!4", "d;;;*5" },
	  "<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\" class=\"left\">name</th>"
	  "<th scope=\"col\" class=\"right\">n</th><th scope=\"col\" class=\"right\">o</th></tr>"
	  "</thead>\n<tbody>\n"
	  "<tr><td class=\"left\">a&amp;&quot;b&quot;</td><td class=\"right\">1</td>"
	  "<td class=\"right good\">2</td></tr>\n"
	  "<tr class=\"gap\"><td class=\"left\">&lt;c&gt;</td><td class=\"right warn\">3</td>"
	  "<td class=\"right bad\">4</td></tr>\n"
	  "<tr><td class=\"left\">d</td><td class=\"right\"></td><td class=\"right good\">5</td>"
	  "</tr>\n</tbody></table></div>\n" },
};

Test(grid, formats)
{
	for (size_t i = 0; i < GB_COUNT(grids); i++) {
		char *text = printed(grids[i].titles, grids[i].row, grids[i].format);

		cr_expect_str_eq(text, grids[i].wanted, "grid %zu:\n%s\ninstead of\n%s", i, text,
				 grids[i].wanted);
		free(text);
	}
}

/* Programs get the number; the other cells are for people. */
Test(grid, csv)
{
	static const struct gb_column column[] = {
		{ "name", "name", true },  { "time", "time_ns", false }, { "shown", NULL, false },
		{ NULL, "hidden", false }, { "n", "n", false },
	};
	static const char wanted[] = "name,time_ns,hidden,n\r\na,1500.5,x,40\r\n\"b,\",,,\r\n";
	char *text = NULL;
	struct gb_grid grid;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	gb_grid_init(&grid, GB_COUNT(column), column);
	gb_grid_set(&grid, 0, "no row", GB_PLAIN);
	for (int i = 0; i < 2; i++) {
		gb_grid_row(&grid, false);
		gb_grid_set(&grid, 0, i ? "b," : "a", GB_PLAIN);
		gb_grid_set_number(&grid, 1, i ? (double)INFINITY : 1500.5, "1.5 us", GB_PLAIN);
		gb_grid_set(&grid, 2, "y", GB_PLAIN);
		gb_grid_set(&grid, 3, i ? "" : "x", GB_PLAIN);
		if (!i)
			gb_grid_set_count(&grid, 4, 40, GB_PLAIN);
	}
	gb_grid_print_csv(file, &grid, true);
	gb_grid_print_csv(file, &grid, false);
	(void)fclose(file);
	cr_expect(!strncmp(text, wanted, strlen(wanted)), "%s", text);
	cr_expect_str_eq(text + strlen(wanted), strchr(wanted, '\n') + 1);
	free(text);
	gb_grid_release(&grid);
	cr_expect(grid.rows == 0 && !grid.cell);
}

/* Rows are kept while the grid grows; a grid without rows prints nothing. */
Test(grid, rows)
{
	static const struct gb_column column = { .title = "n", .name = "n" };
	char *text = NULL, *at, *end;
	struct gb_grid grid;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	gb_grid_init(&grid, 1, &column);
	cr_expect(gb_grid_print(file, &grid, GB_FORMAT_TABLE, false));
	cr_expect_eq(ftell(file), 0);
	for (size_t i = 0; i < 200; i++) {
		gb_grid_row(&grid, i == 100);
		gb_grid_set_count(&grid, 0, i, GB_PLAIN);
	}
	cr_expect(gb_grid_print(file, &grid, GB_FORMAT_TABLE, false));
	(void)fclose(file);
	at = strchr(text, '\n');
	for (unsigned long i = 0; i < 200; i++, at = end)
		cr_assert_eq(strtoul(at, &end, 10), i);
	cr_expect_str_eq(end, "\n");
	at = strstr(text, "\n\n");
	cr_expect(at && strtoul(at, NULL, 10) == 100 && !strstr(at + 1, "\n\n"));
	free(text);
	gb_grid_release(&grid);
}
