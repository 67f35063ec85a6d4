/* test_claims.c -- the verdict on each kind of claim of a paper, and what it needs. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/repro/repro.h"
#include "common/text.h"
#include "tests/line_of.h"
#include "tests/paper_of.h"

/* Three rows; column x is measured, y is twice as large. */
#define COLUMNS                                                         \
	"'columns':[{'name':'scene','role':'key','type':'text'},"       \
	"{'name':'count','role':'key','param':'count'},"                \
	"{'name':'x','role':'time','unit':'ms','variant':'cpu/best'},"  \
	"{'name':'y','role':'time','unit':'ms','variant':'cpu/split'}," \
	"{'name':'side','role':'key','type':'text'}],"                  \
	"'rows':[['a',10,1.5,null,'l'],['b',20,null,null,'r'],['c',30,null,null,'l']]"

/* How well x and y are known: exactly, within a share of their value, or without an interval. */
#define EXACT       0
#define NO_INTERVAL (-1)

/* The rows that were measured: the first two, all, or the first and the last. */
enum { TWO = 2, ALL, GAP };
#define PART "it: undecided (holds in 2 of 2; 1 not measured; "

/* The text about one claim, given by its members, on x = 1, 2, 3 and y = 2, 4, 6, in the cells of
 * these records, one per row, unless NULL.  `rows` tells which values of x are measured. */
static char *verdict_on(const char *members, size_t rows, double share, struct gb_record **record)
{
	char source[2048];
	struct gb_repro t;
	cJSON *paper;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct gb_document document;
	struct gb_error err = { 0 };

	snprintf(source, sizeof source,
		 "{'gpu_classes':{'desktop':['GeForce','!Laptop'],'fast':['RTX']},"
		 "'tables':[{'id':'t'," COLUMNS "}],'claims':[{'id':'it','table':'t',"
		 "'text':'that','reason':'because',%s}]}",
		 members);
	paper = parse(source);
	init(&t, paper);
	for (size_t i = 0; i < t.rows * t.columns; i++) {
		const size_t row = i / t.columns, column = i % t.columns;
		struct gb_repro_cell *cell = &t.cell[i];
		const double value = ((double)row + 1) * ((double)column - 1);

		if (column < 2 || column > 3 ||
		    (column == 2 && (rows == GAP ? row == 1 : row >= rows)))
			continue;
		cell->here = value;
		cell->low = share < 0 ? (double)NAN : value * (1 - share);
		cell->high = share < 0 ? (double)NAN : value * (1 + share);
		cell->record = record ? record[row] : NULL;
	}
	gb_document_open(&document, file, GB_FORMAT_TABLE, (struct gb_document_kind){ 0 });
	gb_repro_claims(&document, &t);
	cr_assert_not(gb_document_close(&document, &err));
	fclose(file);
	gb_repro_release(&t);
	cJSON_Delete(paper);
	return text;
}

static const struct {
	size_t rows;  /* that were measured */
	double share; /* of the values: half of their interval */
	const char *test, *verdict;
} verdicts[] = {
	{ ALL, EXACT, "'kind':'ratio-below','column':'x','value':3.5",
	  "it: held (at worst row 3: 3 (exact), claimed: at most 3.5)" },
	{ ALL, EXACT, "'kind':'ratio-below','column':'x','value':3", "it: not held" },
	{ ALL, EXACT, "'kind':'ratio-below','column':'x','value':3.5,'where':{'count':[30]}",
	  "it: held (row 3: 3 (exact), claimed: at most 3.5)" },
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
	{ ALL, EXACT, "'kind':'decreasing','column':'x','tolerance':1.9,'group':'side'",
	  "it: not held (row 3: 3 (exact) times row 1, claimed: at most 2.9)" },
	/* Intervals of +-10 % that are on one side of a bound, or on both.  "Not held" on three
	 * rows needs one that is 1.224 times as wide: 2.64 to 3.37 about 3. */
	{ ALL, 0.1, "'kind':'ratio-below','column':'x','value':3.31", "it: held" },
	{ ALL, 0.1, "'kind':'ratio-below','column':'x','value':3.29",
	  "it: undecided (2 of 3 hold, 0 not, 1 undecided; row 3: 3 (2.637 to 3.371), claimed: at "
	  "most 3.29)" },
	{ ALL, 0.1, "'kind':'ratio-below','column':'x','value':2.65", "it: undecided" },
	{ ALL, 0.1, "'kind':'ratio-below','column':'x','value':2.63", "it: not held" },
	{ ALL, 0.1, "'kind':'ratio-below','column':'x','value':2.71,'where':{'scene':['c']}",
	  "it: undecided (row 3: 3 (2.7 to 3.3)" },
	{ ALL, 0.1, "'kind':'ratio-below','column':'x','value':2.69,'where':{'scene':['c']}",
	  "it: not held" },
	{ ALL, 0.1, "'kind':'ratio-within','column':'x','low':0.89,'high':3.31",
	  "it: held (at worst row 3: 3 (2.7 to 3.3), claimed: 0.89 to 3.31)" },
	{ ALL, 0.1, "'kind':'ratio-within','column':'x','low':0.89,'high':3.35",
	  "it: held (at worst row 1: 1 (0.9 to 1.1), claimed: 0.89 to 3.35)" },
	{ ALL, 0.1, "'kind':'ratio-within','column':'x','low':0.91,'high':3.31", "it: undecided" },
	/* An interval that ends at a bound. */
	{ ALL, 0.1, "'kind':'ratio-within','column':'x','low':0,'high':2.7,'where':{'scene':['c']}",
	  "it: undecided" },
	{ ALL, 0.1, "'kind':'ratio-within','column':'x','low':1.1,'high':9,'where':{'scene':['a']}",
	  "it: undecided" },
	/* A quotient's interval is the widest that both allow: 2 * 0.9 / 1.1 = 1.64 to 2.44. */
	{ ALL, 0.1, "'kind':'column-above','column':'y','than':'x','factor':1.63", "it: held" },
	{ ALL, 0.1, "'kind':'column-above','column':'y','than':'x','factor':1.65",
	  "it: undecided (0 of 3 hold, 0 not, 3 undecided; row 1: 2 (1.564 to 2.557) times x"
	  ", claimed: at least 1.65)" },
	{ ALL, 0.1, "'kind':'column-above','column':'y','than':'x','factor':2.57", "it: not held" },
	/* 3 to 2 is 1.5, from 1.23 to 1.83. */
	{ ALL, 0.1, "'kind':'increasing','column':'x','tolerance':-0.22", "it: held" },
	{ ALL, 0.1, "'kind':'increasing','column':'x','tolerance':-0.24", "it: undecided" },
	{ ALL, 0.1, "'kind':'decreasing','column':'x','tolerance':0.56", "it: not held (0 of 2" },
	{ ALL, 0.25, "'kind':'increasing','column':'x','tolerance':0", "it: undecided (1 of 2" },
	{ ALL, 0.1, "'kind':'maximum-at','column':'x','where':{'scene':['c']}", "it: held" },
	{ ALL, 0.25, "'kind':'maximum-at','column':'x','where':{'scene':['c']}", "it: undecided" },
	{ ALL, 0.1, "'kind':'maximum-at','column':'x','where':{'scene':['b']}", "it: not held" },
	/* From end to end: 2 of the mean 2; 3.3 - 0.9 of 1.8 at most, 2.7 - 1.1 of 2.2 at least. */
	{ ALL, 0.1, "'kind':'flat','column':'x','tolerance':1.34", "it: held" },
	{ ALL, 0.1, "'kind':'flat','column':'x','tolerance':1.3", "it: undecided" },
	{ ALL, 0.1, "'kind':'flat','column':'x','tolerance':0.69", "it: undecided" },
	{ ALL, 0.1, "'kind':'flat','column':'x','tolerance':0.66", "it: not held" },
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
	/* Rows that were not measured leave a claim undecided, unless the others refute it. */
	{ TWO, EXACT, "'kind':'ratio-below','column':'x','value':9", PART },
	{ TWO, EXACT, "'kind':'ratio-below','column':'x','value':2",
	  "it: not held (tested in 2 of 3; 1 not measured; 1 of 2 hold, 1 not, 0 undecided; row "
	  "2" },
	{ TWO, EXACT, "'kind':'ratio-within','column':'x','low':1,'high':2", PART },
	{ TWO, EXACT, "'kind':'column-below','column':'x','than':'y'", PART },
	{ TWO, EXACT, "'kind':'column-within','column':'x','than':'y','low':0.4,'high':1", PART },
	{ TWO, EXACT, "'kind':'increasing','column':'x','tolerance':0", PART },
	{ TWO, EXACT, "'kind':'decreasing','column':'x','tolerance':0",
	  "it: not held (tested in 2 of 3; 1 not measured; row 2: 2 (exact) times row 1, claimed: "
	  "at most 1)" },
	{ TWO, EXACT, "'kind':'linear','column':'x','against':'count','tolerance':0.01", PART },
	/* A tolerance that nothing is within. */
	{ TWO, EXACT, "'kind':'linear','column':'x','against':'count','tolerance':-0.5",
	  "it: undecided (tested in 2 of 3; 1 not measured; 0 of 2 hold, 2 not" },
	{ TWO, EXACT, "'kind':'ratio-below','column':'x','value':9,'where':{'scene':['c']}",
	  "cannot be tested here (row 3" },
	{ TWO, EXACT,
	  "'kind':'linear','column':'x','against':'count','tolerance':1,"
	  "'where':{'scene':['b','c']}",
	  "cannot be tested here (row 3" },
	/* The mean is that of the rows that were measured, 1.5; that of all rows is another. */
	{ TWO, EXACT, "'kind':'flat','column':'x','tolerance':0.7", PART },
	{ TWO, EXACT, "'kind':'flat','column':'x','tolerance':0.6",
	  "it: undecided (tested in 2 of 3; 1 not measured; row 1: 0.6667 (exact) of" },
	/* The place of the maximum is known only if its row was measured; a maximum may be in a row
	 * that was not. */
	{ TWO, EXACT, "'kind':'maximum-at','column':'x','where':{'scene':['c']}",
	  "cannot be tested here (row 3" },
	{ TWO, EXACT, "'kind':'maximum-at','column':'x','where':{'scene':['b','c']}",
	  "cannot be tested here (row 3" },
	{ TWO, EXACT, "'kind':'maximum-at','column':'x','where':{'scene':['a']}", "it: not held" },
	{ TWO, EXACT, "'kind':'maximum-at','column':'x','where':{'scene':['b']}", PART },
	{ TWO, EXACT, "'kind':'up-to','column':'x','low':1,'high':2.5", "it: undecided" },
	{ TWO, EXACT, "'kind':'up-to','column':'x','low':1,'high':1.5", "it: not held" },
	/* Over row 2, which was not measured, 1 to 3 is two steps of 1.733 at most. */
	{ GAP, EXACT, "'kind':'decreasing','column':'x','tolerance':0.74", PART },
	{ GAP, EXACT, "'kind':'decreasing','column':'x','tolerance':0.73",
	  "row 3: 3 (exact) times row 1, claimed: at most 2.993)" },
	{ GAP, EXACT, "'kind':'increasing','column':'x','tolerance':-0.73", PART },
	{ GAP, EXACT, "'kind':'increasing','column':'x','tolerance':-0.74", "it: not held" },
};

Test(claims, claims_are_tested_on_the_measured_rows)
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

/* The needs of a claim, on the records of machines with a GPU and these numbers of cores (0: it is
 * unknown); the last row is the second machine's. */
static const struct {
	const char *backend, *status, *gpu, *other_gpu;
	int cores, other_cores;
	const char *needs, *verdict;
} needs[] = {
	{ "cpu", "ok", "A", "A", 4, 4, "{'cores':4}", "it: held" },
	{ "cpu", "ok", "A", "A", 4, 4, "{'cores':8}",
	  "cannot be tested here (needs 8 cores, Xeon has 4)" },
	{ "cpu", "ok", "A", "A", 0, 0, "{'cores':2}",
	  "cannot be tested here (needs 2 cores; the records do not say how many)" },
	{ "cpu", "ok", "A", "A", 4, 4, "{'gpu':['desktop']}", "it: held" },
	{ "cpu", "doubtful", "A", "A", 4, 4, "{}", "cannot be tested here (row 1: its time" },
	{ "cpu", "ok", "A", "B", 4, 4, "{}", "it: held" },
	{ "cpu", "ok", "A", "A", 4, 6, "{}",
	  "cannot be tested here (its cells are of two machines: Xeon and another one)" },
	{ "cuda", "ok", "A", "B", 4, 4, "{}",
	  "cannot be tested here (its cells are of two machines: A and B)" },
	{ "cuda", "ok", "A", "A", 4, 4, "{'cores':8}", "it: held" },
	{ "cuda", "ok", "GeForce 9", "GeForce 9", 4, 4, "{'gpu':['desktop']}", "it: held" },
	{ "cuda", "ok", "GeForce 9", "GeForce 9", 4, 4, "{'gpu':['desktop','fast']}",
	  "cannot be tested here (needs a GPU of class 'fast'; GeForce 9 is not known" },
	{ "cuda", "ok", "GeForce RTX", "GeForce RTX", 4, 4, "{'gpu':['desktop','fast']}",
	  "it: held" },
	{ "cuda", "ok", "GeForce Laptop", "GeForce Laptop", 4, 4, "{'gpu':['desktop']}",
	  "cannot be tested here (needs a GPU of class 'desktop'" },
	{ "cuda", "ok", "H100", "H100", 4, 4, "{'gpu':['no such class']}",
	  "cannot be tested here (needs a GPU" },
};

/* Add a run and its record. */
static void add_result(struct gb_records *list, size_t i, int machine)
{
	const int cores_of = machine ? needs[i].other_cores : needs[i].cores;
	char text[400], cores[60] = "";

	if (cores_of)
		snprintf(cores, sizeof cores, "\"cores\":%d,\"usable_cpus\":8,", cores_of);
	snprintf(text, sizeof text,
		 "{\"type\":\"run\",\"run_id\":\"%d\",\"host\":{\"cpu\":\"Xeon\",%s"
		 "\"hostname\":\"h\"},\"settings\":{\"device\":0},"
		 "\"gpus\":[{\"id\":0,\"name\":\"%s\"}]}",
		 machine, cores, machine ? needs[i].other_gpu : needs[i].gpu);
	add_line_of(list, text);
	snprintf(text, sizeof text,
		 "{\"type\":\"record\",\"run_id\":\"%d\",\"backend\":\"%s\",\"status\":\"%s\","
		 "\"time\":{\"median\":1,\"samples\":[1]}}",
		 machine, needs[i].backend, needs[i].status);
	add_line_of(list, text);
}

Test(claims, claims_are_tested_only_on_the_machines_they_are_about)
{
	for (size_t i = 0; i < GB_COUNT(needs); i++) {
		struct gb_records list = { 0 };
		struct gb_record *rows[3];
		char claim[200], *text;

		add_result(&list, i, 0);
		add_result(&list, i, 1);
		rows[0] = rows[1] = list.record[0];
		rows[2] = list.record[1];
		snprintf(claim, sizeof claim,
			 "'needs':%s,'test':{'kind':'ratio-below','column':'x','value':9}",
			 needs[i].needs);
		text = verdict_on(claim, ALL, EXACT, rows);
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

	if (!kind || !strcmp(kind, "bits") || !strcmp(kind, "maximum-at"))
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

Test(claims, no_claim_lacks_a_row_at_preset_quick)
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
