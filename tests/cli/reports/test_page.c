/* test_page.c -- pages of records, and the names of runs in tables and pages. */
#include "cli/reports/pooled.h"
#include "tests/cli/reports/table_records.h"

TestSuite(page, .fini = release);

static void add_launch(const char *id, const char *commit, const char *started)
{
	char text[512];

	(void)snprintf(text, sizeof text,
		       "{\"type\":\"run\",\"schema\":2,\"run_id\":\"%s\",\"started\":\"%s\","
		       "\"tool\":{\"version\":\"1.2\",\"commit\":\"%s\",\"dirty\":false},"
		       "\"host\":{\"hostname\":\"box\",\"cpu\":\"Z80\",\"cores\":2},\"gpus\":[]}",
		       id, started, commit);
	add(text);
}

/* ---- names of runs ------------------------------------------------------------------------ */

static void add_failed(const char *run)
{
	char text[512];

	(void)snprintf(
		text, sizeof text,
		"{\"type\":\"record\",\"schema\":2,\"run_id\":\"%s\",\"bench\":\"toy\","
		"\"backend\":\"cpu\",\"variant\":\"best\",\"key\":\"k\",\"params\":{\"n\":1},"
		"\"status\":\"failed\",\"reason\":\"no\"}",
		run);
	add(text);
}

Test(page, runs_have_the_names_of_their_machines)
{
	add_run("a");
	add_record("cpu/best", "\"n\":1", timed(2e6));
	add("{\"type\":\"run\",\"schema\":2,\"run_id\":\"b\",\"started\":\"now\","
	    "\"tool\":{\"commit\":\"abc\"},\"host\":{\"cpu\":\"6502\"},"
	    "\"settings\":{\"device\":1},\"gpus\":[{\"id\":0,\"name\":\"A\"},"
	    "{\"id\":1,\"name\":\"Voodoo\"}]}");
	add_failed("b");
	expect_within(GB_FORMAT_TABLE, "Z80: gpubench 1.2", true);
	expect_within(GB_FORMAT_TABLE, "Voodoo: commit abc", true);
	expect_within(GB_FORMAT_TABLE, "\nZ80     cpu/best  2.00 ms", true);
	expect_within(GB_FORMAT_TABLE, "\nVoodoo  cpu/best  ", true);
}

Test(page, runs_of_one_machine_are_named_by_the_first_difference)
{
	add_run("a");
	add_record("cpu/best", "\"n\":1", timed(2e6));
	add("{\"type\":\"run\",\"schema\":2,\"run_id\":\"b\",\"started\":\"now\","
	    "\"tool\":{\"commit\":\"abd\"},\"host\":{\"hostname\":\"box\",\"cpu\":\"Z80\"}}");
	add_failed("b");
	expect_within(GB_FORMAT_TABLE, "abc: gpubench 1.2", true);
	expect_within(GB_FORMAT_TABLE, "\nabd  cpu/best  ", true);
}

Test(page, indistinguishable_runs_are_numbered)
{
	add_run("a");
	add_record("cpu/best", "\"n\":1", timed(2e6));
	add_run("b");
	add_failed("b");
	expect_within(GB_FORMAT_TABLE, "on box, 2 launches, then: Z80", true);
	expect_within(GB_FORMAT_TABLE, "\n#1   cpu/best  2.00 ms", true);
	expect_within(GB_FORMAT_TABLE, "\n#2   cpu/best  ", true);
}

Test(page, the_only_run_of_a_benchmark_has_no_name)
{
	add_run("a");
	add_run("b");
	add_failed("b");
	expect_within(GB_FORMAT_TABLE, "\nvariant", true);
}

Test(page, a_run_names_its_libraries)
{
	static const char *const members[] = { "\"library\":\"Toys 1.2\",", "",
					       "\"library\":\"Games 3\",",
					       "\"library\":\"Games 3\"," };
	char rest[1200];

	add_run("a");
	add_launch("b", "abd", "then");
	for (size_t i = 0; i < GB_COUNT(members); i++) {
		(void)snprintf(rest, sizeof rest, "%s%s", members[i], timed(2e6));
		add_record("cpu/best", "\"count\":1000", rest);
	}
	expect_within(GB_FORMAT_TABLE, "2 cores; peers: Toys 1.2, Games 3\nabd: ", true);
	expect_within(GB_FORMAT_TABLE, "2 cores; peers: Toys 1.2, Games 3\n\n", false);
}

/* Five launches of each of two builds, at two points.  "best" of the first is the fastest by a few
 * percent; a launch has no interval, so only all of them together tell. */
static void add_ten_launches(void)
{
	static const char *const commits[] = { "abc", "abd" };
	static const char *const variants[] = { "best", "slow" };
	char id[16], started[64], text[1024];

	for (int i = 0; i < 10; i++) {
		(void)snprintf(id, sizeof id, "r%d", i);
		(void)snprintf(started, sizeof started, "2026-01-0%dT00:00:00Z",
			       5 + (2 * i + 1) % 5);
		add_launch(id, commits[i / 5], started);
		for (int k = 0; k < 4; k++) {
			const int n = k / 2, slow = k % 2;
			const double ns = 1e6 * (1 + slow) * (1 + 0.01 * i + n);

			(void)snprintf(text, sizeof text,
				       "{\"type\":\"record\",\"schema\":2,\"run_id\":\"%s\","
				       "\"bench\":\"toy\",\"backend\":\"cpu\",\"variant\":\"%s\","
				       "\"key\":\"%s %d\",\"params\":{\"n\":%d},\"status\":\"ok\","
				       "\"verify\":{\"result\":\"pass\"},\"time\":{\"median\":%g,"
				       "\"samples\":[%g]}}",
				       id, variants[slow], variants[slow], n, n + 1, ns, ns);
			add(text);
		}
	}
}

Test(page, launches_of_one_build_share_a_line)
{
	add_ten_launches();
	expect_within(GB_FORMAT_MARKDOWN,
		      "- abc: gpubench 1.2, commit abc, on box, 5 launches, 2026-01-05T00:00:00Z "
		      "to 2026-01-09T00:00:00Z: Z80, 2 cores\n- abd: gpubench",
		      true);
	expect_within(GB_FORMAT_HTML,
		      "<summary>Z80, commit abd, 5 launches, 2026-01-05T00:00:00Z to "
		      "2026-01-09T00:00:00Z</summary>",
		      true);
}

Test(page, launches_must_be_pooled_to_name_the_fastest)
{
	struct gb_error err = { 0 };

	add_ten_launches();
	expect_within(GB_FORMAT_HTML, "Fastest", false);
	cr_assert_not(gb_pool_launches(&list, &err));
	expect_within(GB_FORMAT_HTML,
		      "<li><strong>toy</strong>: cpu/best on abc at 2 of 2 points, 1.0", true);
	expect_within(GB_FORMAT_HTML, "on 2026", false);
}

/* ---- pages -------------------------------------------------------------------------------- */

Test(page, a_page_names_the_fastest_and_draws_times)
{
	add_run("a");
	add_record("cpu/slow", "\"n\":1", timed(4e6));
	add_record("cpu/best", "\"n\":1", timed(2e6));
	add_record("cpu/slow", "\"n\":2", timed(1e6));
	add_record("cpu/best", "\"n\":2", timed(3e6));
	add_record("cpu/best", "\"n\":3", timed(9e6)); /* the only variant */
	add_record("cpu/slow", "\"n\":4", timed(1e6));
	add_record("cpu/best", "\"n\":4", timed(1.01e6));
	expect_within(GB_FORMAT_HTML, "<h1>gpubench, Z80</h1>", true);
	expect_within(
		GB_FORMAT_HTML,
		"<li><strong>toy</strong>: cpu/slow at 1 of 3 points, 3 times as fast as the next; "
		"cpu/best at 1 of 3 points, 2 times as fast as the next; unsure at 1 of 3 "
		"points</li>",
		true);
	expect_within(GB_FORMAT_HTML, "<title>n=2: 3.00 ms</title>", true);
}

Test(page, a_benchmark_without_a_fastest_variant_has_a_line)
{
	add_run("a");
	add_record("cpu/slow", "\"n\":1", timed(1e6));
	add_record("cpu/best", "\"n\":1", timed(1.01e6));
	expect_within(GB_FORMAT_HTML, "<li><strong>toy</strong>: unsure at 1 of 1 point</li>",
		      true);
}

/* Each launch is a line of its own in a chart; a time that is not verified wins nothing. */
Test(page, lines_of_two_launches)
{
	char text[400];

	add_run("a");
	add_launch("b", "abd", "then");
	for (int n = 1; n <= 3; n++)
		for (int side = 0; side < 2; side++) {
			(void)snprintf(text, sizeof text,
				       "{\"type\":\"record\",\"schema\":2,\"run_id\":\"%s\","
				       "\"bench\":\"toy\",\"backend\":\"cpu\",\"variant\":\"best\","
				       "\"key\":\"k%d\",\"params\":{\"n\":%d},\"status\":\"%s\","
				       "\"verify\":{\"result\":\"%s\"},\"time\":{\"median\":%d,"
				       "\"ci95\":[%d,%d],\"samples\":[%d]}}",
				       side ? "b" : "a", n, n, side ? "unverified" : "ok",
				       side ? "skipped" : "pass", n, n, n, n);
			add(text);
		}
	expect_within(GB_FORMAT_HTML, "> cpu/best, abc</li>", true);
	expect_within(GB_FORMAT_HTML, "> cpu/best, abd</li>", true);
	expect_within(GB_FORMAT_HTML, "<strong>toy</strong>: unsure at 3 of 3 points</li>", true);
}

/* A single heading is above the lines of all benchmarks. */
Test(page, the_fastest_of_two_benchmarks)
{
	char text[1400];

	add_run("a");
	add_record("cpu/best", "\"n\":1", timed(2e6));
	add_record("cpu/slow", "\"n\":1", timed(4e6));
	for (int i = 1; i <= 2; i++) {
		(void)snprintf(text, sizeof text,
			       "{\"type\":\"record\",\"schema\":2,\"run_id\":\"a\","
			       "\"bench\":\"game\",\"backend\":\"cpu\",\"variant\":\"v%d\","
			       "\"key\":\"g\",\"params\":{\"n\":1},%s}",
			       i, timed(i * 1e6));
		add(text);
	}
	expect_within(GB_FORMAT_HTML,
		      "<h2>Fastest</h2>\n<ul>\n<li><strong>toy</strong>: cpu/best at 1 of 1 "
		      "point, 2 times as fast as the next</li>\n<li><strong>game</strong>",
		      true);
}

#define WINS(variant) "cpu/" variant " at 1 of 6 points, 2 times as fast as the next"
Test(page, four_winners_are_named_and_the_others_counted)
{
	char variant[24], params[24];

	add_run("a");
	for (int n = 1; n <= 6; n++) {
		(void)snprintf(params, sizeof params, "\"n\":%d", n);
		(void)snprintf(variant, sizeof variant, "cpu/v%d", n);
		add_record(variant, params, timed(1e6));
		add_record("cpu/slow", params, timed(2e6));
		if (n == 4)
			expect_within(GB_FORMAT_HTML,
				      "cpu/v4 at 1 of 4 points, 2 times as fast as the next</li>",
				      true);
		if (n == 5)
			expect_within(GB_FORMAT_HTML,
				      "next; 1 other variant at the remaining points</li>", true);
	}
	expect_within(GB_FORMAT_HTML,
		      "<strong>toy</strong>: " WINS("v1") "; " WINS("v2") "; " WINS("v3") "; " WINS(
			      "v4") "; 2 other variants at the remaining points</li>",
		      true);
	/* More wins come first, and with as many the larger. */
	for (int n = 1; n <= 3; n++) {
		(void)snprintf(params, sizeof params, "\"n\":%d", 6 + n);
		add_record(n < 3 ? "cpu/v6" : "cpu/v9", params, timed(1e6));
		add_record("cpu/slow", params, timed(n * 1.5e6));
	}
	expect_within(GB_FORMAT_HTML,
		      "<strong>toy</strong>: cpu/v6 at 3 of 9 points, 1.5 to 3 times as fast as "
		      "the next; cpu/v9 at 1 of 9 points, 4.5 times as fast as the next; cpu/v1 at",
		      true);
}

/* The x axis is the first parameter with the most values, at least three. */
Test(page, the_x_axis)
{
	char params[32];

	add_run("a");
	for (int n = 1; n <= 3; n++)
		for (int m = 1; m <= 3; m++) {
			(void)snprintf(params, sizeof params, "\"n\":%d,\"m\":%d", n, m);
			add_record("cpu/best", params, timed(1e6 * n * m));
			if (n == 1 && m == 2)
				expect_within(GB_FORMAT_HTML, "<figure>", false);
			if (n == 1 && m == 3)
				expect_within(GB_FORMAT_HTML, "time over m\"", true);
		}
	expect_within(GB_FORMAT_HTML, "time over n, m=1\"", true);
	expect_within(GB_FORMAT_HTML, "time over m", false);
}

Test(page, only_times_on_hardware_are_drawn)
{
	add_run("a");
	add_record("cuda/best", "\"n\":1",
		   "\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},"
		   "\"emulated\":true,\"time\":{\"median\":1000,\"samples\":["
		   "1000]}");
	add_failed("a");
	expect_within(GB_FORMAT_HTML, "<svg", false);
	expect_within(GB_FORMAT_HTML, "Fastest", false);
	expect_within(GB_FORMAT_HTML, ">failed: no</td>", true);
}

/* The axes are logarithmic, so neither 0 nor a row without a time has a place. */
Test(page, a_line_has_a_point_per_time)
{
	static const char *const wanted[] = { "<title>n=1: 1.00 ms</title>",
					      "<title>n=2: 2.00 ms</title>",
					      "<title>n=4: 4.00 ms</title>",
					      "<li>",
					      "cpu/best</li>",
					      "<title>n=6: 5.00 ns</title>",
					      "time over n" };
	char params[24];

	add_run("a");
	for (int n = 0; n <= 4; n++) {
		(void)snprintf(params, sizeof params, "\"n\":%d", n);
		add_record("cpu/best", params, n == 3 ? skipped("no") : timed(1e6 * (n ? n : 9)));
	}
	add_record("cpu/best", "\"n\":5",
		   "\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},\"time\":{\"median\":5,"
		   "\"ci95\":[0,9],\"samples\":[5]}");
	add_record("cpu/best", "\"n\":6",
		   "\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},\"time\":{\"median\":5,"
		   "\"ci95\":[0.5,9],\"samples\":[5]}");
	for (size_t i = 0; i < GB_COUNT(wanted); i++)
		expect_within(GB_FORMAT_HTML, wanted[i], true);
	expect_within(GB_FORMAT_HTML, "<title>n=0:", false);
	expect_within(GB_FORMAT_HTML, "<title>n=5:", false);
	expect_within(GB_FORMAT_HTML, "nan", false);
	expect_within(GB_FORMAT_HTML, "inf", false);
}

Test(page, a_picture_states_how_many_rows_it_omits)
{
	char variant[24], params[24];

	add_run("a");
	for (int n = 1; n <= 3; n++)
		for (int v = 0; v < 18; v++) {
			(void)snprintf(variant, sizeof variant, "cpu/v%d", v);
			(void)snprintf(params, sizeof params, "\"n\":%d", n);
			add_record(variant, params, timed(1e6 * (v + n)));
		}
	expect_within(GB_FORMAT_HTML, "cpu/v15</li>", true);
	expect_within(GB_FORMAT_HTML, "cpu/v16</li>", false);
	expect_within(GB_FORMAT_HTML, "6 more rows are in the table only.", true);
}

/* A chart has the other point parameters of the first row, and a line for each variant and each value
 * of the parameters that only some variants have.  The order of the parameters does not matter. */
Test(page, a_chart_of_several_parameters)
{
	static const char *const wanted[] = {
		"=\"time over n, type=1, size=64\"",
		"> cpu/best threads=1</li>",
		"> cpu/best threads=2</li>",
		"> cpu/slow</li>",
	};
	enum { N, TYPE, SIZE, THREADS, PARAMS };
	static const int orders[][PARAMS] = { { N, TYPE, SIZE, THREADS },
					      { TYPE, N, SIZE, THREADS },
					      { THREADS, N, TYPE, SIZE } };

	for (size_t order = 0; order < GB_COUNT(orders); order++) {
		add_run("a");
		for (int i = 0; i < 2 * 3 * 3; i++) {
			const int type = 1 + i / 9, n = 1 + 30 * (i / 3 % 3), threads = (i + 1) % 3;
			char param[PARAMS][20], params[80] = "";

			(void)snprintf(param[N], sizeof *param, "\"n\":%d", n);
			(void)snprintf(param[TYPE], sizeof *param, "\"type\":\"%d\"", type);
			(void)snprintf(param[SIZE], sizeof *param, "\"size\":%d", 64 + (type == 2));
			(void)snprintf(param[THREADS], sizeof *param, "\"threads\":%d", threads);
			for (size_t k = 0; k < PARAMS; k++)
				if (threads || orders[order][k] != THREADS)
					gb_text_append(params, sizeof params, "%s%s",
						       params[0] ? "," : "",
						       param[orders[order][k]]);
			add_record(threads ? "cpu/best" : "cpu/slow", params,
				   timed(threads ? 1e6 * threads : 9e6));
		}
		for (size_t i = 0; i < GB_COUNT(wanted); i++)
			expect_within(GB_FORMAT_HTML, wanted[i], true);
		expect_within(GB_FORMAT_HTML, "type=2, size", false);
		release();
	}
}

/* The title of a page names up to three machines. */
Test(page, title)
{
	static const char *const title[] = { "<title>gpubench, A</title>",
					     "<title>gpubench, A, B</title>",
					     "<title>gpubench, A, B, C</title>",
					     "<title>gpubench, A, B, C and others</title>",
					     "<title>gpubench, A, B, C and others</title>" };

	for (int i = 0; i < 10; i++) {
		char text[200];

		(void)snprintf(text, sizeof text,
			       "{\"type\":\"run\",\"schema\":2,\"run_id\":\"%d\",\"host\":{\"cpu\":"
			       "\"%c\"}}",
			       i, 'A' + i / 2);
		add(text);
		expect_within(GB_FORMAT_HTML, title[i / 2], true);
	}
}
