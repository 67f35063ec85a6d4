/* test_repro.c -- a paper's table: the values of its cells and their intervals. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/repro/repro.h"
#include "tests/line_of.h"
#include "tests/paper_of.h"

#define LOW                 0.5158622882
#define HIGH                5.4841377118
#define HOST                "'backend':'cpu'"
#define DEVICE              "'backend':'cuda','upload':500,'download':300"
#define ONE(ns)             "{'median':" ns ",'samples':[" ns "]}"
#define THREE(more)         "'time':{'median':3," more "'samples':[2,3,4]}"
#define ENDS(ns, low, high) "{'median':" ns ",'ci95':[" low "," high "],'samples':[" ns "]}"

static void expect_near(double got, double wanted, size_t row)
{
	cr_expect(isnan(wanted) ? isnan(got) : fabs(got / wanted - 1) < 1e-9,
		  "row %zu: %.10g, not %.10g", row, got, wanted);
}

/* A value in a column's unit with its interval, from one record; NAN: none.  2, 3, 4: the mean is
 * 3, and its interval 3 -+ 4.3027 / sqrt(3) by Student with 2 degrees of freedom.  For means it is
 * the same at any number.  A sum with transfers has none, except on a CPU, which has no
 * transfers. */
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
		{ "'role':'time','unit':'ns'", HOST "," THREE(""), 3, LOW, HIGH },
		{ "'role':'time','unit':'ns','value':'time.mean'", HOST "," THREE(""), 3, LOW,
		  HIGH },
		{ "'role':'time','unit':'ns'", HOST ",'time':" ONE("3"), 3, NAN, NAN },
		{ "'role':'time','unit':'ns','scope':'transfers'", HOST ",'upload':5," THREE(""), 3,
		  LOW, HIGH },
		{ "'role':'time','unit':'ns','scope':'transfers'",
		  "'backend':'cuda','upload':5," THREE("'ci95':[2,4],"), 8, NAN, NAN },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char text[500];
		struct gb_repro t;
		struct gb_record *record;
		cJSON *paper, *line;
		char *printed;

		snprintf(text, sizeof text,
			 "{'tables':[{'columns':[{'name':'x','variant':'cpu/best',%s}],'rows':"
			 "[[1]]}]}",
			 row[i].column);
		paper = parse(text);
		init(&t, paper);
		snprintf(text, sizeof text,
			 "{'type':'record',%s,'time':{'median':2000,'ci95':[1000,4000],'samples':["
			 "2000]},'work':{'items':10},'metrics':{'depth':7}}",
			 row[i].record);
		line = parse(text);
		printed = cJSON_PrintUnformatted(line);
		record = parsed_record(printed);
		cJSON_free(printed);
		t.cell[0].record = record;
		gb_repro_fill(&t);
		expect_near(t.cell[0].here, row[i].here, i);
		expect_near(t.cell[0].low, row[i].low, i);
		expect_near(t.cell[0].high, row[i].high, i);
		cr_expect(eq(int, t.cell[0].reason != NULL, isnan(row[i].here)));
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
	cJSON *paper = parse("{'benchmark':'radix','tables':[{'set':{'count':1000},'columns':[{"
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
				 "\"time\":{\"median\":%d,\"ci95\":[%d,%d],\"samples\":[%d]}}",
				 k, row[i].backend[k], k ? 2 : 6, k ? 1 : 4, k ? 3 : 9, k ? 2 : 6);
			add_line_of(&list, text);
			t.cell[3 + k].record = list.record[k];
		}
		gb_repro_fill(&t);
		if (row[i].one) /* the interval is the widest that both allow */
			cr_expect(all(ieee_ulp_eq(dbl, t.cell[3 + 2].here, 3, 4),
				      ieee_ulp_eq(dbl, t.cell[3 + 2].low, 4 / 3., 4),
				      ieee_ulp_eq(dbl, t.cell[3 + 2].high, 9, 4)),
				  "row %zu", i);
		else
			cr_expect(isnan(t.cell[3 + 2].here) && t.cell[3 + 2].reason, "row %zu", i);
		gb_repro_release(&t);
		gb_records_release(&list);
	}
	cJSON_Delete(paper);
}
