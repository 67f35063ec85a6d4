/* test_peers.c -- places where a peer is ahead: all of them are listed, and no others. */
#include <math.h>

#include "cli/reports/versus/peers.h"
#include "tests/cli/reports/table_records.h"

TestSuite(peers, .fini = release);

/* Add a record of either side at n; 0 threads: none, as on a GPU. */
static void add_side(const char *variant, bool peer, int n, int threads, double ns)
{
	char params[64], rest[1200];

	(void)snprintf(params, sizeof params, "\"n\":%d", n);
	(void)snprintf(rest, sizeof rest, "\"peer\":%s,\"threads\":%d,%s", peer ? "true" : "false",
		       threads, timed(ns));
	add_record(variant, params, rest);
}

static void expect_text(const char *wanted)
{
	char *text = NULL;
	size_t size = 0;
	struct gb_error err = { 0 };
	FILE *file = open_memstream(&text, &size);

	cr_assert_eq(gb_peers_print(file, &list, GB_FORMAT_MARKDOWN, &err), GB_OK, "%s",
		     err.message);
	(void)fclose(file);
	cr_expect_str_eq(text, wanted, "\n%s\ninstead of\n%s", text, wanted);
	free(text);
}

/* Programs get the sums in numbers. */
Test(peers, sums)
{
	static const char *const members[] = { "places", "alone",  "slower",     "unsure",
					       "faster", "failed", "unverified", "mean" };
	const double wanted[] = { 2, 1, 0, 0, 2, 0, 0, 2 * sqrt(2) };
	char *text = NULL;
	size_t size = 0;
	struct gb_error err = { 0 };
	FILE *file = open_memstream(&text, &size);
	cJSON *document;

	add_side("cpu/best", false, 1, 1, 1e3);
	add_side("cpu/lib", true, 1, 1, 2e3);
	add_side("cpu/best", false, 2, 1, 1e3);
	add_side("cpu/lib", true, 2, 1, 4e3);
	add_side("cpu/best", false, 3, 1, 1e3);
	cr_assert_eq(gb_peers_print(file, &list, GB_FORMAT_JSON, &err), GB_OK);
	(void)fclose(file);
	document = cJSON_Parse(text);
	for (size_t i = 0; i < GB_COUNT(members); i++)
		cr_expect_float_eq(
			gb_json_number(gb_json_at(document, "benchmarks")->child, members[i]),
			wanted[i], 1e-12, "%s", members[i]);
	cJSON_Delete(document);
	free(text);
}

Test(peers, no_records)
{
	expect_text("");
}

/* Ahead at n = 1 and 4, behind at 2, equal within tolerance at 3, alone at 5. */
Test(peers, only_places_where_one_is_ahead)
{
	add_side("cpu/slow", false, 1, 1, 9e3);
	add_side("cpu/best", false, 1, 1, 1e3);
	add_side("cpu/lib", true, 1, 1, 2e3);
	add_side("cpu/slow", false, 2, 1, 9e3);
	add_side("cpu/best", false, 2, 1, 3e3);
	add_side("cpu/lib", true, 2, 1, 2e3);
	add_side("cpu/other", true, 2, 1, 8e3);
	add_side("cpu/best", false, 3, 1, 1.02e3);
	add_side("cpu/lib", true, 3, 1, 1e3);
	add_side("cpu/best", false, 4, 1, 1e3);
	add_side("cpu/lib", true, 4, 1, 4e3);
	add_side("cpu/lib", true, 5, 1, 1e3);
	expect_text(
		"## toy\n\n"
		"4 places: ours is slower at 1, unsure at 1, "
		"faster at 2, by a geometric mean of 2.83 (2.00 to 4.00).\n"
		"\n"
		"| n | threads | peer | time | ours | time | ours is slower | 95 % |\n"
		"| ---: | ---: | :--- | ---: | :--- | ---: | ---: | ---: |\n"
		"| 2 | 1 | cpu/lib | 2.00 us | cpu/best | 3.00 us | 1.50 times | 1.47 to 1.53 |\n");
}

/* A peer on one thread is not compared with our variant on two.  A GPU is a separate place. */
Test(peers, threads_and_back_ends_are_places)
{
	add_side("cpu/best", false, 1, 1, 3e3);
	add_side("cpu/best", false, 1, 2, 1.5e3);
	add_side("cpu/lib", true, 1, 1, 2e3);
	add_side("cuda/best", false, 1, 0, 100);
	add_side("cuda/lib", true, 1, 0, 50);
	expect_text("## toy\n\n"
		    "2 places: ours is slower at 2, unsure at 0, faster at 0.\n"
		    "\n"
		    "| threads | peer | time | ours | time | ours is slower | 95 % |\n"
		    "| ---: | :--- | ---: | :--- | ---: | ---: | ---: |\n"
		    "| 1 | cpu/lib | 2.00 us | cpu/best | 3.00 us | 1.50 times | 1.47 to 1.53 |\n"
		    "|  | cuda/lib | 50.0 ns | cuda/best | 100 ns | 2.00 times | 1.96 to 2.04 |\n");
}

/* The first of equal times counts. */
Test(peers, ties)
{
	add_side("cpu/best", false, 1, 1, 3e3);
	add_side("cpu/same", false, 1, 1, 3e3);
	add_side("cpu/lib", true, 1, 1, 2e3);
	add_side("cpu/other", true, 1, 1, 2e3);
	expect_text("## toy\n\n"
		    "1 place: ours is slower at 1, unsure at 0, faster at 0.\n"
		    "\n"
		    "| threads | peer | time | ours | time | ours is slower | 95 % |\n"
		    "| ---: | :--- | ---: | :--- | ---: | ---: | ---: |\n"
		    "| 1 | cpu/lib | 2.00 us | cpu/best | 3.00 us | 1.50 times | 1.47 to 1.53 |\n");
}

/* Memory is shown if it is known and large enough to be exact.  The items are 1000. */
Test(peers, memory_per_item)
{
	static const struct {
		const char *variant;
		int n, bytes;
		double ns;
	} side[] = {
		{ "best", 1, 4000000, 1e3 }, { "lib", 1, 2000000, 4e3 }, /* faster, but larger */
		{ "best", 2, 5500000, 3e3 }, { "lib", 2, 2500000, 2e3 }, /* neither */
		{ "best", 3, 5500000, 1e3 }, { "lib", 3, 5000000, 2e3 }, /* as large as at 2 */
		{ "best", 4, 3000000, 3e3 }, { "lib", 4, 1000000, 2e3 }, /* too little to know */
		{ "best", 5, 1048576, 3e3 }, { "lib", 5, 1048576, 2e3 }, /* just enough */
	};

	for (size_t i = 0; i < GB_COUNT(side); i++) {
		char variant[16], params[16], rest[1200];

		(void)snprintf(variant, sizeof variant, "cpu/%s", side[i].variant);
		(void)snprintf(params, sizeof params, "\"n\":%d", side[i].n);
		(void)snprintf(rest, sizeof rest,
			       "\"peer\":%s,\"threads\":1,\"memory\":{\"host_bytes\":0,"
			       "\"device_bytes\":0,\"resident_bytes\":%d},%s",
			       i % 2 ? "true" : "false", side[i].bytes, timed(side[i].ns));
		add_record(variant, params, rest);
	}
	expect_text("## toy\n\n"
		    "5 places: ours is slower at 3, unsure at 0, faster at 2, "
		    "by a geometric mean of 2.83 (2.00 to 4.00); "
		    "5500.0 B/item at the largest, the peer 2500.0; "
		    "it takes more memory at 2, up to 2.20 times as much.\n"
		    "\n"
		    "| n | threads | peer | time | B/item | ours | time | B/item | "
		    "ours is slower | 95 % |\n"
		    "| ---: | ---: | :--- | ---: | ---: | :--- | ---: | ---: | ---: | ---: |\n"
		    "| 2 | 1 | cpu/lib | 2.00 us | 2500.0 | cpu/best | 3.00 us | 5500.0 | "
		    "1.50 times | 1.47 to 1.53 |\n"
		    "| 4 | 1 | cpu/lib | 2.00 us |  | cpu/best | 3.00 us | 3000.0 | "
		    "1.50 times | 1.47 to 1.53 |\n"
		    "| 5 | 1 | cpu/lib | 2.00 us | 1048.6 | cpu/best | 3.00 us | 1048.6 | "
		    "1.50 times | 1.47 to 1.53 |\n");
}

/* Wrong, emulated and unverified results have no time. */
Test(peers, no_time_without_a_correct_result)
{
	add_side("cpu/best", false, 1, 1, 3e3);
	add_record("cpu/lib", "\"n\":1",
		   "\"peer\":true,\"threads\":1,\"status\":\"failed\",\"reason\":\"wrong\"");
	add_record("cpu/fast", "\"n\":1",
		   "\"peer\":true,\"threads\":1,\"status\":\"unverified\",\"reason\":null,"
		   "\"verify\":{\"result\":\"skipped\"},\"time\":{\"median\":1,\"samples\":[1]}");
	add_record("cuda/lib", "\"n\":1",
		   "\"peer\":true,\"threads\":0,\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},"
		   "\"emulated\":true,"
		   "\"time\":{\"median\":1,\"samples\":[1]}");
	expect_text("## toy\n\n"
		    "0 places: ours is slower at 0, unsure at 0, "
		    "faster at 0; 1 failed; 1 unverified.\n");
}
