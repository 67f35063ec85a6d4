/* test_formats.c -- Markdown, CSV and documents, files that cannot be written, and the command. */
#include "cli/reports/counts.h"
#include "tests/cli/reports/table_records.h"

TestSuite(formats, .fini = release);

static ssize_t fail_once(void *failed, const char *text, size_t size)
{
	bool *has_failed = failed;

	(void)text;
	if (*has_failed)
		return (ssize_t)size;
	*has_failed = true;
	return 0;
}

/* Only the first of several writes fails. */
Test(formats, a_write_that_fails)
{
	static const enum gb_format format[] = { GB_FORMAT_TABLE, GB_FORMAT_CSV, GB_FORMAT_JSON };

	for (int i = 0; i < 100; i++)
		add_record("cpu/a", "\"n\":1", timed(2e3));
	for (size_t i = 0; i < GB_COUNT(format); i++) {
		bool failed = false;
		FILE *file =
			fopencookie(&failed, "w", (cookie_io_functions_t){ .write = fail_once });
		struct gb_error err = { 0 };

		cr_expect_eq(gb_table_print(file, &list, format[i], false, &err), GB_EIO);
		cr_expect(failed);
		(void)fclose(file);
	}
}

Test(formats, markdown)
{
	add_run("a");
	add_record("cpu/a_b", "\"n\":1", timed(2e6));
	add_record("cpu/c", "\"n\":1", timed(3e6));
	add_record("cpu/d", "\"n\":1", "\"status\":\"failed\",\"reason\":\"a|b\"");
	add_record("cuda/e", "\"n\":1", skipped("no driver"));
	expect(GB_FORMAT_MARKDOWN,
	       "gpubench 1.2, commit abc, on box, then: Z80, 2 cores\n"
	       "\n"
	       "## toy\n"
	       "\n"
	       "n=1\n"
	       "\n"
	       "| variant | time | 95 % | keys/s | B/s | of copy | status |\n"
	       "| :--- | ---: | ---: | ---: | ---: | ---: | :--- |\n"
	       "| cpu/a\\_b | **2.00 ms** | \u00b11.0 % | 500 k | 4.00 M | 25 % | ok |\n"
	       "| cpu/c | 3.00 ms | \u00b11.0 % | 333 k | 2.67 M | 25 % | ok |\n"
	       "| cpu/d |  |  |  |  |  | **failed: a\\|b** |\n"
	       "\n"
	       "- skipped: cuda/e: no driver\n");
}

Test(formats, csv_quotes_and_line_ends_follow_rfc_4180)
{
	char *text;

	add_run("a");
	add_record("cpu/a", "\"n\":1000000,\"x\":0.1,\"file\":\"a,b\\\"c\"", timed(2.5e6));
	add_record("cpu/b", "\"n\":1", "\"status\":\"failed\",\"reason\":\"two\\nlines\"");
	expect_within(GB_FORMAT_CSV, ",\"a,b\"\"c\"\r\n", true);
	expect_within(GB_FORMAT_CSV, ",\"two\nlines\",", true);
	expect_within(GB_FORMAT_CSV, ",2500000,2475000,2525000,", true);
	expect_within(GB_FORMAT_CSV, ",1000000,0.1,", true);
	add_record("cpu/a", "\"n\":1,\"x\":1,\"file\":\"h\xc3\xa9\xe2\x82\xac\"", timed(1e6));
	expect_within(GB_FORMAT_CSV, ",h\xc3\xa9\xe2\x82\xac\r\n", true);
	text = printed(GB_FORMAT_CSV);
	cr_expect(strncmp(text, "run_id,seq,bench,", 17) == 0);
	cr_expect(strstr(text, ",param_n,param_x,param_file\r\n"));
	free(text);
}

/* The number of fields of a line; quotes are honoured. */
static size_t count_fields(const char **at)
{
	size_t count = 1;
	bool quoted = false;

	for (; **at && (quoted || **at != '\r'); (*at)++) {
		quoted ^= **at == '"';
		count += !quoted && **at == ',';
	}
	*at += 2;
	return count;
}

Test(formats, csv_rows_have_as_many_fields_as_the_title)
{
	const char *at;
	char *text;
	size_t fields;

	add_record("cpu/a", "\"n\":1", timed(2e6));
	add_record("cpu/b", "\"m\":2,\"file\":\"a,b\"", skipped("x, y"));
	at = text = printed(GB_FORMAT_CSV);
	fields = count_fields(&at);
	cr_expect_eq(count_fields(&at), fields);
	cr_expect_eq(count_fields(&at), fields);
	cr_expect_eq(*at, '\0');
	free(text);
}

Test(formats, a_document_holds_every_line)
{
	cJSON *document, *run, *record;
	char *text;

	expect(GB_FORMAT_JSON, "[]\n");
	add_run("a");
	add_record("cpu/a", "\"n\":1", timed(2e6));
	text = printed(GB_FORMAT_JSON);
	document = cJSON_Parse(text);
	cr_assert_eq(cJSON_GetArraySize(document), 2);
	run = gb_run_format(list.run[0]);
	record = gb_record_format(list.record[0]);
	cr_expect(cJSON_Compare(document->child, run, 1));
	cr_expect(cJSON_Compare(document->child->next, record, 1));
	cJSON_Delete(run);
	cJSON_Delete(record);
	cJSON_Delete(document);
	free(text);
}

Test(formats, a_full_disk_is_reported)
{
	add_record("cpu/a", "\"n\":1", timed(2e6));
	for (int format = GB_FORMAT_TABLE; format < GB_FORMATS; format++) {
		struct gb_error err = { 0 };
		FILE *full = fopen("/dev/full", "w");

		if (!full)
			cr_skip_test("no /dev/full");
		cr_expect_eq(gb_table_print(full, &list, (enum gb_format)format, false, &err),
			     GB_EIO, "%s", gb_formats[format]);
		(void)fclose(full);
	}
}

/* A profiler's first page: one row for the record, and one per kernel. */
Test(formats, counts_are_shown_on_request)
{
	struct gb_error err = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	static const char counts[] =
		"\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},"
		"\"emulated\":true,\"counts\":{\"launches\":3,\"warp_"
		"instructions\":2000,"
		"\"active_lanes\":32000,\"branches\":100,\"divergent\":25,\"barriers\":7,\"chain\":"
		"4,"
		"\"global_load\":{\"sectors\":100,\"least\":50},\"global_store\":{\"sectors\":8,"
		"\"least\":7},"
		"\"global_atomic\":{\"sectors\":2,\"least\":2,\"turns\":5},"
		"\"shared_load\":{\"wavefronts\":30,\"least\":15},\"shared_store\":{\"wavefronts\":"
		"0,\"least\":0},"
		"\"shared_atomic\":{\"wavefronts\":10,\"least\":5},\"copied_bytes\":{\"to_device\":"
		"1000,"
		"\"to_host\":0,\"on_device\":0,\"set\":500},\"kernels\":["
		"{\"kernel\":\"void a::scan<int (*)(), 4>(int*)\",\"launches\":2},"
		"{\"kernel\":\"copy(int*)\",\"launches\":1,\"warp_instructions\":0}]}";

	static const char single[] =
		"\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},\"emulated\":true,\"counts\":{"
		"\"launches\":1,\"warp_instructions\":20000,\"active_lanes\":199800,"
		"\"branches\":2000,\"divergent\":199,\"barriers\":10000,\"chain\":9999,"
		"\"global_load\":{\"sectors\":1000,\"least\":99},"
		"\"global_store\":{\"sectors\":300,\"least\":299},\"global_atomic\":{\"turns\":16},"
		"\"shared_load\":{\"wavefronts\":1,\"least\":1},"
		"\"shared_store\":{\"wavefronts\":2,\"least\":1},"
		"\"shared_atomic\":{\"wavefronts\":4,\"least\":1},"
		"\"copied_bytes\":{\"to_device\":1,\"to_host\":2,\"on_device\":4,\"set\":8},"
		"\"kernels\":[{\"kernel\":\"k\",\"launches\":1}]}";

	add_record("cuda/a", "\"n\":1,\"seed\":5", counts);
	add_record("cuda/b", "\"n\":2,\"seed\":5", single);
	expect_within(GB_FORMAT_TABLE, "warp instr", false);
	cr_assert_eq(gb_table_print(file, &list, GB_FORMAT_TABLE, true, &err), GB_OK);
	(void)fclose(file);
	cr_expect_str_eq(
		text,
		"toy: seed=5\n"
		"\n"
		"n  variant      time  status\n"
		"1  cuda/a   emulated  ok\n"
		"2  cuda/b   emulated  ok\n"
		"\n"
		"counts of one run\n"
		"\n"
		"n  variant  kernel              launches  warp instr  lanes  diverge  barriers  "
		"read B  least  written B  least  shared  least  atomic  chain  copied B\n"
		"1  a                                   3        2000   16.0     25 %         7  "
		"  3200   50 %        320   90 %      40   50 %      15      4      1500\n"
		"            scan<int (*)(), 4>         2\n"
		"            copy                       1\n"
		"2  b                                   1      20.0 k   10.0     10 %    10.0 k  "
		"32.0 k  9.9 %       9600  100 %       7   43 %      20   9999        15\n");
	free(text);
	expect_within(GB_FORMAT_HTML, "counts of one run", true);
}

Test(formats, names_of_kernels)
{
#define N50 "k234567890k234567890k234567890k234567890k234567890"
	static const char *const row[][2] = {
		{ "", "" },
		{ "k", "k" },
		{ "k(int)", "k" },
		{ "void k<4>(int*)", "k<4>" },
		{ "a::b::k", "k" },
		{ "void a::scan<int (*)(), b<c> >(int (*)())", "scan<int (*)(), b<c> >" },
		{ "void " N50 "(int)", N50 },
		{ N50 "1", N50 "..." },
	};
	char text[GB_KERNEL_TEXT];

	for (size_t i = 0; i < GB_COUNT(row); i++)
		cr_expect_str_eq(gb_kernel_text(row[i][0], text), row[i][1]);
}

/* ---- the command ------------------------------------------------------------------------- */

static enum gb_status report(struct gb_error *err, const char *a, const char *b, const char *c)
{
	char name[] = "report", first[64], second[64], third[64];
	char *argv[] = { name, first, second, third, NULL };
	const int argc = c ? 4 : b ? 3 : a ? 2 : 1;

	(void)snprintf(first, sizeof first, "%s", a ? a : "");
	(void)snprintf(second, sizeof second, "%s", b ? b : "");
	(void)snprintf(third, sizeof third, "%s", c ? c : "");
	argv[argc] = NULL;
	return gb_cmd_report(argc, argv, err);
}

static void expect_usage(const char *a, const char *b, const char *wanted)
{
	struct gb_error err = { 0 };

	cr_expect_eq(report(&err, a, b, NULL), GB_EUSAGE);
	cr_expect(strstr(err.message, wanted), "%s", err.message);
}

Test(report, bad_command_lines_give_one_line)
{
	expect_usage(NULL, NULL, "needs a FILE");
	expect_usage("--format=xml", "x", "--format=xml: not one of table|");
	expect_usage("--nonsense", NULL, "no option --nonsense");
	expect_usage("x", "--format", "needs a value");
	expect_usage("/nonexistent.jsonl", NULL, "/nonexistent.jsonl: cannot open");
}
