/* test_table.c -- the layout of tables. */
#include "cli/reports/axes.h"
#include "tests/cli/reports/table_records.h"

TestSuite(table, .fini = release);

/* ---- tables ------------------------------------------------------------------------------ */

Test(table, no_records)
{
	expect(GB_FORMAT_TABLE, "");
}

/* The constants of its own records, each once. */
Test(table, constants_are_stated_once)
{
	add_run("a");
	add_record("cpu/best", "\"count\":1000,\"type\":\"u32\",\"seed\":1", timed(2e6));
	expect(GB_FORMAT_TABLE, "gpubench 1.2, commit abc, on box, then: Z80, 2 cores\n"
				"\n"
				"toy: count=1k type=u32 seed=1\n"
				"\n"
				"variant      time     95 %  keys/s     B/s  of copy  status\n"
				"cpu/best  2.00 ms  +-1.0 %   500 k  4.00 M     25 %  ok\n");
}

/* The line of one launch or two; unknown parts are left out. */
Test(table, the_line_of_a_run)
{
	static const struct {
		const char *members, *line;
		int launches;
	} row[] = {
		{ "\"tool\":{\"version\":\"1\",\"commit\":\"c\",\"dirty\":true},\"host\":{"
		  "\"hostname\":\"h\",\"cpu\":\"Z80\",\"cores\":4},\"started\":\"then\","
		  "\"gpus\":[{\"id\":0,\"name\":\"A\"},{\"id\":1},{\"id\":2,\"name\":\"B\"}]",
		  "gpubench 1, commit c with changes, on h, then: Z80, 4 cores; A; B\n", 1 },
		{ "\"tool\":{\"commit\":\"c\",\"dirty\":false}", "commit c, 2 launches\n", 2 },
		{ "\"tool\":{\"version\":\"1\",\"dirty\":true}", "gpubench 1, 2 launches\n", 2 },
		{ "\"host\":{\"hostname\":\"h\"}", "on h, 2 launches\n", 2 },
		{ "\"started\":\"then\"", "2 launches, then\n", 2 },
		{ "\"started\":\"now\"", "now\n", 1 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char text[512], *all;

		for (int k = 0; k < row[i].launches; k++) {
			(void)snprintf(text, sizeof text,
				       "{\"type\":\"run\",\"schema\":2,\"run_id\":\"%d\",%s}", k,
				       row[i].members);
			add(text);
		}
		all = printed(GB_FORMAT_TABLE);
		cr_expect_str_eq(all, row[i].line);
		free(all);
		release();
	}
}

/* Values belong to pairs alone. */
Test(table, a_parameter_that_no_point_uses_is_left_out)
{
	static const char *const type[][2] = { { "u32", "u32" },
					       { "pairs", "pairs" },
					       { "u32", "pairs" } };

	for (size_t i = 0; i < GB_COUNT(type); i++) {
		for (size_t k = 0; k < 2; k++) {
			char text[2048];

			(void)snprintf(text, sizeof text,
				       "{\"type\":\"record\",\"schema\":2,\"run_id\":\"a\","
				       "\"bench\":\"radix\",\"backend\":\"cpu\",\"variant\":"
				       "\"v%zu\",\"key\":\"radix/cpu/v%zu%s\",\"params\":{"
				       "\"values\":\"index\",\"type\":\"%s\"},%s}",
				       k, k, gb_equal(type[i][k], "pairs") ? " type=pairs" : "",
				       type[i][k], timed(1e6));
			add(text);
		}
		expect_within(GB_FORMAT_TABLE, "values=index", i > 0);
		release();
	}
}

Test(table, varying_parameters_are_columns_and_the_fastest_is_marked)
{
	add_record("cpu/best", "\"count\":1000,\"threads\":2,\"seed\":1", timed(2e6));
	add_record("cuda/wide", "\"count\":1000,\"seed\":1", timed(1e6));
	add_record("cpu/best", "\"count\":65536,\"threads\":2,\"seed\":1", timed(3e6));
	add_record("cuda/wide", "\"count\":65536,\"seed\":1", timed(4e6));
	expect(GB_FORMAT_TABLE,
	       "toy: threads=2 seed=1\n"
	       "\n"
	       "count  variant         time     95 %  keys/s     B/s  of copy  status\n"
	       "   1k  cpu/best     2.00 ms  +-1.0 %   500 k  4.00 M     25 %  ok\n"
	       "   1k  cuda/wide *  1.00 ms  +-1.0 %  1.00 M  8.00 M     25 %  ok\n"
	       "\n"
	       " 64Ki  cpu/best *   3.00 ms  +-1.0 %   333 k  2.67 M     25 %  ok\n"
	       " 64Ki  cuda/wide    4.00 ms  +-1.0 %   250 k  2.00 M     25 %  ok\n"
	       "\n"
	       "* the fastest at its point\n");
}

Test(table, threads_do_not_split_points_with_gpu_rows)
{
	add_record("cpu/best", "\"n\":1,\"threads\":1", timed(2e6));
	add_record("cpu/best", "\"n\":1,\"threads\":2", timed(1e6));
	add_record("cuda/wide", "\"n\":1", timed(3e6));
	expect_within(GB_FORMAT_TABLE, "      2  cpu/best *", true);
	expect_within(GB_FORMAT_TABLE, "         cuda/wide ", true);
	expect_within(GB_FORMAT_TABLE, "toy: n=1\n", true);
}

Test(table, points_with_one_row_have_no_gaps)
{
	add_record("cpu/best", "\"n\":1", timed(2e6));
	add_record("cpu/best", "\"n\":2", timed(2e6));
	expect_within(GB_FORMAT_TABLE, "ok\n2  cpu", true);
	expect_within(GB_FORMAT_TABLE, "*", false);
	add_record("cpu/slow", "\"n\":1", timed(4e6));
	expect_within(GB_FORMAT_TABLE, "ok\n\n2  cpu", true);
}

Test(table, rows_are_sorted_by_point)
{
	add_record("cpu/a", "\"n\":1", timed(2e6));
	add_record("cpu/a", "\"n\":2", timed(2e6));
	add_record("cpu/b", "\"n\":1", timed(3e6));
	add_record("cpu/b", "\"n\":2", timed(3e6));
	expect_within(GB_FORMAT_TABLE, "ok\n1  cpu/b ", true);
	expect_within(GB_FORMAT_TABLE, "ok\n\n2  cpu/a *", true);
}

/* Whole numbers have suffixes, others as many digits as they need; flags are words. */
Test(table, values_of_parameters)
{
	add_record("cpu/a", "\"n\":1000000,\"x\":0.1,\"f\":true,\"w\":\"u32\"", timed(2e6));
	add_record("cpu/a", "\"n\":-5,\"x\":1e300,\"f\":false,\"w\":\"u64\"", timed(2e6));
	expect_within(GB_FORMAT_TABLE,
		      " n       x  f    w    variant     time     95 %  keys/s     B/s  of copy  "
		      "status\n"
		      "1M     0.1  yes  u32  cpu/a    2.00 ms",
		      true);
	expect_within(GB_FORMAT_TABLE, "\n-5  1e+300  no   u64  cpu/a    2.00 ms", true);
	/* 2^53, and the next double */
	add_record("cpu/a", "\"n\":9007199254740992,\"x\":9007199254740994", timed(2e6));
	expect_within(GB_FORMAT_TABLE, "\n8192Ti  9007199254740994  ", true);
}

/* Parameters beyond the first 64 are left out. */
Test(table, many_parameters)
{
	char params[800] = "";

	for (int i = 0; i < 66; i++)
		gb_text_append(params, sizeof params, "%s\"p%d\":%d", i ? "," : "", i, i);
	add_record("cpu/a", params, timed(2e6));
	expect_within(GB_FORMAT_TABLE, " p63=63\n", true);
}

Test(table, a_path_that_some_records_lack_varies)
{
	add_record("cpu/a", "\"n\":1", timed(2e6));
	add_record("cpu/a", "\"n\":1,\"file\":\"keys.bin\"", timed(2e6));
	expect_within(GB_FORMAT_TABLE, "toy: n=1\n", true);
	expect_within(GB_FORMAT_TABLE, "keys.bin  cpu/a", true);
}

Test(table, skipped_variants_are_grouped_by_reason)
{
	add_record("cpu/best", "\"n\":1", timed(2e6));
	add_record("cuda/one", "\"n\":1", skipped("no driver"));
	add_record("cuda/two", "\"n\":1", skipped("no driver"));
	add_record("cpu/small", "\"n\":1", timed(2e6));
	add_record("cpu/best", "\"n\":2", timed(2e6));
	add_record("cuda/one", "\"n\":2", skipped("no driver"));
	add_record("cuda/two", "\"n\":2", skipped("no driver"));
	add_record("cpu/small", "\"n\":2", skipped("too large"));
	expect_within(GB_FORMAT_TABLE,
		      "\n\nskipped: cuda/one, cuda/two: no driver\n"
		      "skipped: cpu/small at n=2: too large\n",
		      true);
	add_record("cpu/small", "\"n\":3", skipped("too large"));
	expect_within(GB_FORMAT_TABLE, "cpu/small at 2 of 3 points: too large\n", true);
	add_record("cuda/four", "\"n\":1", "\"status\":\"skipped\"");
	add_record("cuda/five", "\"n\":1", "\"status\":\"skipped\"");
	expect_within(GB_FORMAT_TABLE, "\nskipped: cuda/four, cuda/five: no reason given\n", true);
}

Test(table, all_skipped)
{
	add_record("cuda/one", "\"n\":1", skipped("no driver"));
	expect(GB_FORMAT_TABLE, "toy: n=1\n\nskipped: cuda/one: no driver\n");
}

Test(table, failures_are_rows_with_their_reason)
{
	add_record("cpu/a", "\"n\":1", timed(2e6));
	add_record("cpu/b", "\"n\":1",
		   "\"status\":\"failed\",\"reason\":\"keys 5 and 6 are out of order\"");
	add_record("cpu/d", "\"n\":1",
		   "\"status\":\"unverified\",\"verify\":{\"result\":\"skipped\"}");
	expect_within(GB_FORMAT_TABLE, "failed: keys 5 and 6 are out of order\n", true);
	expect_within(GB_FORMAT_TABLE, "unverified\n", true);
	expect_within(GB_FORMAT_TABLE, "*", false);
}

Test(table, times_of_the_emulator_are_never_shown)
{
	char rest[1024];
	char *at;
	(void)snprintf(rest, sizeof rest, "%s", timed(123e6));
	at = strstr(rest, "\"emulated\":false");
	memcpy(at, "\"emulated\":true ", strlen("\"emulated\":true "));
	add_record("cuda/wide", "\"n\":1", rest);
	add_record("cpu/best", "\"n\":1", timed(456e6));
	expect_within(GB_FORMAT_TABLE, "emulated", true);
	expect_within(GB_FORMAT_TABLE, "123 ms", false);
	expect_within(GB_FORMAT_TABLE, "*", false);
	expect_within(GB_FORMAT_CSV, "123000000", false);
	expect_within(GB_FORMAT_CSV, "456000000", true);
}

/* A record that does not say is at either. */
Test(table, points_have_cold_caches_or_hot_ones)
{
	static const bool same[3][3] = { { true, true, true },
					 { true, true, false },
					 { true, false, true } };
	static const enum gb_flag cold[] = { GB_UNKNOWN, GB_NO, GB_YES };
	static const struct gb_axes none;

	for (size_t i = 0; i < 9; i++) {
		const struct gb_record a = { .cold = cold[i / 3] }, b = { .cold = cold[i % 3] };

		cr_expect_eq(gb_same_point(&none, &a, &b), same[i / 3][i % 3], "%zu", i);
	}
}

Test(table, cold_and_hot_are_two_points)
{
	add_record("cpu/best", "\"n\":1", timed(2e6));
	add_record("cpu/best", "\"n\":1",
		   "\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},"
		   "\"reason\":null,\"cold\":false,\"time\":{\"median\":1000,"
		   "\"samples\":[1000]}");
	expect_within(GB_FORMAT_TABLE, "cold   cpu/best  2.00 ms", true);
	expect_within(GB_FORMAT_TABLE, "hot    cpu/best  1.00 us", true);
	expect_within(GB_FORMAT_TABLE, "*", false);
}

Test(table, differing_units_are_in_the_cells)
{
	add_record("cpu/best", "\"op\":\"sort\"", timed(2e6));
	add_record("cpu/best", "\"op\":\"walk\"",
		   "\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},"
		   "\"reason\":null,\"time\":{\"median\":1000,\"samples\":[1000]},"
		   "\"work\":{\"unit\":\"edges\",\"items\":7000}");
	expect_within(GB_FORMAT_TABLE, "items/s", true);
	expect_within(GB_FORMAT_TABLE, "500 k keys/s", true);
	expect_within(GB_FORMAT_TABLE, "7.00 G edges/s", true);
}

Test(table, benchmarks_have_a_table_each)
{
	add_record("cpu/best", "\"n\":1", timed(2e6));
	add("{\"type\":\"record\",\"schema\":2,\"run_id\":\"a\",\"bench\":\"other\",\"backend\":"
	    "\"cpu\",\"variant\":\"x\",\"key\":\"k\",\"params\":{},\"status\":\"ok\",\"verify\":{"
	    "\"result\":\"pass\"}"
	    "}");
	add_record("cpu/best", "\"n\":2", timed(2e6));
	expect_within(GB_FORMAT_TABLE, "toy\n\n", true);
	expect_within(GB_FORMAT_TABLE, "\nother\n\nvariant  status\ncpu/x    ok\n", true);
}

/* Digits, marks and units of single cells. */
Test(table, cells)
{
#define OK "\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},"
#define TIME(low, high) \
	"\"time\":{\"median\":2000000,\"ci95\":[" #low "," #high "],\"samples\":[2000000]}"
#define GPU(state) OK TIME(1999999, 2000001) ",\"gpu_state\":{" state "}"
	static const struct {
		const char *variant, *members, *wanted;
	} cell[] = {
		{ "cpu/a", OK TIME(1998800, 2001200), "2.00 ms  +-0.06 %  ok\n" },
		{ "cpu/b", OK TIME(1998120, 2001880), "2.00 ms  +-0.09 %  ok\n" },
		{ "cpu/c", OK TIME(1998080, 2001920), "2.00 ms  +-0.1 %  ok\n" },
		{ "cpu/d", OK TIME(1801000, 2199000), "2.00 ms  +-9.9 %  ok\n" },
		{ "cpu/e", OK TIME(1798000, 2202000), "2.00 ms  +-10.1 % wide  ok\n" },
		{ "cpu/f", OK TIME(1600000, 2000000), "2.00 ms  +-10.0 %  ok\n" },
		{ "cuda/g", GPU("\"throttle\":[\"hw_thermal\"]"), "ok, throttled\n" },
		{ "cuda/h", GPU("\"throttle\":[\"idle\",\"hw_slowdown\"]"), "ok, throttled\n" },
		{ "cuda/i", GPU("\"throttled_samples\":1"), "ok, throttled\n" },
		{ "cuda/j", GPU("\"throttle\":[\"idle\"],\"throttled_samples\":0"), " %  ok\n" },
		{ "cuda/k", OK TIME(1999999, 2000001) ",\"upload\":3000,\"download\":4000000",
		  "2.00 ms  +-0.00 %  3.00 us   4.00 ms  ok\n" },
		{ "cpu/l", OK TIME(1999999, 2000001) ",\"upload\":3000,\"download\":4000000",
		  "2.00 ms  +-0.00 %  ok\n" },
		{ "cpu/m",
		  OK TIME(1999999, 2000001) ",\"work\":{\"bytes\":2000},\"copy_bytes_per_s\":1e7",
		  "2.00 ms  +-0.00 %  1.00 M     10 %  ok\n" },
		{ "cpu/n",
		  OK TIME(1999999, 2000001) ",\"work\":{\"bytes\":1980},\"copy_bytes_per_s\":1e7",
		  "2.00 ms  +-0.00 %  990 k    9.9 %  ok\n" },
		{ "cpu/q",
		  OK TIME(1999999, 2000001) ",\"work\":{\"bytes\":1990},\"copy_bytes_per_s\":1e7",
		  "2.00 ms  +-0.00 %  995 k     10 %  ok\n" },
		{ "cpu/r", OK TIME(1998100, 2001900), "2.00 ms  +-0.1 %  ok\n" },
		{ "cpu/o", OK "\"time\":{\"median\":2000000,\"samples\":[2000000]}",
		  "2.00 ms  ok\n" },
		{ "cpu/p", "\"status\":\"failed\"", "failed\n" },
	};

	for (size_t i = 0; i < GB_COUNT(cell); i++) {
		add_record(cell[i].variant, "\"n\":1", cell[i].members);
		expect_within(GB_FORMAT_TABLE, cell[i].wanted, true);
		release();
	}
}

/* The classes of cells, which have colours. */
Test(table, tints)
{
	static const struct {
		const char *members, *interval, *status;
	} row[] = {
		{ GPU("\"throttle\":[\"idle\"]"), "right\">\u00b10.00 %", "left\">ok" },
		{ GPU("\"throttled_samples\":1"), "right\">\u00b10.00 %",
		  "left warn\">ok, throttled" },
		{ OK TIME(1798000, 2202000), "right warn\">\u00b110.1 % wide", "left\">ok" },
		{ "\"status\":\"unverified\"," TIME(1999999, 2000001), "right\">\u00b10.00 %",
		  "left warn\">unverified" },
		{ "\"status\":\"failed\",\"reason\":\"no\"", "left\">cuda/a",
		  "left bad\">failed: no" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char text[100];

		add_record("cuda/a", "\"n\":1", row[i].members);
		expect_within(GB_FORMAT_HTML, row[i].interval, true);
		(void)snprintf(text, sizeof text, "<td class=\"%s</td></tr>\n", row[i].status);
		expect_within(GB_FORMAT_HTML, text, true);
		release();
	}
}

Test(table, control_characters_do_not_reach_the_terminal)
{
	add_record("cpu/b", "\"n\":1", "\"status\":\"failed\",\"reason\":\"\\u001b[31m\\n\"");
	expect_within(GB_FORMAT_TABLE, "failed: ?[31m?\n", true);
}

Test(table, utf8_only_if_the_locale_has_it)
{
	add_record("cpu/a", "\"n\":1", timed(2e3));
	expect_within(GB_FORMAT_TABLE, "2.00 us  +-1.0 %", true);
	expect_within(GB_FORMAT_TABLE, "\u00b5", false);
	cr_assert(setlocale(LC_CTYPE, "C.UTF-8") != NULL);
	expect_within(GB_FORMAT_TABLE, "2.00 us  \u00b11.0 %", true);
	(void)setlocale(LC_CTYPE, "C");
}

Test(table, colour_only_on_a_terminal)
{
	add_record("cpu/c", "\"n\":1", "\"status\":\"failed\",\"reason\":\"no\"");
	expect_within(GB_FORMAT_TABLE, "\033", false);
}
