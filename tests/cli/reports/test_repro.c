/* test_repro.c -- a paper's table: the content of its cells, the rows that a preset takes, and the
 * verdict on each kind of claim.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/options.h"
#include "cli/reports/repro/repro.h"
#include "tests/line_of.h"

/* Three rows; column x is measured, y is twice as large. */
#define COLUMNS                                                          \
	"'columns':[{'name':'scene','role':'key','type':'text'},"        \
	"{'name':'count','role':'key','param':'count'},"                 \
	"{'name':'x','role':'time','unit':'ms','variant':'cpu/best'},"   \
	"{'name':'y','role':'time','unit':'ms','variant':'cpu/split'}]," \
	"'rows':[['a',10,1.5,null],['b',20,null,null],['c',30,null,null]]"

/* Parse JSON with ' in place of ". */
static cJSON *parse(const char *text)
{
	char *copy = strdup(text);
	cJSON *json;

	for (char *c = copy; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	json = cJSON_Parse(copy);
	cr_assert(json != NULL, "%s", copy);
	free(copy);
	return json;
}

/* Set up the first table of a paper.  A session or the test fills it with records. */
static void init(struct gb_repro *t, const cJSON *paper)
{
	struct gb_error err = { 0 };

	cr_assert_not(
		gb_repro_init(t, paper, cJSON_GetArrayItem(gb_json_at(paper, "tables"), 0), &err));
}

/* The text about one claim on x = 1, 2, 3 and y = 2, 4, 6.  Unless complete, the last x is not
 * measured. */
static char *verdict_on(const char *test, bool complete)
{
	char document[2048];
	struct gb_repro t;
	cJSON *paper;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct gb_sheet sheet;
	struct gb_error err = { 0 };

	snprintf(document, sizeof document,
		 "{'tables':[{'id':'t'," COLUMNS "}],'claims':[{'id':'it','table':'t',"
		 "'text':'that','reason':'because','test':%s}]}",
		 test);
	paper = parse(document);
	init(&t, paper);
	for (size_t r = 0; r < t.rows; r++) {
		t.cell[r * t.columns + 2].here = complete || r < 2 ? (double)r + 1 : NAN;
		t.cell[r * t.columns + 3].here = 2 * ((double)r + 1);
	}
	gb_sheet_open(&sheet, file, GB_FORMAT_TABLE, (struct gb_sheet_kind){ 0 });
	gb_repro_claims(&sheet, &t);
	cr_assert_not(gb_sheet_close(&sheet, &err));
	fclose(file);
	gb_repro_release(&t);
	cJSON_Delete(paper);
	return text;
}

enum { ALL, TWO };

static const struct {
	int rows; /* measured rows */
	const char *test, *verdict;
} verdicts[] = {
	{ ALL, "'kind':'ratio-below','column':'x','value':3.5", "it: held" },
	{ ALL, "'kind':'ratio-below','column':'x','value':3", "it: not held" },
	{ ALL, "'kind':'ratio-above','column':'x','value':1,'where':{'count':[20,30]}",
	  "it: held" },
	{ ALL, "'kind':'ratio-above','column':'x','value':1,'where':{'scene':['a']}",
	  "it: not held" },
	{ ALL, "'kind':'increasing','column':'x','tolerance':0", "it: held" },
	{ ALL, "'kind':'decreasing','column':'x','tolerance':0", "it: not held" },
	{ ALL, "'kind':'decreasing','column':'x','tolerance':1", "it: held" },
	{ ALL, "'kind':'column-below','column':'x','than':'y'", "it: held" },
	{ ALL, "'kind':'column-below','column':'x','than':'y','factor':0.5", "it: not held" },
	{ ALL, "'kind':'column-above','column':'y','than':'x','factor':1.9", "it: held" },
	{ ALL, "'kind':'column-above','column':'x','than':'y'", "it: not held" },
	{ ALL, "'kind':'flat','column':'x','tolerance':1", "it: held" },
	{ ALL, "'kind':'flat','column':'x','tolerance':0.9", "it: not held" },
	{ ALL, "'kind':'flat','column':'x','tolerance':0.1,'where':{'scene':['b']}", "it: held" },
	{ ALL, "'kind':'maximum-at','column':'x','where':{'scene':['c']}", "it: held" },
	{ ALL, "'kind':'maximum-at','column':'x','where':{'scene':['a']}", "it: not held" },
	{ ALL, "'kind':'linear','column':'x','against':'count','tolerance':0.01", "it: held" },
	{ ALL, "", "cannot be tested here (because)" },
	{ ALL, "'kind':'flat','column':'z','tolerance':1", "cannot be tested here" },
	{ ALL, "'kind':'column-above','column':'x','than':'z'", "cannot be tested here" },
	{ ALL, "'kind':'bits','bits':32,'of_bits':1,'value':32", "it: held (by accounting" },
	{ ALL, "'kind':'bits','bits':32,'of_bits':2,'value':32", "it: not held" },
	{ TWO, "'kind':'ratio-below','column':'x','value':9",
	  "it: held (in 2 of 2; 1 not measured)" },
	{ TWO, "'kind':'ratio-below','column':'x','value':2",
	  "it: not held (tested in 2 of 3; 1 not measured; row 2" },
	{ TWO, "'kind':'column-below','column':'x','than':'y'",
	  "it: held (in 2 of 2; 1 not measured)" },
	{ TWO, "'kind':'increasing','column':'x','tolerance':0",
	  "it: held (in 2 of 2; 1 not measured)" },
	{ TWO, "'kind':'ratio-below','column':'x','value':9,'where':{'scene':['c']}",
	  "cannot be tested here (row 3 was not measured" },
	{ TWO,
	  "'kind':'linear','column':'x','against':'count','tolerance':1,"
	  "'where':{'scene':['b','c']}",
	  "cannot be tested here (row 3 was not measured" },
	/* The mean is that of the rows that were measured, 1.5. */
	{ TWO, "'kind':'flat','column':'x','tolerance':0.7",
	  "it: held (in 2 of 2; 1 not measured" },
	{ TWO, "'kind':'flat','column':'x','tolerance':0.6",
	  "it: not held (tested in 2 of 3; 1 not measured" },
	/* The peak's row was not measured.  The largest value is in the row next to it, or it is
	 * not. */
	{ TWO, "'kind':'maximum-at','column':'x','where':{'scene':['c']}",
	  "it: held (in 2 of 2; 1 not measured; the largest is the one measured next to the peak" },
	{ TWO, "'kind':'maximum-at','column':'x','where':{'scene':['a']}", "it: not held" },
};

Test(repro, claims_are_tested_on_the_measured_rows)
{
	for (size_t i = 0; i < GB_COUNT(verdicts); i++) {
		char test[200], *text;

		/* A paper has null for a claim without a test. */
		snprintf(test, sizeof test, verdicts[i].test[0] ? "{%s}" : "null%s",
			 verdicts[i].test);
		text = verdict_on(test, verdicts[i].rows == ALL);
		cr_expect(strstr(text, verdicts[i].verdict) != NULL, "%s: wanted '%s', got\n%s",
			  test, verdicts[i].verdict, text);
		free(text);
	}
}

extern const char gb_papers[];

/* True if the row matches the test's `where`. */
static bool is_of_claim(const struct gb_repro *t, size_t row, const cJSON *test)
{
	const cJSON *key;

	cJSON_ArrayForEach(key, gb_json_at(test, "where"))
	{
		const size_t column = gb_repro_column(t, key->string);

		if (!gb_repro_lists(key, &t->cell[row * t->columns + column]))
			return false;
	}
	return true;
}

/* A test that compares rows needs two, any other one. */
static void check_claim(const struct gb_repro *t, const cJSON *claim)
{
	static const char *const comparing[] = { "flat", "increasing", "decreasing", "linear" };
	const cJSON *test = gb_json_at(claim, "test");
	const char *kind = gb_json_text(test, "kind");
	size_t taken = 0, meant = 0, needed = 1;

	if (!kind || !strcmp(kind, "memory-exceeds") || !strcmp(kind, "bits"))
		return;
	for (size_t r = 0; r < t->rows; r++) {
		const bool of_claim = !strcmp(kind, "maximum-at") || is_of_claim(t, r, test);

		meant += of_claim;
		taken += of_claim && gb_repro_takes(t, r, GB_QUICK);
	}
	for (size_t i = 0; i < sizeof comparing / sizeof *comparing; i++)
		needed = !strcmp(kind, comparing[i]) ? 2 : needed;
	needed = !strcmp(kind, "maximum-at") ? 2 : needed;
	cr_expect(taken >= (needed < meant ? needed : meant), "%s: %zu rows at preset quick",
		  gb_json_text(claim, "id"), taken);
}

Test(repro, no_claim_lacks_a_row_at_preset_quick)
{
	for (const char *text = gb_papers; *text; text += strlen(text) + 1) {
		cJSON *paper = cJSON_Parse(text);
		const cJSON *table, *claim;

		cJSON_ArrayForEach(table, gb_json_at(paper, "tables"))
		{
			struct gb_error err = { 0 };
			struct gb_repro t;

			gb_repro_init(&t, paper, table, &err);
			cJSON_ArrayForEach(claim, gb_json_at(paper, "claims"))
			{
				if (!strcmp(gb_json_text(claim, "table"),
					    gb_json_text(table, "id")))
					check_claim(&t, claim);
			}
			gb_repro_release(&t);
		}
		cJSON_Delete(paper);
	}
}

/* Run a session of the radix benchmark without output files. */
static void measure(const char *table_text, enum gb_preset preset, struct gb_repro *repro,
		    cJSON **paper)
{
	static char *argv[] = { "repro", "-q", "--samples=3", "--hot", "--max-time=0", NULL };
	static struct gb_request request;
	static const struct gb_rows *const shared[] = { &gb_rows_how, &gb_rows_progress, NULL };
	struct gb_arguments arguments = { .shared = shared,
					  .target = &request,
					  .target_size = sizeof request };
	static struct gb_repro_source source;
	static struct gb_session session; /* keeps the records to which the cells point */
	struct gb_error err = { 0 };
	char document[2048];

	snprintf(document, sizeof document, "{'workload':'radix','tables':[%s]}", table_text);
	*paper = parse(document);
	gb_options_parse(&arguments, 5, argv, &err);
	gb_arguments_release(&arguments);
	cr_assert(eq(int, (int)err.code, GB_OK), "%s", err.message);
	gb_session_open(&session, &request, 5, argv, &err);
	init(repro, *paper);
	source = (struct gb_repro_source){ .session = &session, .preset = preset };
	gb_repro_measure(repro, &source, &err);
	cr_assert(eq(int, (int)err.code, GB_OK), "%s", err.message);
}

Test(repro, cells_have_their_parameters_and_units)
{
	const struct gb_repro_cell *cell;
	struct gb_repro t;
	cJSON *paper;
	double ms;

	measure("{'set':{'distribution':'few'},'preset':{'quick':{'count':2000}},"
		"'columns':[{'name':'count','role':'key','param':'count'},"
		"{'name':'ms','role':'time','unit':'ms','variant':'cpu/best'},"
		"{'name':'us','role':'time','unit':'us','variant':'cpu/best'},"
		"{'name':'wide','role':'size','variant':'cpu/best','set':{'type':'u64'},"
		"'value':'work.items','scale':10},"
		"{'name':'again','role':'ratio','of':['us','ms']},"
		"{'name':'lost','role':'time','reason':'sold out'},"
		"{'name':'none','role':'size','variant':'cpu/best','value':'metrics.none'},"
		"{'name':'rate','role':'rate','variant':'cpu/best','value':'time.median',"
		"'scale':1e-6}],"
		"'beside':['cpu/lsd8'],"
		"'rows':[[1000,null,null,null,null,7,null,null],"
		"[3000,null,null,null,null,8,null,null]]}",
		GB_QUICK, &t, &paper);
	cr_assert(all(eq(sz, t.rows, 2), eq(sz, t.paper_columns, 8), eq(sz, t.columns, 9)));
	cell = t.cell;
	ms = cell[1].here;
	cr_assert(ms > 0 && cell[8].here > 0);
	cr_assert(ieee_ulp_eq(dbl, cell[2].here, 1e3 * ms, 4));
	cr_assert(ieee_ulp_eq(dbl, cell[3].here, 10000, 4));
	cr_assert(ieee_ulp_eq(dbl, cell[4].here, 1e3, 8));
	cr_assert(ieee_ulp_eq(dbl, cell[7].here, 1 / ms, 8)); /* 1000 keys in this many ms */
	cr_assert(cell[1].record != NULL && cell[3].record != NULL);
	cr_assert(eq(str, (char *)gb_member_text(&cell[1].record->params, "distribution"), "few"));
	cr_assert(eq(str, (char *)gb_member_text(&cell[1].record->params, "type"), "u32"));
	cr_assert(eq(str, (char *)gb_member_text(&cell[3].record->params, "type"), "u64"));
	cr_assert(eq(str, (char *)cell[5].reason, "sold out"));
	cr_assert(eq(str, (char *)cell[6].reason, "not reported by this variant"));
	cr_assert(isnan(cell[9 + 1].here));
	cr_assert(eq(str, (char *)cell[9 + 1].reason, "left out by --preset"));
	gb_repro_release(&t);
	cJSON_Delete(paper);
}

Test(repro, emulated_times_are_left_out)
{
	struct gb_repro t;
	cJSON *paper = parse("{'tables':[{'columns':[{'name':'x','role':'time','unit':'ms',"
			     "'variant':'cuda/best'}],'rows':[[null]]}]}");
	struct gb_record *record =
		parsed_record("{\"type\":\"record\",\"backend\":\"cuda\",\"emulated\":true,"
			      "\"time\":{\"median\":5,\"samples\":[5]}}");

	init(&t, paper);
	t.cell[0].record = record;
	gb_repro_fill(&t);
	cr_assert(isnan(t.cell[0].here));
	cr_assert(eq(str, (char *)t.cell[0].reason, "emulated: no time of a GPU"));
	gb_repro_release(&t);
	gb_record_free(record);
	cJSON_Delete(paper);
}

Test(repro, intervals_have_the_unit_of_the_column)
{
	struct gb_repro t;
	cJSON *paper = parse("{'tables':[{'columns':["
			     "{'name':'x','role':'time','unit':'ms','variant':'cpu/best'},"
			     "{'name':'y','role':'rate','unit':'k/s','variant':'cpu/best','value':"
			     "'time.median','scale':0.001},"
			     "{'name':'z','role':'ratio','of':['x','x']},"
			     "{'name':'edges','role':'time','variant':'cpu/best','value':"
			     "'metrics.edges'}],'rows':[[null,null,null,null]]}]}");
	struct gb_record *record = parsed_record(
		"{\"type\":\"record\",\"work\":{\"items\":1000},\"metrics\":{\"edges\":7},"
		"\"time\":{\"median\":4e6,\"ci95\":[3e6,5e6],\"samples\":[4e6]}}");

	init(&t, paper);
	t.cell[0].record = t.cell[1].record = t.cell[3].record = record;
	gb_repro_fill(&t);
	cr_assert(all(ieee_ulp_eq(dbl, t.cell[3].here, 7, 4), isnan(t.cell[3].low)));
	cr_assert(
		all(ieee_ulp_eq(dbl, t.cell[0].low, 3, 4), ieee_ulp_eq(dbl, t.cell[0].high, 5, 4)));
	cr_assert(all(ieee_ulp_eq(dbl, t.cell[1].low, 200, 4),
		      ieee_ulp_eq(dbl, t.cell[1].high, 1000.0 / 3, 4)));
	cr_assert(all(ieee_ulp_eq(dbl, t.cell[2].low, 0.6, 4),
		      ieee_ulp_eq(dbl, t.cell[2].high, 5.0 / 3, 4)));
	gb_repro_release(&t);
	gb_record_free(record);
	cJSON_Delete(paper);
}

Test(repro, several_tables_are_summed_up)
{
	struct gb_repro_sum sum = { 0 };
	struct gb_error err = { 0 };
	struct gb_repro t;
	struct gb_sheet sheet;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	cJSON *paper, *object;
	const cJSON *cell;

	measure("{'id':'t','preset':{'quick':{'count':2000}},"
		"'columns':[{'name':'count','role':'key','param':'count'},"
		"{'name':'ms','role':'time','unit':'ms','variant':'cpu/best'},"
		"{'name':'none','role':'time','unit':'ms','reason':'sold out'}],"
		"'beside':['cpu/lsd8'],'rows':[[1000,2.5,null],[3000,7,null],[4000,9,null]]}",
		GB_QUICK, &t, &paper);
	cr_assert(eq(int, (int)gb_repro_add(&sum, &t, &err), GB_OK));
	cr_assert(eq(int, (int)gb_repro_add(&sum, &t, &err), GB_OK));
	cr_assert(all(eq(sz, sum.tables, 2), eq(sz, sum.cells, 12), eq(sz, sum.measured, 4)));
	cr_assert(all(eq(sz, sum.reasons, 1), eq(sz, sum.reason[0].count, 8)));
	cr_assert(eq(str, sum.reason[0].text, "left out by --preset"));
	gb_sheet_open(&sheet, file, GB_FORMAT_JSON, (struct gb_sheet_kind){ 0 });
	gb_repro_print(&sheet, &t);
	gb_repro_print_sum(&sheet, &sum);
	cr_assert_not(gb_sheet_close(&sheet, &err));
	fclose(file);
	object = cJSON_Parse(text);
	cell = gb_json_at(object, "cells")->child;
	cr_assert(eq(str, (char *)gb_json_text(cell, "printed"), "1000"));
	cell = cell->next;
	cr_assert(eq(str, (char *)gb_json_text(cell, "column"), "ms"));
	cr_assert(ieee_ulp_eq(dbl, gb_json_number(cell, "paper"), 2.5, 0));
	cr_assert(gb_json_number(cell, "here") > 0 && !gb_json_text(cell, "reason"));
	cell = cJSON_GetArrayItem(gb_json_at(object, "cells"), 2);
	cr_assert(eq(str, (char *)gb_json_text(cell, "reason"), "sold out"));
	cell = cJSON_GetArrayItem(gb_json_at(object, "cells"), 3);
	cr_assert(eq(str, (char *)gb_json_text(cell, "role"), "beside"));
	cr_assert(gb_json_number(cell, "here") > 0);
	cell = cJSON_GetArrayItem(gb_json_at(object, "cells"), 5);
	cr_assert(ieee_ulp_eq(dbl, gb_json_number(cell, "row"), 2, 0));
	cr_assert(cJSON_IsNull(gb_json_at(cell, "here")));
	cr_assert(eq(str, (char *)gb_json_text(cell, "reason"), "left out by --preset"));
	cr_assert(ieee_ulp_eq(dbl, gb_json_number(object, "measured"), 4, 0));
	cell = gb_json_at(object, "left_out")->child;
	cr_assert(ieee_ulp_eq(dbl, gb_json_number(cell, "cells"), 8, 0));
	cJSON_Delete(object);
	free(text);
	gb_repro_sum_release(&sum);
	gb_repro_release(&t);
	cJSON_Delete(paper);
}
