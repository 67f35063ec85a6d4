/* test_chart.c -- charts of a paper's table: which columns, the axes, lines, marks and legend. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/repro/repro.h"
#include "common/text.h"
#include "tests/line_of.h"
#include "tests/paper_of.h"

/* The chart of the document's only table; `here` are the values of its cells, with an interval of a
 * tenth to each side unless a value is negative. */
static char *drawn(const char *document, const double *here, enum gb_format format)
{
	cJSON *paper = parse(document);
	struct gb_repro t;
	struct gb_sheet sheet;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	init(&t, paper);
	for (size_t i = 0; i < t.rows * t.columns; i++) {
		t.cell[i].here = here[i] != 0 ? fabs(here[i]) : (double)NAN;
		t.cell[i].low = here[i] > 0 ? 0.9 * here[i] : (double)NAN;
		t.cell[i].high = here[i] > 0 ? 1.1 * here[i] : (double)NAN;
	}
	sheet = (struct gb_sheet){ .file = file, .format = format };
	gb_repro_chart(&sheet, &t);
	(void)fclose(file);
	gb_repro_release(&t);
	cJSON_Delete(paper);
	return text;
}

/* The parts of a chart.  The plot is 60 .. 348 wide and 10 .. 216 high. */
#define FIRST  "#0072b2"
#define SECOND "#d55e00"
#define DOT    "a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"
#define SQUARE "m.3-2.7h5.4v5.4h-5.4z"
#define DASHED " stroke-dasharray=\"2 3\""
#define OPEN(title)                                                                       \
	"<figure><svg viewBox=\"0 0 356 260\" width=\"356\" height=\"260\" role=\"img\" " \
	"aria-label=\"" title "\">\n"
#define Y_TICK(y, below, text)                                                            \
	"<line class=\"rule\" x1=\"60.0\" x2=\"348.0\" y1=\"" y "\" y2=\"" y "\"/><text " \
	"class=\"soft\" x=\"54.0\" y=\"" below "\" text-anchor=\"end\">" text "</text>\n"
#define X_TICK(x, text)                                                                   \
	"<line class=\"rule\" x1=\"" x "\" x2=\"" x "\" y1=\"10.0\" y2=\"216.0\"/><text " \
	"class=\"soft\" x=\"" x "\" y=\"232.0\" text-anchor=\"middle\">" text "</text>\n"
#define ROW(x, text) \
	"<text class=\"soft\" x=\"" x "\" y=\"232\" text-anchor=\"middle\">" text "</text>\n"
#define X_NAME(text) "<text x=\"204\" y=\"252\" text-anchor=\"middle\">" text "</text>\n"
#define LINE(color, dashes, points) \
	"<polyline fill=\"none\" stroke=\"" color "\"" dashes " points=\"" points "\"/>\n"
#define INTERVAL(color, from, to) "<path stroke=\"" color "\" d=\"M" from "V" to "\"/>"
#define MARK(color, at, shape, title) \
	"<path fill=\"" color "\" d=\"M" at shape "\"><title>" title "</title></path>"
#define HOLLOW(color, x, y, title)                                                        \
	"<circle fill=\"none\" stroke=\"" color "\" cx=\"" x "\" cy=\"" y "\" r=\"4.5\">" \
	"<title>" title "</title></circle>\n"
#define CAPTION(unit)                                                                          \
	"</svg><figcaption>" unit "; hollow: published, filled: here with the 95 % interval\n" \
	"<ul class=\"legend\">\n"
#define LEGEND(color, shape, name)                                                           \
	"<li><svg width=\"24\" height=\"10\" aria-hidden=\"true\"><line x1=\"0\" x2=\"24\" " \
	"y1=\"5\" y2=\"5\" stroke=\"" color "\" stroke-width=\"1.6\" "                       \
	"stroke-dasharray=\"none\"/><path fill=\"" color "\" d=\"M9.0 5.0" shape             \
	"\"/></svg> " name "</li>\n"
#define CLOSE "</ul></figcaption></figure>\n"

static const struct {
	const char *document;
	double here[12]; /* a negative value has no interval */
	const char *wanted;
} charts[] = {
	/* clang-format off */
	/* a number as the key: lines, below 1 too; a column of another unit is not drawn */
	{ "{'tables':[{'title':'T <1>','columns':[{'name':'n','role':'key'},"
	  "{'name\':'a_ms','role':'time','unit':'ms'},"
	  "{'name\':'c_s','role':'time','unit':'s'},"
	  "{'name\':'b_ms','role':'time','unit':'ms'}],"
	  "'rows':[[0.1,0.1,2,0],[1,0.2,2,0.4],[10,null,2,0.8]]}]}",
	  { 0, 0.12, 0, 0, 0, -0.21, 0, 0.44, 0, 0.3, 5, 0.9 },
	  OPEN("T &lt;1&gt;")
	  Y_TICK("208.4", "212.4", "0.1")
	  Y_TICK("150.7", "154.7", "0.2")
	  Y_TICK("74.5", "78.5", "0.5")
	  Y_TICK("16.8", "20.8", "1")
	  X_TICK("70.7", "0.1")
	  X_TICK("204.0", "1")
	  X_TICK("337.3", "10")
	  X_NAME("n")
	  LINE(FIRST, "", "70.7,193.2 204.0,146.6 337.3,117.0 ")
	  INTERVAL(FIRST, "70.7 202.0", "185.3")
	  MARK(FIRST, "67.7 193.2", DOT, "a_ms, 0.1: here 0.12 ms")
	  MARK(FIRST, "201.0 146.6", DOT, "a_ms, 1: here 0.21 ms")
	  INTERVAL(FIRST, "337.3 125.7", "109.0")
	  MARK(FIRST, "334.3 117.0", DOT, "a_ms, 10: here 0.3 ms")
	  LINE(FIRST, DASHED, "70.7,208.4 204.0,150.7 ")
	  HOLLOW(FIRST, "70.7", "208.4", "a_ms, 0.1: published 0.1 ms")
	  HOLLOW(FIRST, "204.0", "150.7", "a_ms, 1: published 0.2 ms")
	  LINE(SECOND, "", "204.0,85.1 337.3,25.6 ")
	  INTERVAL(SECOND, "204.0 93.9", "77.2")
	  MARK(SECOND, "201.0 85.1", SQUARE, "b_ms, 1: here 0.44 ms")
	  INTERVAL(SECOND, "337.3 34.3", "17.6")
	  MARK(SECOND, "334.3 25.6", SQUARE, "b_ms, 10: here 0.9 ms")
	  LINE(SECOND, DASHED, "204.0,93.0 337.3,35.4 ")
	  HOLLOW(SECOND, "204.0", "93.0", "b_ms, 1: published 0.4 ms")
	  HOLLOW(SECOND, "337.3", "35.4", "b_ms, 10: published 0.8 ms")
	  CAPTION("ms")
	  LEGEND(FIRST, DOT, "a_ms")
	  LEGEND(SECOND, SQUARE, "b_ms")
	  CLOSE },
	/* words as keys: a place for each row, and no lines */
	{ "{'tables':[{'title':'T2','columns':[{'name':'s','role':'key','type':'text'},"
	  "{'name\':'empty','role':'time','unit':'s'},"
	  "{'name\':'x','role':'ratio'}],"
	  "'rows':[['a',null,1.5],['b',null,3]]}]}",
	  { 0, 0, 2, 0, 0, -3 },
	  OPEN("T2")
	  Y_TICK("129.2", "133.2", "2")
	  ROW("132.0", "1")
	  ROW("276.0", "2")
	  X_NAME("row of the table")
	  INTERVAL(FIRST, "132.0 158.2", "103.0")
	  MARK(FIRST, "129.0 129.2", DOT, "x, a: here 2 ")
	  MARK(FIRST, "273.0 17.6", DOT, "x, b: here 3 ")
	  HOLLOW(FIRST, "132.0", "208.4", "x, a: published 1.5 ")
	  HOLLOW(FIRST, "276.0", "17.6", "x, b: published 3 ")
	  CAPTION("value")
	  LEGEND(FIRST, DOT, "x")
	  CLOSE },
	/* a number and a word that differs: the number is the axis, and there are no lines */
	{ "{'tables':[{'title':'T3','columns':[{'name':'s','role':'key','type':'text'},"
	  "{'name\':'n','role':'key'},"
	  "{'name\':'x','role':'time','unit':'us'}],"
	  "'rows':[['a',2,1],['b',4,100]]}]}",
	  { 0 },
	  OPEN("T3")
	  Y_TICK("208.4", "212.4", "1")
	  Y_TICK("179.7", "183.7", "2")
	  Y_TICK("141.7", "145.7", "5")
	  Y_TICK("113.0", "117.0", "10")
	  Y_TICK("84.3", "88.3", "20")
	  Y_TICK("46.3", "50.3", "50")
	  Y_TICK("17.6", "21.6", "100")
	  X_TICK("70.7", "2")
	  X_NAME("n")
	  HOLLOW(FIRST, "70.7", "208.4", "x, a: published 1 us")
	  HOLLOW(FIRST, "337.3", "17.6", "x, b: published 100 us")
	  CAPTION("us")
	  LEGEND(FIRST, DOT, "x")
	  CLOSE },
	/* a number that two rows share is no axis */
	{ "{'tables':[{'title':'T6','columns':["
	  "{'name':'n','role':'key'},"
	  "{'name':'x','role':'time','unit':'us'}],"
	  "'rows':[[5,0.15],[5,0.3]]}]}",
	  { 0 },
	  OPEN("T6")
	  Y_TICK("129.2", "133.2", "0.2")
	  ROW("132.0", "1")
	  ROW("276.0", "2")
	  X_NAME("row of the table")
	  HOLLOW(FIRST, "132.0", "208.4", "x, 5: published 0.15 us")
	  HOLLOW(FIRST, "276.0", "17.6", "x, 5: published 0.3 us")
	  CAPTION("us")
	  LEGEND(FIRST, DOT, "x")
	  CLOSE },
	/* nor is one that is not positive; a column may have one value */
	{ "{'tables':[{'title':'T8','columns':["
	  "{'name':'n','role':'key'},"
	  "{'name':'x','role':'time','unit':'us'},"
	  "{'name':'y','role':'time','unit':'us'}],"
	  "'rows':[[0,0.15,0.2],[1,0.3,null]]}]}",
	  { 0 },
	  OPEN("T8")
	  Y_TICK("129.2", "133.2", "0.2")
	  ROW("132.0", "1")
	  ROW("276.0", "2")
	  X_NAME("row of the table")
	  HOLLOW(FIRST, "132.0", "208.4", "x, 0: published 0.15 us")
	  HOLLOW(FIRST, "276.0", "17.6", "x, 1: published 0.3 us")
	  HOLLOW(SECOND, "132.0", "129.2", "y, 0: published 0.2 us")
	  CAPTION("us")
	  LEGEND(FIRST, DOT, "x")
	  LEGEND(SECOND, SQUARE, "y")
	  CLOSE },
	/* the ends of the intervals are within the axes */
	{ "{'tables':[{'title':'T7','columns':["
	  "{'name':'n','role':'key'},"
	  "{'name':'x','role':'time','unit':'us'}],"
	  "'rows':[[5,null],[5,null]]}]}",
	  { 0, 0.1, 0, 1 },
	  OPEN("T7")
	  Y_TICK("200.3", "204.3", "0.1")
	  Y_TICK("147.5", "151.5", "0.2")
	  Y_TICK("77.7", "81.7", "0.5")
	  Y_TICK("24.9", "28.9", "1")
	  ROW("132.0", "1")
	  ROW("276.0", "2")
	  X_NAME("row of the table")
	  INTERVAL(FIRST, "132.0 208.4", "193.1")
	  MARK(FIRST, "129.0 200.3", DOT, "x, 5: here 0.1 us")
	  INTERVAL(FIRST, "276.0 32.9", "17.6")
	  MARK(FIRST, "273.0 24.9", DOT, "x, 5: here 1 us")
	  CAPTION("us")
	  LEGEND(FIRST, DOT, "x")
	  CLOSE },
	/* one row, or no value: no chart */
	{ "{'tables':[{'title':'T4','columns':[{'name':'n','role':'key'},"
	  "{'name\':'x','role':'time','unit':'us'}],"
	  "'rows':[[1,2]]}]}",
	  { 0, 3 }, "" },
	{ "{'tables':[{'title':'T5','columns':[{'name':'n','role':'key'},"
	  "{'name\':'x','role':'time','unit':'us'}],"
	  "'rows':[[1,null],[2,null]]}]}",
	  { 0 }, "" },
	/* clang-format on */
};

Test(chart, of_a_table)
{
	char *text;

	for (size_t i = 0; i < GB_COUNT(charts); i++) {
		text = drawn(charts[i].document, charts[i].here, GB_FORMAT_HTML);
		cr_expect_str_eq(text, charts[i].wanted, "chart %zu:\n%s", i, text);
		free(text);
	}
	text = drawn(charts[0].document, charts[0].here, GB_FORMAT_MARKDOWN);
	cr_expect_str_eq(text, "");
	free(text);
}
