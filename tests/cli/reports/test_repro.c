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

/* How well x and y are known: exactly, within a share of their value, or without an interval. */
#define EXACT       0
#define NO_INTERVAL (-1)

/* The text about one claim, given by its members, on x = 1, 2, 3 and y = 2, 4, 6, in the cells of
 * `record` unless NULL.  Only the first `rows` values of x are measured. */
static char *verdict_on(const char *members, size_t rows, double share, struct gb_record *record)
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
		 "{'gpu_classes':{'desktop':['GeForce','!Laptop'],'fast':['RTX']},"
		 "'tables':[{'id':'t'," COLUMNS "}],'claims':[{'id':'it','table':'t',"
		 "'text':'that','reason':'because',%s}]}",
		 members);
	paper = parse(document);
	init(&t, paper);
	for (size_t i = 0; i < t.rows * t.columns; i++) {
		struct gb_repro_cell *cell = &t.cell[i];
		const double value = (double)(i / t.columns + 1) * (double)(i % t.columns - 1);

		if (i % t.columns < 2 || (i % t.columns == 2 && i / t.columns >= rows))
			continue;
		cell->here = value;
		cell->low = share < 0 ? (double)NAN : value * (1 - share);
		cell->high = share < 0 ? (double)NAN : value * (1 + share);
		cell->record = record;
	}
	gb_sheet_open(&sheet, file, GB_FORMAT_TABLE, (struct gb_sheet_kind){ 0 });
	gb_repro_claims(&sheet, &t);
	cr_assert_not(gb_sheet_close(&sheet, &err));
	fclose(file);
	gb_repro_release(&t);
	cJSON_Delete(paper);
	return text;
}

enum { TWO = 2, ALL };

static const struct {
	size_t rows;  /* measured rows */
	double share; /* of the values: half of their interval */
	const char *test, *verdict;
} verdicts[] = {
	{ ALL, EXACT, "'kind':'ratio-below','column':'x','value':3.5", "it: held" },
	{ ALL, EXACT, "'kind':'ratio-below','column':'x','value':3", "it: not held" },
	{ ALL, EXACT, "'kind':'ratio-above','column':'x','value':1,'where':{'count':[20,30]}",
	  "it: held" },
	{ ALL, EXACT, "'kind':'ratio-above','column':'x','value':1,'where':{'scene':['a']}",
	  "it: not held" },
	{ ALL, EXACT, "'kind':'increasing','column':'x','tolerance':0", "it: held" },
	{ ALL, EXACT, "'kind':'decreasing','column':'x','tolerance':0", "it: not held" },
	{ ALL, EXACT, "'kind':'decreasing','column':'x','tolerance':1", "it: held" },
	{ ALL, EXACT, "'kind':'column-below','column':'x','than':'y'", "it: held" },
	{ ALL, EXACT, "'kind':'column-below','column':'x','than':'y','factor':0.5",
	  "it: not held" },
	{ ALL, EXACT, "'kind':'column-above','column':'y','than':'x','factor':1.9", "it: held" },
	{ ALL, EXACT, "'kind':'column-above','column':'x','than':'y'", "it: not held" },
	{ ALL, EXACT, "'kind':'flat','column':'x','tolerance':1", "it: held" },
	{ ALL, EXACT, "'kind':'flat','column':'x','tolerance':0.9", "it: not held" },
	{ ALL, EXACT, "'kind':'flat','column':'x','tolerance':0.1,'where':{'scene':['b']}",
	  "it: held" },
	{ ALL, EXACT, "'kind':'maximum-at','column':'x','where':{'scene':['c']}", "it: held" },
	{ ALL, EXACT, "'kind':'maximum-at','column':'x','where':{'scene':['a']}", "it: not held" },
	{ ALL, EXACT, "'kind':'linear','column':'x','against':'count','tolerance':0.01",
	  "it: held" },
	{ ALL, EXACT, "", "cannot be tested here (because)" },
	{ ALL, EXACT, "'kind':'flat','column':'z','tolerance':1", "cannot be tested here" },
	{ ALL, EXACT, "'kind':'column-above','column':'x','than':'z'", "cannot be tested here" },
	{ ALL, EXACT, "'kind':'bits','bits':32,'of_bits':1,'value':32", "it: held (by accounting" },
	{ ALL, EXACT, "'kind':'bits','bits':32,'of_bits':2,'value':32", "it: not held" },
	/* Two-sided: each row, or the largest. */
	{ ALL, EXACT, "'kind':'ratio-within','column':'x','low':1,'high':3", "it: held" },
	{ ALL, EXACT, "'kind':'ratio-within','column':'x','low':1,'high':2.9",
	  "it: not held (2 of 3 hold, 1 not, 0 undecided; row 3: 3 (exact), claimed: 1 to 2.9)" },
	{ ALL, EXACT, "'kind':'column-within','column':'y','than':'x','low':1.9,'high':2.1",
	  "it: held" },
	{ ALL, EXACT, "'kind':'column-within','column':'y','than':'x','low':2.1,'high':9",
	  "it: not held" },
	{ ALL, EXACT, "'kind':'up-to','column':'x','low':2.5,'high':3.5", "it: held" },
	{ ALL, EXACT, "'kind':'up-to','column':'x','low':1,'high':2", "it: not held (row 3" },
	{ ALL, EXACT, "'kind':'up-to','column':'x','low':4,'high':5", "it: not held (row 3" },
	/* Trends within groups: no scene has two rows. */
	{ ALL, EXACT, "'kind':'decreasing','column':'x','tolerance':0,'group':'count'",
	  "it: cannot be tested here" },
	/* Intervals of +-10 % that are on one side of a bound, or on both. */
	{ ALL, 0.1, "'kind':'ratio-below','column':'x','value':3.31", "it: held" },
	{ ALL, 0.1, "'kind':'ratio-below','column':'x','value':3.29",
	  "it: undecided (2 of 3 hold, 0 not, 1 undecided; row 3: 3 (2.7 to 3.3), claimed: at "
	  "most 3.29)" },
	{ ALL, 0.1, "'kind':'ratio-below','column':'x','value':2.69", "it: not held" },
	{ ALL, 0.1, "'kind':'ratio-within','column':'x','low':0.89,'high':3.31", "it: held" },
	{ ALL, 0.1, "'kind':'ratio-within','column':'x','low':0.91,'high':3.31", "it: undecided" },
	/* A quotient's interval is the widest that both allow: 2 * 0.9 / 1.1 = 1.64 to 2.44. */
	{ ALL, 0.1, "'kind':'column-above','column':'y','than':'x','factor':1.63", "it: held" },
	{ ALL, 0.1, "'kind':'column-above','column':'y','than':'x','factor':1.65",
	  "it: undecided (0 of 3 hold, 0 not, 3 undecided; row 1: 2 (1.64 to 2.44) times x"
	  ", claimed: at least 1.65)" },
	{ ALL, 0.1, "'kind':'column-above','column':'y','than':'x','factor':2.45", "it: not held" },
	/* 3 to 2 is 1.5, from 1.23 to 1.83. */
	{ ALL, 0.1, "'kind':'increasing','column':'x','tolerance':-0.22", "it: held" },
	{ ALL, 0.1, "'kind':'increasing','column':'x','tolerance':-0.24", "it: undecided" },
	{ ALL, 0.1, "'kind':'decreasing','column':'x','tolerance':0.6", "it: not held (0 of 2" },
	{ ALL, 0.25, "'kind':'increasing','column':'x','tolerance':0", "it: undecided (1 of 2" },
	{ ALL, 0.1, "'kind':'maximum-at','column':'x','where':{'scene':['c']}", "it: held" },
	{ ALL, 0.25, "'kind':'maximum-at','column':'x','where':{'scene':['c']}", "it: undecided" },
	{ ALL, 0.1, "'kind':'maximum-at','column':'x','where':{'scene':['b']}", "it: not held" },
	/* From end to end: 2 of the mean 2; 3.3 - 0.9 of 1.8 at most, 2.7 - 1.1 of 2.2 at least. */
	{ ALL, 0.1, "'kind':'flat','column':'x','tolerance':1.34", "it: held" },
	{ ALL, 0.1, "'kind':'flat','column':'x','tolerance':1.3", "it: undecided" },
	{ ALL, 0.1, "'kind':'flat','column':'x','tolerance':0.72", "it: not held" },
	{ ALL, 0.1, "'kind':'linear','column':'x','against':'count','tolerance':0.23", "it: held" },
	{ ALL, 0.1, "'kind':'linear','column':'x','against':'count','tolerance':0.2",
	  "it: undecided (0 of 3" },
	{ ALL, 0.1, "'kind':'up-to','column':'x','low':2.6,'high':3.4", "it: held" },
	{ ALL, 0.1, "'kind':'up-to','column':'x','low':2.8,'high':3.4", "it: undecided" },
	{ ALL, NO_INTERVAL, "'kind':'ratio-below','column':'x','value':99",
	  "it: undecided (0 of 3 hold, 0 not, 3 undecided; row 1: 1 (no interval)" },
	{ ALL, NO_INTERVAL, "'kind':'column-below','column':'x','than':'y'", "it: undecided" },
	{ ALL, NO_INTERVAL, "'kind':'flat','column':'x','tolerance':9", "it: undecided" },
	{ ALL, NO_INTERVAL, "'kind':'linear','column':'x','against':'count','tolerance':9",
	  "it: undecided" },
	{ ALL, NO_INTERVAL, "'kind':'increasing','column':'x','tolerance':0", "it: undecided" },
	{ ALL, NO_INTERVAL, "'kind':'maximum-at','column':'x','where':{'scene':['c']}",
	  "it: undecided" },
	{ ALL, NO_INTERVAL, "'kind':'up-to','column':'x','low':0,'high':99", "it: undecided" },
	{ TWO, EXACT, "'kind':'ratio-below','column':'x','value':9",
	  "it: held (in 2 of 2; 1 not measured)" },
	{ TWO, EXACT, "'kind':'ratio-below','column':'x','value':2",
	  "it: not held (tested in 2 of 3; 1 not measured; 1 of 2 hold, 1 not, 0 undecided; row "
	  "2" },
	{ TWO, EXACT, "'kind':'column-below','column':'x','than':'y'",
	  "it: held (in 2 of 2; 1 not measured)" },
	{ TWO, EXACT, "'kind':'increasing','column':'x','tolerance':0",
	  "it: held (in 2 of 2; 1 not measured)" },
	{ TWO, EXACT, "'kind':'ratio-below','column':'x','value':9,'where':{'scene':['c']}",
	  "cannot be tested here (row 3 was not measured" },
	{ TWO, EXACT,
	  "'kind':'linear','column':'x','against':'count','tolerance':1,"
	  "'where':{'scene':['b','c']}",
	  "cannot be tested here (row 3 was not measured" },
	/* The mean is that of the rows that were measured, 1.5. */
	{ TWO, EXACT, "'kind':'flat','column':'x','tolerance':0.7",
	  "it: held (in 2 of 2; 1 not measured" },
	{ TWO, EXACT, "'kind':'flat','column':'x','tolerance':0.6",
	  "it: not held (tested in 2 of 3; 1 not measured" },
	/* The place of the maximum is known only if its row was measured; a maximum may be in a row
	 * that was not. */
	{ TWO, EXACT, "'kind':'maximum-at','column':'x','where':{'scene':['c']}",
	  "cannot be tested here (row 3 was not measured" },
	{ TWO, EXACT, "'kind':'maximum-at','column':'x','where':{'scene':['a']}", "it: not held" },
	{ TWO, EXACT, "'kind':'maximum-at','column':'x','where':{'scene':['b']}",
	  "it: held (in 2 of 2; 1 not measured)" },
	{ TWO, EXACT, "'kind':'up-to','column':'x','low':1,'high':2.5", "it: undecided" },
	{ TWO, EXACT, "'kind':'up-to','column':'x','low':1,'high':1.5", "it: not held" },
};

Test(repro, claims_are_tested_on_the_measured_rows)
{
	for (size_t i = 0; i < GB_COUNT(verdicts); i++) {
		char test[200], *text;

		/* A paper has null for a claim without a test. */
		snprintf(test, sizeof test, verdicts[i].test[0] ? "'test':{%s}" : "'test':null%s",
			 verdicts[i].test);
		text = verdict_on(test, verdicts[i].rows, verdicts[i].share, NULL);
		cr_expect(strstr(text, verdicts[i].verdict) != NULL, "%s: wanted '%s', got\n%s",
			  test, verdicts[i].verdict, text);
		free(text);
	}
}

/* What a claim needs, on a record of a machine with 4 cores and a GPU. */
static const struct {
	const char *backend, *status, *gpu, *needs, *verdict;
} needs[] = {
	{ "cpu", "ok", "any", "{'cores':4}", "it: held" },
	{ "cpu", "ok", "any", "{'cores':8}", "cannot be tested here (needs 8 cores, Xeon has 4)" },
	{ "cpu", "ok", "any", "{'gpu':['desktop']}", "it: held" },
	{ "cpu", "doubtful", "any", "{}",
	  "cannot be tested here (row 1 was not measured: its time" },
	{ "cuda", "ok", "any", "{'cores':8}", "it: held" },
	{ "cuda", "ok", "GeForce GTX 9", "{'gpu':['desktop']}", "it: held" },
	{ "cuda", "ok", "GeForce GTX 9", "{'gpu':['desktop','fast']}",
	  "cannot be tested here (needs a GPU of class 'fast'; GeForce GTX 9 is not known" },
	{ "cuda", "ok", "GeForce RTX 9", "{'gpu':['desktop','fast']}", "it: held" },
	{ "cuda", "ok", "GeForce RTX 9 Laptop GPU", "{'gpu':['desktop']}",
	  "cannot be tested here (needs a GPU of class 'desktop'" },
	{ "cuda", "ok", "H100", "{'gpu':['desktop']}", "cannot be tested here (needs a GPU" },
	{ "cuda", "ok", "H100", "{'gpu':['no such class']}", "cannot be tested here (needs a GPU" },
};

Test(repro, claims_are_tested_only_on_the_machines_they_are_about)
{
	for (size_t i = 0; i < GB_COUNT(needs); i++) {
		struct gb_records list = { 0 };
		char run[300], record[300], claim[200], *text;

		snprintf(run, sizeof run,
			 "{\"type\":\"run\",\"host\":{\"cpu\":\"Xeon\",\"cores\":4,"
			 "\"usable_cpus\":8},\"settings\":{\"device\":0},\"gpus\":[{\"id\":0,"
			 "\"name\":\"%s\"}]}",
			 needs[i].gpu);
		snprintf(record, sizeof record,
			 "{\"type\":\"record\",\"backend\":\"%s\",\"status\":\"%s\","
			 "\"time\":{\"median\":1,\"samples\":[1]}}",
			 needs[i].backend, needs[i].status);
		add_line_of(&list, run);
		add_line_of(&list, record);
		snprintf(claim, sizeof claim,
			 "'needs':%s,'test':{'kind':'ratio-below','column':'x','value':9}",
			 needs[i].needs);
		text = verdict_on(claim, ALL, EXACT, list.record[0]);
		cr_expect(strstr(text, needs[i].verdict) != NULL, "%zu: wanted '%s', got\n%s", i,
			  needs[i].verdict, text);
		free(text);
		gb_records_release(&list);
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

/* A test that compares rows needs two, any other one; that of a maximum may need the largest row,
 * which no quick preset takes. */
static void check_claim(const struct gb_repro *t, const cJSON *claim)
{
	static const char *const comparing[] = { "flat", "increasing", "decreasing", "linear" };
	const cJSON *test = gb_json_at(claim, "test");
	const char *kind = gb_json_text(test, "kind");
	size_t taken = 0, meant = 0, needed = 1;

	if (!kind || !strcmp(kind, "memory-exceeds") || !strcmp(kind, "bits") ||
	    !strcmp(kind, "maximum-at"))
		return;
	for (size_t r = 0; r < t->rows; r++) {
		const bool of_claim = is_of_claim(t, r, test);

		meant += of_claim;
		taken += of_claim && gb_repro_takes(t, r, GB_QUICK);
	}
	for (size_t i = 0; i < sizeof comparing / sizeof *comparing; i++)
		needed = !strcmp(kind, comparing[i]) ? 2 : needed;
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

/* 2, 3, 4: the mean is 3, and its interval 3 -+ 4.303 / sqrt(3) by Student with 2 degrees of
 * freedom.  Of means it is the same at any number.  A sum with transfers has none, except on a CPU,
 * which has no transfers. */
static const struct {
	const char *column, *record;
	double low, high;
} bounds[] = {
	{ "'unit':'ns'", "'backend':'cpu','time':{'median':3,'samples':[2,3,4]}", 0.5159, 5.4841 },
	{ "'unit':'ns','value':'time.mean'",
	  "'backend':'cpu','time':{'median':3,'samples':[2,3,4]}", 0.5159, 5.4841 },
	{ "'unit':'ns'", "'backend':'cpu','time':{'median':3,'samples':[3]}", NAN, NAN },
	{ "'unit':'ns','scope':'transfers'",
	  "'backend':'cpu','upload':5,'time':{'median':3,'samples':[2,3,4]}", 0.5159, 5.4841 },
	{ "'unit':'ns','scope':'transfers'",
	  "'backend':'cuda','upload':5,'time':{'median':3,'ci95':[2,4],'samples':[2,3,4]}", NAN,
	  NAN },
	{ "'unit':'ns'",
	  "'backend':'cuda','upload':5,'time':{'median':3,'ci95':[2,4],'samples':[3]}", 2, 4 },
	{ "'unit':'ns','value':'upload'", "'backend':'cuda','upload':5", NAN, NAN },
};

Test(repro, intervals_are_those_of_the_samples)
{
	for (size_t i = 0; i < GB_COUNT(bounds); i++) {
		char text[400], *member = text;
		struct gb_record *record;
		struct gb_repro t;
		cJSON *paper;

		snprintf(text, sizeof text,
			 "{'tables':[{'columns':[{'name':'x','role':'time','variant':'cpu/"
			 "best',%s}],"
			 "'rows':[[null]]}]}",
			 bounds[i].column);
		paper = parse(text);
		snprintf(text, sizeof text, "{'type':'record',%s}", bounds[i].record);
		while ((member = strchr(member, '\'')))
			*member = '"';
		record = parsed_record(text);
		init(&t, paper);
		t.cell[0].record = record;
		gb_repro_fill(&t);
		cr_expect(isnan(bounds[i].low)
				  ? isnan(t.cell[0].low) && isnan(t.cell[0].high)
				  : fabs(t.cell[0].low - bounds[i].low) < 1e-3 &&
					    fabs(t.cell[0].high - bounds[i].high) < 1e-3,
			  "%zu: %g to %g", i, t.cell[0].low, t.cell[0].high);
		gb_repro_release(&t);
		gb_record_free(record);
		cJSON_Delete(paper);
	}
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
