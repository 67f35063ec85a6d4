/* test_repro.c -- a paper's table: the content of its cells and the rows that a preset takes. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/options.h"
#include "cli/reports/repro/repro.h"
#include "cli/workloads/registry.h"
#include "tests/line_of.h"
#include "tests/paper_of.h"

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

	measure("{'set':{'distribution':'few'},'preset':{'quick':{'count':2000,'none':0}},"
		"'columns':[{'name':'count','role':'key','param':'count'},"
		"{'name':'ms','role':'time','unit':'ms','variant':'cpu/best'},"
		"{'name':'us','role':'time','unit':'us','variant':'cpu/best'},"
		"{'name':'wide','role':'size','variant':'cpu/best','set':{'type':'u64'},"
		"'value':'work.items','scale':10},"
		"{'name':'again','role':'ratio','of':['us','ms']},"
		"{'name':'lost','role':'time','reason':'sold out'},"
		"{'name':'none','role':'size','variant':'cpu/best','value':'metrics.none'},"
		"{'name':'rate','role':'rate','variant':'cpu/best','value':'time.median',"
		"'scale':1e-6},"
		"{'name':'crowd','role':'time','variant':'cpu/best','set':{'threads':1024}}],"
		"'beside':['cpu/lsd8'],"
		"'rows':[[1000,null,null,null,null,7,null,null,null],"
		"[3000,null,null,null,null,8,null,null,null]]}",
		GB_QUICK, &t, &paper);
	cr_assert(all(eq(sz, t.rows, 2), eq(sz, t.paper_columns, 9), eq(sz, t.columns, 10)));
	cell = t.cell;
	ms = cell[1].here;
	cr_assert(ms > 0 && cell[9].here > 0);
	cr_assert(ieee_ulp_eq(dbl, cell[2].here, 1e3 * ms, 4));
	cr_assert(ieee_ulp_eq(dbl, cell[3].here, 10000, 4));
	cr_assert(ieee_ulp_eq(dbl, cell[4].here, 1e3, 8));
	cr_assert(ieee_ulp_eq(dbl, cell[7].here, 1 / ms, 8)); /* 1000 keys in this many ms */
	cr_assert(cell[1].record != NULL && cell[3].record != NULL);
	cr_assert(eq(str, (char *)gb_member_find(&cell[1].record->params, "distribution")->text,
		     "few"));
	cr_assert(eq(str, (char *)gb_member_find(&cell[1].record->params, "type")->text, "u32"));
	cr_assert(eq(str, (char *)gb_member_find(&cell[3].record->params, "type")->text, "u64"));
	cr_assert(eq(str, (char *)cell[5].reason, "sold out"));
	cr_assert(eq(str, (char *)cell[6].reason, "not reported by this variant"));
	cr_assert(eq(str, (char *)cell[8].reason, "more threads than usable CPUs"));
	cr_assert(isnan(cell[10 + 1].here));
	cr_assert(eq(str, (char *)cell[10 + 1].reason, "left out by --preset"));
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
 * freedom.  For means it is the same at any number.  A sum with transfers has none, except on a
 * CPU, which has no transfers. */
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

#define HOST                "'backend':'cpu'"
#define DEVICE              "'backend':'cuda','upload':500,'download':300"
#define ONE(ns)             "{'median':" ns ",'samples':[" ns "]}"
#define ENDS(ns, low, high) "{'median':" ns ",'ci95':[" low "," high "],'samples':[" ns "]}"

/* A value in a column's unit with its interval, from one record; NAN: none. */
Test(repro, values_and_intervals)
{
	static const struct {
		const char *column, *record;
		double here, low, high;
	} row[] = {
		{ "'role':'time','unit':'us'", HOST, 2, 1, 4 },
		{ "'role':'rate','value':'rates.items_per_s','scale':1e-6", HOST, 5, 2.5, 10 },
		{ "'role':'rate','scale':1e-6", HOST, 5, 2.5, 10 },
		{ "'role':'time','unit':'us','scope':'whole'", HOST, 2, 1, 4 },
		{ "'role':'time','unit':'us','scope':'whole'", DEVICE, 2.8, NAN, NAN },
		{ "'role':'time','unit':'us','scope':'whole'",
		  DEVICE ",'transfers':{'upload':" ENDS("500", "400", "600") ",'download':" ENDS(
			  "300", "200", "500") "}",
		  2.8, 1.6, 5.1 },
		{ "'role':'time','unit':'us','scope':'whole'",
		  DEVICE
		  ",'transfers':{'upload':" ENDS("500", "400", "600") ",'download':" ONE("300") "}",
		  2.8, NAN, NAN },
		{ "'role':'time','unit':'us','scope':'whole'", "'backend':'cuda'", 2, 1, 4 },
		{ "'role':'time','unit':'us','value':'upload'", DEVICE, 0.5, NAN, NAN },
		{ "'role':'size','value':'metrics.depth'", HOST ",'emulated':true", 7, NAN, NAN },
		{ "'role':'time','value':'metrics.depth'", HOST ",'emulated':true", NAN, NAN, NAN },
		{ "'role':'time'", HOST ",'emulated':true", NAN, NAN, NAN },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char text[500];
		struct gb_repro t;
		struct gb_record *record;
		cJSON *paper, *line;
		const struct gb_repro_cell *cell;

		snprintf(text, sizeof text,
			 "{'tables':[{'columns':[{'name':'x','variant':'cpu/best',%s}],'rows':"
			 "[[1]]}]}",
			 row[i].column);
		paper = parse(text);
		init(&t, paper);
		snprintf(text, sizeof text,
			 "{'type':'record','time':" ENDS("2000", "1000",
							 "4000") ",'work':{'items':"
								 "10},'metrics':{'depth':7},%s}",
			 row[i].record);
		line = parse(text);
		{
			char *printed = cJSON_PrintUnformatted(line);

			record = parsed_record(printed);
			cJSON_free(printed);
		}
		t.cell[0].record = record;
		gb_repro_fill(&t);
		cell = &t.cell[0];
		{
			const double got[] = { cell->here, cell->low, cell->high };
			const double want[] = { row[i].here, row[i].low, row[i].high };

			for (size_t k = 0; k < 3; k++)
				cr_expect(isnan(want[k]) ? isnan(got[k])
							 : fabs(got[k] / want[k] - 1) < 1e-12,
					  "row %zu: %g, not %g", i, got[k], want[k]);
		}
		cr_expect(eq(int, cell->reason != NULL, isnan(row[i].here)));
		gb_repro_release(&t);
		gb_record_free(record);
		cJSON_Delete(line);
		cJSON_Delete(paper);
	}
}

/* The last record with a time counts, if it has as many threads as its machine. */
Test(repro, stored_records)
{
	static const struct {
		int threads[2], ns[2]; /* 0 threads: no record; 0 ns: it failed */
		double here;
	} row[] = {
		{ { 4, 0 }, { 10, 0 }, 10 },  { { 4, 4 }, { 10, 20 }, 20 },
		{ { 4, 4 }, { 10, 0 }, 10 },  { { 4, 4 }, { 0, 20 }, 20 },
		{ { 4, 4 }, { 0, 0 }, NAN },  { { 3, 0 }, { 10, 0 }, NAN },
		{ { 4, 5 }, { 10, 20 }, 10 }, { { 40, 4 }, { 10, 20 }, 20 },
	};
	cJSON *paper = parse("{'workload':'radix','tables':[{'set':{'count':1000},'columns':[{"
			     "'name':'a','role':'time','unit':'ns','variant':'cpu/best'}],"
			     "'rows':[[null],[null]]}]}");

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_records list = { 0 };
		const struct gb_repro_source source = { .stored = &list, .preset = GB_LARGE };
		struct gb_error err = { 0 };
		struct gb_repro t;

		add_line_of(&list, "{\"type\":\"run\",\"host\":{\"usable_cpus\":4}}");
		for (size_t k = 0; k < 2 && row[i].threads[k]; k++) {
			char text[300], time[60] = "\"status\":\"failed\"";

			if (row[i].ns[k])
				snprintf(time, sizeof time,
					 "\"time\":{\"median\":%d,\"samples\":[%d]}", row[i].ns[k],
					 row[i].ns[k]);
			snprintf(text, sizeof text,
				 "{\"type\":\"record\",\"key\":\"radix/cpu/best count=1000 "
				 "threads=%d\",\"params\":{\"threads\":%d},%s}",
				 row[i].threads[k], row[i].threads[k], time);
			add_line_of(&list, text);
		}
		init(&t, paper);
		cr_assert_not(gb_repro_measure(&t, &source, &err), "%s", err.message);
		for (size_t k = 0; k < 2; k++)
			cr_expect(isnan(row[i].here) ? isnan(t.cell[k].here) && t.cell[k].reason
						     : fabs(t.cell[k].here - row[i].here) < 1e-9,
				  "row %zu: %g", i, t.cell[k].here);
		gb_repro_release(&t);
		gb_records_release(&list);
	}
	cJSON_Delete(paper);
}

/* The terms of a ratio are of one machine, of which only a GPU's record has a GPU. */
Test(repro, two_machines_have_no_ratio)
{
	static const struct {
		const char *cpu[2], *gpu[2], *backend[2];
		bool one;
	} row[] = {
		{ { "A", "A" }, { "G", "G" }, { "cpu", "cuda" }, true },
		{ { "A", "A" }, { "G", "H" }, { "cpu", "cuda" }, true },
		{ { "A", "B" }, { "G", "G" }, { "cpu", "cuda" }, false },
		{ { "A", "B" }, { "G", "G" }, { "cpu", "cpu" }, false },
		{ { "A", "A" }, { "G", "H" }, { "cuda", "cuda" }, false },
		{ { "A", "A" }, { "G", "G" }, { "cuda", "vulkan" }, true },
	};
	cJSON *paper = parse("{'tables':[{'columns':[{'name':'a','role':'time','variant':'cpu/best'"
			     "},{'name':'b','role':'time','variant':'cpu/best'},{'name':'c','role':"
			     "'ratio','of':['a','b']}],'rows':[[1,1,1],[1,1,1]]}]}");

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_records list = { 0 };
		struct gb_repro t;
		char text[300];

		init(&t, paper);
		for (size_t k = 0; k < 2; k++) {
			snprintf(text, sizeof text,
				 "{\"type\":\"run\",\"run_id\":\"%zu\",\"host\":{\"cpu\":\"%s\"},"
				 "\"settings\":{\"device\":0},\"gpus\":[{\"id\":0,"
				 "\"name\":\"%s\"}]}",
				 k, row[i].cpu[k], row[i].gpu[k]);
			add_line_of(&list, text);
			snprintf(text, sizeof text,
				 "{\"type\":\"record\",\"run_id\":\"%zu\",\"backend\":\"%s\","
				 "\"time\":{\"median\":%d,\"samples\":[%d]}}",
				 k, row[i].backend[k], k ? 2 : 6, k ? 2 : 6);
			add_line_of(&list, text);
			t.cell[3 + k].record = list.record[k];
		}
		gb_repro_fill(&t);
		if (row[i].one)
			cr_expect(ieee_ulp_eq(dbl, t.cell[3 + 2].here, 3, 4), "row %zu", i);
		else
			cr_expect(isnan(t.cell[3 + 2].here) && t.cell[3 + 2].reason, "row %zu", i);
		gb_repro_release(&t);
		gb_records_release(&list);
	}
	cJSON_Delete(paper);
}

/* A sheet whose text is kept. */
struct page {
	struct gb_sheet sheet;
	FILE *file;
	char *text;
	size_t size;
};

static void open_page(struct page *page, enum gb_format format)
{
	page->file = open_memstream(&page->text, &page->size);
	gb_sheet_open(&page->sheet, page->file, format, (struct gb_sheet_kind){ 0 });
}

/* The text, which the caller frees. */
static char *close_page(struct page *page)
{
	cr_assert_not(gb_sheet_close(&page->sheet, &(struct gb_error){ 0 }));
	(void)fclose(page->file);
	return page->text;
}

/* Beside each published column are the value here in four digits and their ratio, or their
 * difference. */
Test(repro, titles_and_cells)
{
	static const char wanted[] =
		"p:t  T\n\n"
		"n  ms paper   mean here  paper/here  rate paper           here  here/paper  size "
		"paper        here  here-paper  by paper           here   new here  lost paper  cpu"
		"/lsd8 mean ms\n"
		"1       2.5  5 +-0.09 %         0.5          10  40.02 +-8.0 %           4       "
		"  100  90 +-8.0 %         -10       0.5  0.125 +-8.0 %  3 +-8.0 %           7     "
		"    4 +-8.0 %\n"
		"2         5                                  20                                  "
		"  200                              0.25                                     8\n";
	cJSON *paper = parse(
		"{'paper':'p','tables':[{'id':'t','title':'T','columns':[{'name':'n','role':'key'},"
		"{'name':'ms','role':'time','unit':'ms','variant':'cpu/best','value':'time.mean'},"
		"{'name':'rate','role':'rate','unit':'1/s','variant':'cpu/best'},"
		"{'name':'size','role':'size','type':'integer','variant':'cpu/best'},"
		"{'name':'by','role':'ratio','of':['ms','rate']},"
		"{'name':'new','role':'time','unit':'ms','variant':'cpu/best'},"
		"{'name':'lost','role':'time'}],'beside':['cpu/lsd8'],"
		"'rows':[[1,2.5,10,100,0.5,null,7],[2,5,20,200,0.25,null,8]]}]}");
	static const double here[] = { 1, 5.0004, 40.02, 90.4, 0.125004, 3.0004, 0, 4.0004 };
	struct gb_repro t;
	struct page page;
	char *text;

	init(&t, paper);
	for (size_t c = 0; c < t.columns; c++) {
		t.cell[c].here = c == 6 ? (double)NAN : here[c];
		t.cell[c].low = here[c] * (c == 1 ? 0.9991 : 0.92);
		t.cell[c].high = here[c] * (c == 1 ? 1.0009 : 1.08);
	}
	open_page(&page, GB_FORMAT_TABLE);
	gb_repro_print(&page.sheet, &t);
	text = close_page(&page);
	cr_expect(strncmp(text, wanted, strlen(wanted)) == 0, "%s", text);
	free(text);
	gb_repro_release(&t);
	cJSON_Delete(paper);
}

Test(repro, notes)
{
	static const char *const row[] = {
		"A paper\n  in the original: B\n  doi 10.1\n  measured there on: CPU c; GPU g; s\n",
		"  ms: cpu/best --n=3 --type=u64, time.median in ms\n",
		"the value and unit of ms, no options\n",
		"chart without printed values",
		"Stored records of:\n  Z80, commit c, 2026-01-02, cold caches\n\nThe columns:\n",
		"Empty cells:\n  ms, rows 1 to 2: gone\n  cpu/lsd8, row 2: gone\n",
	};
	cJSON *paper =
		parse("{'paper':'p','citation':{'english':'A paper','original':'B','doi':'10.1'},"
		      "'hardware':[{'cpu':'c','gpu':'g','software':'s'}],'tables':[{'id':'t',"
		      "'precision':'shape','columns':[{'name':'n','role':'key'},{'name':'ms',"
		      "'role':'time','unit':'ms','variant':'cpu/best','set':{'n':3,'type':"
		      "'u64'}}],'beside':['cpu/lsd8'],'rows':[[1],[2]]}]}");
	struct gb_records list = { 0 };
	struct gb_repro t;
	struct page page;
	char *text;

	init(&t, paper);
	/* Only a time has a machine, and only a run says which. */
	add_line_of(&list,
		    "{\"type\":\"run\",\"run_id\":\"a\",\"started\":\"2026-01-02T03:04:05Z\","
		    "\"tool\":{\"commit\":\"c\"},\"host\":{\"cpu\":\"Z80\"}}");
	add_line_of(&list, "{\"type\":\"run\",\"run_id\":\"b\",\"host\":{\"cpu\":\"6502\"}}");
	add_line_of(&list,
		    "{\"type\":\"record\",\"run_id\":\"a\",\"time\":{\"median\":1,\"samples\":[1]}"
		    "}");
	add_line_of(&list, "{\"type\":\"record\",\"run_id\":\"b\",\"status\":\"skipped\"}");
	add_line_of(&list,
		    "{\"type\":\"record\",\"run_id\":\"x\",\"time\":{\"median\":1,\"samples\":[1]}"
		    "}");
	t.stored = true;
	for (size_t i = 0; i < list.count; i++)
		t.cell[1 + i].record = list.record[i];
	t.cell[1].reason = t.cell[4].reason = "gone";
	t.cell[5].reason = "gone";
	open_page(&page, GB_FORMAT_TABLE);
	gb_repro_print_head(&page.sheet, paper);
	gb_repro_notes(&page.sheet, &t);
	text = close_page(&page);
	for (size_t i = 0; i < GB_COUNT(row); i++)
		cr_expect(strstr(text, row[i]) != NULL, "row %zu in\n%s", i, text);
	free(text);
	gb_records_release(&list);
	gb_repro_release(&t);
	cJSON_Delete(paper);
}

/* A table without values or notes of its own gets both. */
Test(repro, values_that_are_set)
{
	cJSON *table = parse("{'id':'t','columns':[{'name':'n','role':'key','param':'type'}]}");
	const struct gb_workload *workload = gb_workload_find("radix");
	const struct gb_overrides list = { 2, { { "count", "5" }, { "seed", "2" } } };
	struct gb_error err = { 0 };

	cr_assert_not(gb_repro_set(table, workload, &list, &err), "%s", err.message);
	cr_assert(eq(str, (char *)gb_json_text(table, "set.count"), "5"));
	cr_assert(eq(str, (char *)gb_json_text(table, "set.seed"), "2"));
	cr_assert(eq(str, (char *)gb_json_text(gb_json_at(table, "notes")->child, "text"),
		     "Measured with --count=5 --seed=2."));
	cJSON_Delete(table);
}

/* Reasons that differ behind a number or a parenthesis are one. */
Test(repro, reasons_are_counted_by_kind)
{
	static const char *const reason[] = { "needs 3 GiB", "needs",     "needs 51 GiB",
					      "nought",      "needs (x)", NULL };
	static const struct {
		const char *text;
		size_t count;
	} wanted[] = { { "needs 3 GiB", 3 }, { "needs", 1 }, { "nought", 1 } };
	struct gb_repro_sum sum = { 0 };
	struct gb_error err = { 0 };
	struct gb_repro t;
	cJSON *paper = parse("{'tables':[{'columns':[{'name':'a','role':'time','variant':'cpu/best'"
			     "}],'rows':[[1],[1],[1],[1],[1],[1]]}]}");

	init(&t, paper);
	for (size_t i = 0; i < GB_COUNT(reason); i++)
		t.cell[i].reason = reason[i];
	cr_assert_not(gb_repro_add(&sum, &t, &err));
	cr_assert(all(eq(sz, sum.measured, 1), eq(sz, sum.reasons, GB_COUNT(wanted))));
	for (size_t i = 0; i < GB_COUNT(wanted); i++) {
		cr_expect(eq(str, sum.reason[i].text, (char *)wanted[i].text));
		cr_expect(eq(sz, sum.reason[i].count, wanted[i].count));
	}
	gb_repro_sum_release(&sum);
	gb_repro_release(&t);
	cJSON_Delete(paper);
}

Test(repro, several_tables_are_summed_up)
{
	struct gb_repro_sum sum = { 0 };
	struct gb_error err = { 0 };
	struct gb_repro t;
	struct page page;
	char *text;
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
	open_page(&page, GB_FORMAT_JSON);
	gb_repro_print(&page.sheet, &t);
	gb_repro_print_sum(&page.sheet, &sum);
	text = close_page(&page);
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
