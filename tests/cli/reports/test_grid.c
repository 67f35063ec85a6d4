/* test_grid.c -- grids in each format: titles, widths, numbers, tints, and pages of LaTeX. */
#include "cli/reports/grid/grid.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

enum { COLUMNS = 24 };

#define T10       "aaaaaaaaaa"
#define T20       T10 T10
#define T30       T10 T10 T10
#define T100      T30 T30 T30 T10
#define T120      T100 T20
#define ACCENTS   "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
#define ACCENTS50 ACCENTS ACCENTS ACCENTS ACCENTS ACCENTS
#define PM        "\u00b1"
#define LATEX(tables)                                                                \
	"\\begingroup\\footnotesize\\setlength{\\tabcolsep}{3pt}\\noindent\n" tables \
	"\\par\\smallskip\\endgroup\n"
#define TABULAR(formats, rows) \
	"\\begin{tabular}{" formats "}\n\\toprule\n" rows "\\bottomrule\n\\end{tabular}\n"
#define END   " \\\\\n"
#define NEXT  "\n\\medskip\\noindent\n"
#define LINES ">{\\raggedright\\arraybackslash}"

/* Titles and cells are separated by ';'.  A title after '<' is left-aligned, a row after '^' has a
 * gap before it, and a cell after a sign of signs[] has a tint. */
static char *printed(const char *titles, const char *const *row, enum gb_format format, size_t keys)
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
	grid.keys = keys;
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

/* A page is 178 mm wide, a character 1.52 mm, a gap 2.2 mm. */
static const struct {
	enum gb_format format;
	size_t keys;
	const char *titles, *row[10], *wanted;
} grids[] = {
	{ GB_FORMAT_TABLE,
	  0,
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
	{ GB_FORMAT_TABLE, 0, "n;<" PM "2", { "1;\033[1m", "2;b" }, "n  " PM "2\n1  ?[1m\n2  b\n" },
	{ GB_FORMAT_MARKDOWN,
	  0,
	  "<name;empty;n",
	  { "a|b;;?1", "^`*_<[#\\;;!22", ";;*3" },
	  "| name | n |\n| :--- | ---: |\n| a\\|b | 1 |\n| \\`\\*\\_\\<\\[\\#\\\\ | **22** |\n"
	  "|  | **3** |\n" },
	{ GB_FORMAT_HTML,
	  0,
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
	/* numbers, units, tints, gaps */
	{ GB_FORMAT_LATEX,
	  0,
	  "<name;time;n;share;power;m;o;p",
	  { "a;8.52 ms;10.25;1 %;1e3;1;!1.5;+1", "^b_1;4.12 " PM "1.2 %;-2.5;2;1e+30;22;2;?2",
	    ";;;;;;*x y;" },
	  LATEX(TABULAR("lrS[table-format=-2.2]rrS[table-format=2.0]rS[table-format=1.0]",
			"name & time & {n} & share & power & {m} & o & {p}" END "\\midrule\n"
			"a & \\SI{8.52}{\\milli\\second} & 10.25 & \\SI{1}{\\percent} & \\num{1e3}"
			" & 1 & \\textbf{\\num{1.5}} & 1" END "\\midrule\n"
			"b\\_1 & \\num{4.12} $\\pm$\\SI{1.2}{\\percent} & -2.5 & \\num{2} & "
			"\\num{1e+30} & 22 & \\num{2} & 2" END
			" &  &  &  &  &  & \\textbf{x y} & " END)) },
	{ GB_FORMAT_LATEX,
	  0,
	  "t",
	  { "1.", "1e", "1e+-3", "-", PM, PM "3", ".5 7", "7 MiB x", "-1e-5 s" },
	  LATEX(TABULAR("r", "t" END "\\midrule\n1." END "1e" END "1e+-3" END "-" END "$\\pm$" END
			     "$\\pm$\\num{3}" END ".5 \\num{7}" END "\\SI{7}{MiB} x" END
			     "\\SI{-1e-5}{\\second}" END)) },
	{ GB_FORMAT_LATEX,
	  0,
	  "t",
	  { "1 % 2 ns 3 us 4 ms 5 s 6 k 7 M 8 G 9 T 1 KiB 2 MiB 3 GiB 4 mm 5 m" },
	  LATEX(TABULAR("r", "t" END "\\midrule\n\\SI{1}{\\percent} \\SI{2}{\\nano\\second} "
			     "\\SI{3}{\\micro\\second} \\SI{4}{\\milli\\second} \\SI{5}{\\second} "
			     "\\SI{6}{k} \\SI{7}{M} \\SI{8}{G} \\SI{9}{T} \\SI{1}{KiB} "
			     "\\SI{2}{MiB} \\SI{3}{GiB} \\num{4} mm \\num{5} m" END)) },
	{ GB_FORMAT_LATEX,
	  0,
	  "<t",
	  { "&%$#_{}~^\\<>|[\"" PM "\u041a\u041c\u0410" },
	  LATEX(TABULAR("l", "t" END "\\midrule\n\\&\\%\\$\\#\\_\\{\\}\\textasciitilde{}"
			     "\\textasciicircum{}\\textbackslash{}\\textless{}\\textgreater{}"
			     "\\textbar{}{[}\\textquotedbl{}$\\pm$KM\u0410" END)) },
	/* titles in lines */
	{ GB_FORMAT_LATEX,
	  0,
	  "time per key;<a b cd;four;<a b cd e;" PM PM " x",
	  { "12;abc;5;abcd;" PM PM "6" },
	  LATEX(TABULAR("S[table-format=2.0]lS[table-format=1.0]lr",
			"{\\shortstack[r]{time\\\\per\\\\key}} & {\\shortstack[l]{a b\\\\cd}} & "
			"{four} & {\\shortstack[l]{a b\\\\cd e}} & "
			"{\\shortstack[r]{$\\pm$$\\pm$\\\\x}}" END "\\midrule\n"
			"12 & abc & 5 & abcd & $\\pm$$\\pm$6" END)) },
	/* pages: a column with a title that occurs twice follows the one before it */
	{ GB_FORMAT_LATEX,
	  0,
	  "<k;a;b;c;empty;c;d",
	  { T20 ";" T30 ";" T30 ";" T30 ";;" T30 ";" T30 },
	  LATEX(TABULAR("lr", "k & a" END "\\midrule\n" T20 " & " T30 END) NEXT TABULAR(
		  "lrrr", "k & b & c & c" END "\\midrule\n" T20 " & " T30 " & " T30 " & " T30 END)
			NEXT TABULAR("lr", "k & d" END "\\midrule\n" T20 " & " T30 END)) },
	{ GB_FORMAT_LATEX,
	  0,
	  "<k;a;b;<c;d",
	  { "k1;" T30 ";" T120 ";" T10 ";" T30 },
	  LATEX(TABULAR("lr", "k & a" END "\\midrule\nk1 & " T30 END)
			NEXT TABULAR("lr", "k & b" END "\\midrule\nk1 & " T120 END) NEXT TABULAR(
				"llr", "k & c & d" END "\\midrule\nk1 & " T10 " & " T30 END)) },
	{ GB_FORMAT_LATEX,
	  2,
	  "k;<l;a;b",
	  { "k1;l1;" T100 ";" T30 },
	  LATEX(TABULAR("rlr", "k & l & a" END "\\midrule\nk1 & l1 & " T100 END)
			NEXT TABULAR("rlr", "k & l & b" END "\\midrule\nk1 & l1 & " T30 END)) },
	{ GB_FORMAT_LATEX,
	  0,
	  "a;<b;c",
	  { T100 ";b1;" T30 },
	  LATEX(TABULAR("rl", "a & b" END "\\midrule\n" T100 " & b1" END)
			NEXT TABULAR("rr", "a & c" END "\\midrule\n" T100 " & " T30 END)) },
	/* text in lines, if not all fits a page */
	{ GB_FORMAT_LATEX,
	  0,
	  "<k;a",
	  { T100 "/1=2, 3;aa" },
	  LATEX(TABULAR("lr", "k & a" END "\\midrule\n" T100 "/1=2, 3 & aa" END)) },
	{ GB_FORMAT_LATEX,
	  0,
	  "<k;<l",
	  { T100 ";" T30 "/b=c_d-e.f:g, h,i." },
	  LATEX(TABULAR(LINES "p{50mm}" LINES "p{50mm}",
			"k & l" END "\\midrule\n" T100 " & " T30
			"/\\allowbreak{}b=\\allowbreak{}c\\_\\allowbreak{}d-\\allowbreak{}e."
			"\\allowbreak{}f:\\allowbreak{}g, h,\\allowbreak{}i." END)) },
	{ GB_FORMAT_LATEX,
	  0,
	  "<k;a;<l",
	  { "k1;" T30 ";" T120 },
	  LATEX(TABULAR("lr" LINES "p{50mm}",
			"k & a & l" END "\\midrule\nk1 & " T30 " & " T120 END)) },
	{ GB_FORMAT_LATEX,
	  0,
	  "<k;<l;a;b",
	  { T100 ";" T100 ";" T30 ";" T30 },
	  LATEX(TABULAR(LINES "p{28mm}" LINES "p{28mm}rr", "k & l & a & b" END "\\midrule\n" T100
							   " & " T100 " & " T30 " & " T30 END)) },
	{ GB_FORMAT_LATEX,
	  0,
	  "<a;<b;<c;<d;<e",
	  { T100 ";" T100 ";" T100 ";" T100 ";" T100 },
	  LATEX(TABULAR(LINES "p{50mm}" LINES "p{50mm}" LINES "p{50mm}",
			"a & b & c" END "\\midrule\n" T100 " & " T100 " & " T100 END)
			NEXT TABULAR(LINES "p{50mm}" LINES "p{50mm}" LINES "p{50mm}",
				     "a & d & e" END "\\midrule\n" T100 " & " T100
				     " & " T100 END)) },
	{ GB_FORMAT_LATEX,
	  0,
	  "n",
	  { ACCENTS50 ACCENTS50 ACCENTS50 "aaa " ACCENTS50 ACCENTS50 },
	  LATEX(TABULAR("r", "n" END "\\midrule\n" ACCENTS50 ACCENTS50 ACCENTS50
			     "aaa " ACCENTS50 ACCENTS50 END)) },
};

Test(grid, formats)
{
	for (size_t i = 0; i < GB_COUNT(grids); i++) {
		char *text = printed(grids[i].titles, grids[i].row, grids[i].format, grids[i].keys);

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
