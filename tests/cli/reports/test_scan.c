/* test_scan.c -- files scanned in bulk, which the reader of lines.h must read alike. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <unistd.h>

#include "cli/records/lines.h"
#include "cli/reports/history/scan.h"
#include "cli/reports/launch.h"
#include "common/text.h"

static const char whole[] =
	"{\"type\":\"run\",\"schema\":2,\"run_id\":\"5f3a\",\"settings\":{\"cold\":false}}\n"
	"{\"type\":\"record\",\"schema\":2,\"run_id\":\"5f3a\",\"seq\":7,\"bench\":\"radix\","
	"\"backend\":\"cpu\",\"variant\":\"lsd8\",\"key\":\"radix/cpu/lsd8 count=4096 threads=2\","
	"\"params\":{\"count\":4096,\"threads\":2,\"seed\":1},\"status\":\"ok\",\"verify\":{"
	"\"result\":\"pass\"},"
	"\"reason\":\"+-2 "
	"%\","
	"\"verify\":{\"result\":\"pass\",\"runs\":4},\"unknown\":{\"a \\\"b\\\" ]\":[],\"c\":{}},"
	"\"time\":{\"clock\":\"monotonic\",\"median\":1020.5,\"ci95\":null,"
	"\"samples\":[1020,1020.25,1.5e3,1020.75]},\"elapsed_s\":3.5}\n";

enum { SCANNED_MAX = sizeof whole + 5000 };

static void expect_same(const struct gb_record *a, const struct gb_record *b)
{
	cr_expect(eq(str, a->key, b->key));
	cr_expect(eq(str, (char *)a->run->run_id, (char *)b->run->run_id));
	cr_expect(eq(int, a->status, b->status));
	cr_expect(a->status != GB_STATUS_DOUBTFUL || gb_same(a->reason, b->reason));
	cr_expect(eq(int, a->emulated, b->emulated));
	cr_expect(eq(int, gb_record_is_cold(a), gb_record_is_cold(b)));
	if (a->has_time || b->has_time)
		cr_expect(eq(dbl, gb_launch_value(a, false), gb_launch_value(b, false)));
}

/* True if the scanner accepts the text.  The reader must then read the same records.  It may reject
 * the text only if `any` text is allowed. */
static bool is_taken(const char *text, bool any)
{
	static struct gb_scanner scanner;
	struct gb_records records = { 0 };
	struct gb_error err = { 0 };
	char path[] = "/tmp/test_history.XXXXXX";
	const int at = mkstemp(path);
	bool taken;

	cr_assert(eq(int, (int)write(at, text, strlen(text)), (int)strlen(text)));
	close(at);
	taken = gb_scan_file(&scanner, path);
	(void)gb_records_read(path, &records, &err);
	cr_expect(any || !taken || !err.code, "%s: %s", text, err.message);
	if (taken && !err.code) {
		cr_assert(eq(sz, scanner.file.count, records.count));
		for (size_t i = 0; i < records.count; i++)
			expect_same(scanner.file.record[i], records.record[i]);
	}
	unlink(path);
	gb_records_release(&records);
	return taken;
}

/* The same with the first `from` replaced by `to`. */
static bool is_taken_with(const char *from, const char *to)
{
	const char *at = strstr(whole, from);
	char text[SCANNED_MAX];

	cr_assert(ne(ptr, (void *)at, NULL));
	snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
	return is_taken(text, false);
}

/* A record that is not ok, after one that is, with the reason before the status. */
static const char doubtful[] =
	"{\"type\":\"record\",\"schema\":2,\"run_id\":\"5f3a\",\"reason\":\"why\",\"bench\":"
	"\"radix\","
	"\"backend\":\"cpu\",\"variant\":\"lsd8\",\"key\":\"radix/cpu/"
	"lsd8\",\"params\":{},\"status\":"
	"\"doubtful\","
	"\"verify\":{\"result\":\"pass\"},\"time\":{\"median\":9,\"samples\":[9]}}\n";

Test(history, files_that_are_scanned)
{
	static const struct {
		const char *from, *to;
		bool taken;
	} changes[] = {
		{ "\"+-2 %\"", "\"+-3 %\"", true },
		{ "\"seq\":7", "\"emulated\":true", true },
		{ "\"seq\":7", "\"cold\":true", true },
		{ "\"run\",\"schema\":2", "\"run\",\"schema\":1", true },
		{ "\"record\",\"schema\":2", "\"record\",\"schema\":1", true },
		{ "\"schema\":2,\"run_id\":\"5f3a\",\"seq\":7",
		  "\"schema\":1,\"run_id\":\"5f3a\",\"verify\":{\"result\":\"skipped\"}", true },
		{ "\"record\"", "\"run\"", true },
		{ "1020.25", "0.1000000000000000055511151231257827", true },
		{ "\"elapsed_s\":3.5", "\"other\":[\"}\",{\"x\":[1,2]}]", true },
		/* Rejected by the scanner and left to the reader of lines.h: */
		{ "\"ok\"", "\"failed\"", false },
		{ "\"ok\"", "\"skipped\"", false },
		{ "1020.25", "0.001", true },
		{ "1.5e3", "1e9", true },
		{ "1.5e3", "1", false },
		{ "1020.25", "2e18", false },
		{ "1020.25", "1e999", false },
		{ "1020.25", "0.0009", false },
		{ "1020.25", "-1020", false },
		{ "\"ci95\":null", "\"ci95\":[1021,1022]", false },
		{ "\"ci95\":null", "\"ci95\":[1020,1e999]", false },
		{ "\"ci95\":null", "\"ci95\":[1020,1022]", true },
		{ "\"ci95\":null", "\"ci95\":[1020.5,1022]", true },
		{ "\"ci95\":null", "\"ci95\":[1020,1020.5]", true },
		{ "\"ci95\":null", "\"ci95\":[1020]", false },
		{ "\"ci95\":null", "\"ci95\":3", false },
		{ "\"seq\":7", "\"time\":{\"median\":5,\"samples\":[5]}", false },
		{ "1020.5", "0", false },
		{ "1020.5,\"ci95\":null,\"samples\":[1020,1020.25,1.5e3,1020.75]",
		  "0,\"samples\":[0]", false },
		{ "1020.25", "\"1\"", false },
		{ "1020.25", "0x10", false },
		{ "1020.5", "-1", false },
		{ "[1020,1020.25,1.5e3,1020.75]", "[]", false },
		{ "\"median\":1020.5,", "", false },
		{ "\"seq\":7", "\"seq\":7,\"replaces\":{}", false },
		{ "\"runs\":4", "\"runs\":4,\"overwritten\":2,\"changed\":4", true },
		{ "pass\"},", "pass\",\"runs\":0},", false },
		{ "count=4096", "count=4097", false },
		{ "1020.5", "1e-4", false },
		{ "5f3a", "5f\\/3a", false },
		{ "5f3a", "other", false },
		{ "\"seq\":7,", "\"seq\":7, ", false },
		{ "\"seq\":7", "\"se\\u0071\":7", false },
		{ "\"record\",\"schema\":2", "\"record\",\"schema\":99", false },
		{ "3.5}\n", "3.5}\r\n", false },
		{ "3.5}\n", "3.5}", false },
	};
	char text[SCANNED_MAX], reason[SCANNED_MAX];

	for (size_t i = 0; i < GB_COUNT(changes); i++)
		cr_expect(eq(int, is_taken_with(changes[i].from, changes[i].to), changes[i].taken),
			  "%s", changes[i].to);
	cr_expect(is_taken(whole, false));
	snprintf(text, sizeof text, "%s%s", whole, strchr(whole, '\n') + 1);
	cr_expect(is_taken(text, false));
	snprintf(text, sizeof text, "%s%s", whole, doubtful);
	cr_expect(is_taken(text, false));
	cr_expect(not(is_taken("", false)));
	cr_expect(not(is_taken(strchr(whole, '\n') + 1, false)));
	snprintf(text, sizeof text, "%s{\"type\":\"record\",\"schema\":2", whole);
	cr_expect(not(is_taken(text, false)));
	snprintf(reason, sizeof reason, "\"failed\",\"reason\":\"%04000d\"", 1);
	cr_expect(not(is_taken_with("\"ok\"", reason)));
	/* Up to a length. */
	for (int length = 1600, before = 1; length <= 2100; length++) {
		int taken;

		snprintf(text, sizeof text, "\"x\":\"%0*d\"", length, 1);
		taken = is_taken_with("\"seed\":1", text);
		cr_expect(taken <= before);
		cr_expect(taken || length > 1700);
		cr_expect(length < 2048 || taken == 0);
		before = taken;
	}
}

/* Replace each byte of the record by each of these. */
Test(history, changed_bytes)
{
	char text[sizeof whole];

	for (size_t i = strcspn(whole, "\n") + 1; i + 1 < sizeof whole; i++)
		for (const char *c = "0\"\\,}]\n"; *c; c++) {
			memcpy(text, whole, sizeof text);
			text[i] = *c;
			(void)is_taken(text, true);
		}
}
