/* test_lines.c -- reading record files: whole, truncated, damaged, or of another format. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/records/json.h"
#include "common/text.h"
#include "tests/line_of.h"

#define RUN "{\"type\":\"run\",\"schema\":2,\"run_id\":\"a\"}"
#define RECORD_MEMBERS                                                                             \
	"\"type\":\"record\",\"schema\":2,\"run_id\":\"a\",\"bench\":\"toy\",\"backend\":\"cpu\"," \
	"\"variant\":\"v\",\"key\":\"k\",\"params\":{\"n\":1},\"status\":\"ok\","                  \
	"\"verify\":{\"result\":\"pass\"}}"
#define RECORD        "{" RECORD_MEMBERS
#define NUMBERED(seq) "{\"seq\":" seq "," RECORD_MEMBERS "\n"

static char path[] = "/tmp/gpubench-record-XXXXXX";

static void put_file(const char *text, size_t size)
{
	const int descriptor = mkstemp(path);

	cr_assert_geq(descriptor, 0);
	cr_assert_eq(write(descriptor, text, size), (ssize_t)size);
	(void)close(descriptor);
}

static enum gb_status read_text(const char *text, size_t size, struct gb_records *list,
				struct gb_error *err)
{
	enum gb_status status;

	(void)snprintf(path, sizeof path, "/tmp/gpubench-record-XXXXXX");
	put_file(text, size);
	status = gb_records_read(path, list, err);
	(void)unlink(path);
	return status;
}

static void expect_read(const char *text, size_t runs, size_t records)
{
	struct gb_records list = { 0 };
	struct gb_error err = { 0 };

	cr_expect_eq(read_text(text, strlen(text), &list, &err), GB_OK, "%s: %s", text,
		     err.message);
	cr_expect_eq(list.context_count, runs, "%s: %zu runs", text, list.context_count);
	cr_expect_eq(list.count, records, "%s: %zu records", text, list.count);
	cr_expect_not(list.truncated, "%s", text);
	gb_records_release(&list);
}

static void expect_refused(const char *text, size_t size, const char *where)
{
	struct gb_records list = { 0 };
	struct gb_error err = { 0 };
	char wanted[128];

	cr_expect_eq(read_text(text, size, &list, &err), GB_EUSAGE, "accepted: %s", text);
	(void)snprintf(wanted, sizeof wanted, "%s:%s", path, where);
	cr_expect(strncmp(err.message, wanted, strlen(wanted)) == 0, "%s", err.message);
	gb_records_release(&list);
}

#define RUN_B "{\"type\":\"run\",\"schema\":2,\"run_id\":\"b\"}"
#define RECORD_B                                                                          \
	"{\"type\":\"record\",\"schema\":2,\"run_id\":\"b\",\"seq\":7,\"bench\":\"toy\"," \
	"\"backend\":\"cpu\",\"variant\":\"v\",\"key\":\"k\",\"params\":{\"n\":1},"       \
	"\"status\":\"ok\",\"verify\":{\"result\":\"pass\"}}"

/* Records come before the next run, those of an unknown run where they are, as in the file. */
Test(lines, are_printed_in_their_order)
{
	static const char *const order[] = {
		RUN "\n" RECORD "\n" RUN_B "\n" RECORD_B "\n",
		RUN "\n" RUN_B "\n" RECORD_B "\n",
		RECORD_B "\n" RECORD "\n",
		RUN "\n",
	};

	for (size_t i = 0; i < GB_COUNT(order); i++) {
		struct gb_records list = { 0 };
		struct gb_error err = { 0 };
		char *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		cr_assert_eq(read_text(order[i], strlen(order[i]), &list, &err), GB_OK, "%s",
			     err.message);
		gb_records_print(file, &list);
		(void)fclose(file);
		cr_expect_str_eq(text, order[i]);
		free(text);
		gb_records_release(&list);
	}
}

Test(lines, whole_files_are_read)
{
	expect_read(RUN "\n" RECORD "\n", 1, 1);
	expect_read(RUN "\n" RECORD, 1, 1);
	expect_read(RUN "\r\n\r\n  \n" RECORD "\r\n", 1, 1);
	expect_read("[\n" RUN ",\n" RECORD "\n]\n", 1, 1);
	expect_read("  [" RUN "]", 1, 0);
}

/* If an id occurs twice, a record belongs to the run before it. */
Test(lines, records_belong_to_the_nearest_run)
{
	static const char text[] = RUN "\n" RECORD "\n" RUN "\n" RECORD "\n";
	struct gb_records list = { 0 };
	struct gb_error err = { 0 };

	cr_assert_not(read_text(text, strlen(text), &list, &err), "%s", err.message);
	cr_assert_eq(list.count, 2);
	cr_expect_eq(list.record[0]->context, list.context[0]);
	cr_expect_eq(list.record[1]->context, list.context[1]);
	cr_expect_eq(list.last_context_bytes, strlen(RUN "\n" RECORD "\n"));
	gb_records_remove_context(&list, 0);
	cr_assert_eq(list.count, 1);
	cr_expect_eq(list.record[0]->context, list.context[0]);
	gb_records_release(&list);
}

Test(lines, a_killed_run_loses_only_its_last_line)
{
	static const char whole[] = RUN "\n" RECORD "\n" RECORD;
	const size_t two = strlen(RUN "\n" RECORD "\n");

	for (size_t size = two; size < sizeof whole - 1; size++) {
		struct gb_records list = { 0 };
		struct gb_error err = { 0 };

		cr_assert_eq(read_text(whole, size, &list, &err), GB_OK, "%s", err.message);
		cr_assert_eq(list.count, 1);
		cr_assert_eq(list.context_count, 1);
		cr_assert_eq(list.record[0]->context, list.context[0]);
		cr_assert_eq(list.truncated, size > two);
		cr_assert_eq(list.complete_bytes, two);
		gb_records_release(&list);
	}
}

Test(lines, other_files_are_refused)
{
	static const struct {
		const char *text, *where;
	} row[] = {
		{ "", " there are no records" },
		{ "\n\n", " there are no records" },
		{ "{\"ty", " there are no records" },
		{ "[]", " there are no records" },
		{ "hello\n", "1: is not valid JSON" },
		{ "hello", "1: is not valid JSON" },
		{ RUN "\nhello", "2: is not valid JSON" },
		{ "{\"notes\":", "1: is not valid JSON" },
		{ RUN "\n{\"type\":\n" RECORD "\n", "2: is not valid JSON" },
		{ RUN "\n" RECORD " " RECORD "\n", "2: is not valid JSON" },
		{ RUN "\n" RECORD "}\n", "2: is not valid JSON" },
		{ RUN "\n1\n", "2: is not a line" },
		{ RUN "\n[1]\n", "2: is not a line" },
		{ RUN "\nnull\n", "2: is not a line" },
		{ RUN "\n{\"type\":\"other\"}\n", "2: is not a line" },
		{ RUN "\n{\"type\":\"run\",\"run_id\":\"a\"}\n", "2: has no \"schema\"" },
		{ "{\"type\":\"run\",\"schema\":3,\"run_id\":\"a\"}\n", "1: has schema 3" },
		{ "{\"type\":\"record\",\"schema\":3,\"run_id\":\"a\"}\n", "1: has schema 3" },
		{ "{\"type\":\"run\",\"schema\":0,\"run_id\":\"a\"}\n", "1: has schema 0" },
		{ "{\"type\":\"run\",\"schema\":2}\n", "1: \"run_id\" is missing" },
		{ "{\"type\":\"record\",\"schema\":2,\"run_id\":\"a\",\"status\":\"odd\"}\n",
		  "1: \"status\" is unknown" },
		{ "{\"type\":\"record\",\"schema\":2,\"run_id\":\"a\",\"status\":\"ok\",\"verify\":"
		  "{\"result\":\"pass\"}"
		  "}\n",
		  "1: \"bench\" is missing" },
		{ "[\n" RUN ",\n" RECORD "\n", "4: is not valid JSON" },
		{ "[\n" RUN "\n" RECORD "]\n", "3: is not valid JSON" },
		{ "\n[" RUN "\n", "3: is not valid JSON" },
		{ "[" RUN "] x", "1: is not valid JSON" },
		{ "[" RUN ",3]", "1: is not a line" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++)
		expect_refused(row[i].text, strlen(row[i].text), row[i].where);
}

Test(lines, a_nul_byte_hides_nothing)
{
	static const char line[] = RUN "\n" RECORD "\0 rest\n";
	static const char array[] = "[" RUN "]\0]";
	static const char behind[] = RUN "\n" RECORD "\n\0\0\n" RECORD "\n";
	static const char first[] = "\0" RUN "\n";

	expect_refused(behind, sizeof behind - 1, "3: is not valid JSON");
	expect_refused(first, sizeof first - 1, "1: is not valid JSON");
	expect_refused(line, sizeof line - 1, "2: is not valid JSON");
	expect_refused(array, sizeof array - 1, "1: is not valid JSON");
}

/* A record that a later one of its key in the file replaces is left out, also if their runs
 * differ. */
Test(lines, replaced_records_are_left_out)
{
	static const char old[] = RUN "\n" RECORD "\n";
	char text[2048];
	struct gb_records list = { 0 };
	struct gb_error err = { 0 };

	(void)snprintf(text, sizeof text,
		       "%s{\"seq\":7,%s\n{\"seq\":8,\"key\":\"l\",\"replaces\":{\"run_id\":\"a\","
		       "\"seq\":7},%s\n{\"seq\":1,%s",
		       old, &RECORD[1], &RECORD[1], &RECORD[1]);
	strcpy(strrchr(text, '}'), ",\"replaces\":{\"run_id\":\"a\",\"seq\":7}}");
	cr_assert_eq(read_text(text, strlen(text), &list, &err), GB_OK, "%s", err.message);
	cr_assert_eq(list.count, 3);
	cr_expect(isnan(list.record[0]->seq));
	cr_expect_eq(list.record[1]->seq, 8);
	cr_expect_eq(list.record[2]->seq, 1);
	cr_expect(list.unended && !list.truncated);
	gb_records_release(&list);
}

/* A failed measurement does not count, and on request neither does an unverified one.  A key whose
 * run hung is never measured again. */
Test(lines, measurements_that_are_done)
{
	static const char *const status[] = { "ok", "failed", "unverified", "skipped" };
	static const bool again[3][4] = { { 0 }, { 0, 1 }, { 0, 1, 1 } };
	struct gb_records list = { 0 };

	for (size_t i = 0; i < 8; i++) {
		char text[128];

		(void)snprintf(text, sizeof text,
			       "{\"type\":\"record\",\"key\":\"%s\",\"status\":\"%s\"}",
			       status[i % 4], status[i % 4]);
		add_line_of(&list, text);
	}
	add_line_of(&list, "{\"type\":\"record\",\"key\":\"h\",\"status\":\"failed\","
			   "\"error\":\"hang\"}");
	for (int mode = GB_AGAIN_NONE; mode <= GB_AGAIN_UNVERIFIED; mode++) {
		for (size_t i = 0; i < 4; i++) {
			const struct gb_done done =
				gb_records_done(&list, list.count, status[i], (enum gb_again)mode);

			cr_expect_eq(done.times, again[mode][i] ? 0 : 2);
			cr_expect_eq(done.again, again[mode][i] ? list.record[i] : NULL);
			cr_expect_not(done.hung);
		}
		cr_expect(gb_records_done(&list, list.count, "h", (enum gb_again)mode).hung);
		cr_expect_null(gb_records_done(&list, 9, "h", (enum gb_again)mode).again);
		cr_expect_eq(gb_records_done(&list, 2, "skipped", (enum gb_again)mode).times, 0);
	}
	gb_records_release(&list);
}

/* ---- duplicate lines ------------------------------------------------------------------------- */

Test(lines, repeated_lines_are_dropped)
{
	static const char two[] = RUN "\n" NUMBERED("0") NUMBERED("1");
	static const struct {
		const char *text, *more;
		size_t dropped, records;
	} row[] = {
		{ two, two, 3, 2 },
		{ two, RUN "\n" NUMBERED("0") NUMBERED("1") NUMBERED("2"), 3, 3 },
		{ two, NUMBERED("2"), 0, 3 },
		{ RUN "\n" RECORD "\n", RUN "\n" RECORD "\n", 1, 2 }, /* the run */
		{ two, RUN_B "\n{\"seq\":0,\"run_id\":\"b\"," RECORD_MEMBERS "\n", 0, 3 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_records list = { 0 };
		struct gb_error err = { 0 };
		size_t first, dropped;

		cr_assert_not(read_text(row[i].text, strlen(row[i].text), &list, &err));
		first = list.count;
		cr_assert_not(gb_records_drop_repeated(&list, 0, 0, &dropped, &err));
		cr_assert_not(read_text(row[i].more, strlen(row[i].more), &list, &err));
		cr_assert_not(gb_records_drop_repeated(&list, first, 1, &dropped, &err));
		cr_expect_eq(dropped, row[i].dropped, "%zu: %zu", i, dropped);
		cr_expect_eq(list.count, row[i].records);
		for (size_t k = 0; k < first; k++)
			cr_expect_eq(list.record[k]->context, list.context[0]);
		gb_records_release(&list);
	}
}

/* Put before the members of a good record, each must be refused. */
Test(lines, members_of_the_wrong_type_are_refused)
{
	static const char *const member[] = {
		"\"bench\":1",
		"\"seq\":\"1\"",
		"\"params\":[]",
		"\"params\":{\"n\":{}}",
		"\"metrics\":{\"n\":[]}",
		"\"time\":3",
		"\"time\":{\"median\":3}",
		"\"time\":{\"median\":\"3\",\"samples\":[3]}",
		"\"time\":{\"median\":3,\"samples\":[]}",
		"\"time\":{\"median\":3,\"samples\":[null]}",
		"\"time\":{\"median\":1e999,\"samples\":[3]}",
		"\"time\":{\"median\":0.0009,\"samples\":[0.0009]}",
		"\"time\":{\"median\":2e18,\"samples\":[2e18]}",
		"\"time\":{\"median\":3,\"samples\":[1e-9,3,4]}",
		"\"time\":{\"median\":3,\"samples\":[2,3,2e18]}",
		"\"time\":{\"median\":3,\"samples\":[3],\"ci95\":[3,2e18]}",
		"\"host_time\":{\"median\":2e18,\"samples\":[2e18]}",
		"\"transfers\":{\"upload\":{\"median\":2e18,\"samples\":[2e18]}}",
		"\"create\":2e18",
		"\"download\":2e18",
		"\"first_call\":2e18",
		"\"work\":{\"items\":1e19}",
		"\"copy_bytes_per_s\":1e-19",
		"\"verify\":{\"result\":\"pass\",\"runs\":-1}",
		"\"peer\":{\"unknown\":1}",
		"\"time\":{\"median\":-3,\"samples\":[3]}",
		"\"time\":{\"median\":3,\"samples\":[-3]}",
		"\"time\":{\"median\":3,\"samples\":[1e-318]}",
		"\"time\":{\"median\":1e-318,\"samples\":[3]}",
		"\"time\":{\"median\":3,\"samples\":{\"a\":3},\"ci95\":[2,4]}",
		"\"time\":{\"median\":3,\"samples\":[3],\"ci95\":3}",
		"\"time\":{\"median\":3,\"samples\":[3],\"ci95\":[3]}",
		"\"time\":{\"median\":3,\"samples\":[3],\"ci95\":[2,null]}",
		"\"time\":{\"median\":3,\"samples\":[3],\"ci95\":[4,5]}",
		"\"time\":{\"median\":3,\"samples\":[3],\"ci95\":[4,2]}",
		"\"time\":{\"median\":3,\"samples\":[3],\"ci95\":[-1e999,4]}",
		"\"time\":[{\"median\":3,\"samples\":[3]}]",
		"\"phases\":{\"scan\":{\"median\":3}}",
		"\"phases\":{\"scan\":3}",
		"\"phases\":[{\"median\":3,\"samples\":[3]}]",
		"\"phases\":[]",
		"\"phases\":\"scan\"",
		"\"params\":{\"n\":1e-320}",
		"\"metrics\":{\"n\":1e301}",
		"\"seq\":-1",
		"\"upload\":-1",
		"\"elapsed_s\":1e999",
		"\"harmonic_items_per_s\":-1",
		"\"work\":3",
		"\"work\":[]",
		"\"work\":{\"items\":-1}",
		"\"memory\":\"none\"",
		"\"verify\":{\"result\":\"perhaps\"}",
		"\"verify\":\"pass\"",
		"\"schema\":1",
		"\"schema\":1.5",
		"\"variant\":\"a\\u0000b\"",
		"\"unknown\":\"\\\\\\u0000\"",
		"\"variant\":\"\\ud800\"",
		"\"variant\":\"\xff\"",
		"\"gpu_state\":3",
		"\"gpu_state\":{\"sm_clock_hz\":[-1]}",
		"\"upload\":[]",
		"\"upload\":{\"median\":3}",
		"\"create\":1e999",
		"\"cold\":1",
		"\"emulated\":\"no\"",
		"\"excluded\":[1]",
		"\"gpu_state\":{\"sm_clock_hz\":[\"1\"]}",
		"\"counts\":{\"launches\":\"1\"}",
		"\"counts\":3",
		"\"counts\":{\"launches\":-1}",
		"\"counts\":{\"global_load\":3}",
		"\"counts\":{\"kernels\":[{\"blocks\":\"1\"}]}",
		"\"counts\":{\"kernels\":[3]}",
		"\"counts\":{\"kernels\":{\"a\":{}}}",
	};

	for (size_t i = 0; i < GB_COUNT(member); i++) {
		char text[1024];

		(void)snprintf(text, sizeof text, "{%s,%s\n", member[i], &RECORD[1]);
		expect_refused(text, strlen(text), "1: ");
	}
}

/* Each of these is read. */
Test(lines, unusual_members_are_accepted)
{
	static const char *const member[] = {
		"\"emulated\":true,\"time\":{\"median\":-0,\"samples\":[-0.0]}",
		"\"time\":{\"median\":1e18,\"samples\":[1e18],\"ci95\":[-3,1e18]}",
		"\"time\":{\"median\":0.001,\"samples\":[0,0.001,1]},\"create\":0",
		"\"time\":{\"median\":3,\"samples\":[1,2,3,3,4,5],\"ci95\":[1,5]}",
		"\"time\":{\"median\":3.001,\"samples\":[1,4,2,3]}",
		"\"verify\":{\"result\":\"pass\",\"runs\":1}",
		"\"time\":{\"median\":3,\"samples\":[3],\"ci95\":null}",
		"\"time\":null,\"phases\":null,\"counts\":null,\"gpu_state\":null",
		"\"phases\":{\"\":{\"median\":3,\"samples\":[3]}}",
		"\"params\":{\"n\":-5}",
		"\"metrics\":{\"n\":-5}",
		"\"gpu_state\":{\"temperature_c\":[-40,null],\"energy_j\":-1}",
		"\"library\":\"a\\\\u0000b\"",
		"\"unknown\":[{\"a\":1e308}]",
	};

	for (size_t i = 0; i < GB_COUNT(member); i++) {
		char text[1024];

		(void)snprintf(text, sizeof text, "{%s,%s\n", member[i], &RECORD[1]);
		expect_read(text, 0, 1);
	}
}

/* Put after the members of a run, each must be refused. */
Test(lines, runs_of_the_wrong_type_are_refused)
{
	static const char *const member[] = {
		"\"gpus\":3",
		"\"gpus\":{}",
		"\"gpus\":[3]",
		"\"gpus\":[{\"id\":-1}]",
		"\"gpus\":[{\"id\":0,\"vulkan\":3}]",
		"\"host\":[]",
		"\"host\":{\"cores\":-1}",
		"\"host\":{\"load\":[-1]}",
		"\"tool\":\"gpubench\"",
		"\"argv\":{}",
		"\"environment\":3",
		"\"settings\":{\"device\":1e-320}",
	};

	for (size_t i = 0; i < GB_COUNT(member); i++) {
		char text[1024];

		(void)snprintf(text, sizeof text, "%.*s,%s}\n", (int)strlen(RUN) - 1, RUN,
			       member[i]);
		expect_refused(text, strlen(text), "1: ");
	}
}

/* Change single bytes of a good file: no crash, and never more records than lines. */
Test(lines, damaged_files_never_crash)
{
	static const char whole[] = RUN "\n" RECORD "\n[" RECORD "]\n";
	static const char noise[] = { '\0', '"', '{', '}', '[', ',', '\\', '\n', '9', (char)0xff };
	const struct rlimit few = { 64, 64 }; /* files that are open */
	char text[sizeof whole];

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (size_t at = 0; at < sizeof whole - 1; at++)
		for (size_t k = 0; k < sizeof noise; k++) {
			struct gb_records list = { 0 };
			struct gb_error err = { 0 };

			memcpy(text, whole, sizeof whole);
			text[at] = noise[k];
			(void)read_text(text, sizeof whole - 1, &list, &err);
			cr_assert_not(strstr(err.message, "cannot open"), "%s", err.message);
			cr_assert_leq(list.count + list.context_count, 3);
			gb_records_release(&list);
		}
}
