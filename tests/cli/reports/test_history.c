/* test_history.c -- which machine a series belongs to; files scanned in bulk, which the reader of
 * lines.h must read alike.  The golden cases history_* test the verdicts.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/records/json.h"
#include "cli/records/lines.h"
#include "cli/reports/history/charts.h"
#include "cli/reports/history/folder.h"
#include "cli/reports/history/print.h"
#include "cli/reports/history/scan.h"
#include "cli/reports/history/store.h"
#include "cli/reports/launch.h"
#include "common/text.h"

/* ---- dates -------------------------------------------------------------------------------- */

Test(history, dates)
{
	static const struct {
		const char *text;
		int64_t date;
	} dates[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "2026-11-22T08:25:38Z", 1795335938 },
		{ "2026-11-22T10:25:38.5+02:00", 1795335938 },
		{ "2026-11-22T03:55:38-04:30", 1795335938 },
		{ NULL, GB_NO_DATE },
		{ "", GB_NO_DATE },
		{ "2026-11-22", GB_NO_DATE },
		{ "2026-11-22T08:25:38", GB_NO_DATE },
		{ "2026-11-22T08:25:38Zulu", GB_NO_DATE },
	};
	char text[GB_DATE_MAX];

	for (size_t i = 0; i < GB_COUNT(dates); i++)
		cr_expect(eq(i64, gb_date_parse(dates[i].text), dates[i].date), "%s",
			  dates[i].text ? dates[i].text : "NULL");
	cr_expect(eq(str, gb_date_text(text, 1795335938), "2026-11-22T08:25:38Z"));
	cr_expect(eq(str, gb_date_text(text, GB_NO_DATE), ""));
}

/* ---- synthetic stores ------------------------------------------------------------------------ */

static void add(struct gb_records *records, const char *line)
{
	struct gb_error err = { 0 };

	cr_assert(eq(int, (int)gb_records_add_text(records, line, &err), GB_OK), "%s: %s",
		  err.message, line);
}

/* Write a file with one run, whose host has these JSON members, and one record. */
static void put_file(struct gb_store *store, int number, const char *run, const char *host,
		     const char *record)
{
	char path[32], line[1024];
	struct gb_records records = { 0 };
	struct gb_error err = { 0 };

	snprintf(path, sizeof path, "%d.jsonl", number);
	snprintf(line, sizeof line,
		 "{\"type\":\"run\",\"run_id\":\"run%d\",\"settings\":{\"device\":0},%s,"
		 "\"host\":{%s}}",
		 number, run, host);
	add(&records, line);
	snprintf(line, sizeof line,
		 "{\"type\":\"record\",\"schema\":2,\"run_id\":\"run%d\",\"seq\":0,"
		 "\"bench\":\"radix\",\"variant\":\"best\",\"params\":{},%s}",
		 number, record);
	add(&records, line);
	gb_store_file(store, path, &records, NULL, &err);
	cr_assert(eq(int, (int)err.code, GB_OK));
	gb_records_release(&records);
}

/* ---- machines ----------------------------------------------------------------------------- */

/* Add one time of a host to the store. */
static void put_host(struct gb_store *store, int schema, const char *host, const char *uuid)
{
	char run[256], record[256];

	snprintf(run, sizeof run,
		 "\"schema\":%d,\"started\":\"2026-01-01T00:00:00Z\","
		 "\"gpus\":[{\"id\":0,\"name\":\"GPU\",\"memory_bytes\":1e9%s%s%s}]",
		 schema, uuid ? ",\"uuid\":\"" : "", uuid ? uuid : "", uuid ? "\"" : "");
	snprintf(record, sizeof record,
		 "\"backend\":\"%s\",\"key\":\"radix/%s/best\",\"status\":\"ok\","
		 "\"verify\":{\"result\":\"pass\"},"
		 "\"time\":{\"median\":5,\"samples\":[5]}",
		 uuid ? "cuda" : "cpu", uuid ? "cuda" : "cpu");
	put_file(store, (int)store->files, run, host, record);
}

#define HOST(name, cores)                                                           \
	"\"hostname\":\"" name "\",\"cpu\":\"Xeon\",\"sockets\":1,\"cores\":" cores \
	",\"l1d_bytes\":1,\"l2_bytes\":2,\"l3_bytes\":3,\"memory_bytes\":4"
#define MODEL(model) \
	",\"cpu_vendor\":\"Intel\",\"cpu_family\":6,\"cpu_model\":" model ",\"cpu_stepping\":1"

/* Launches of one machine are one series, in schema 1 and schema 2.  An equal hostname is not
 * enough. */
Test(history, a_series_is_of_one_machine)
{
	struct gb_store store = { 0 };

	put_host(&store, 1, HOST("a", "2"), NULL);
	put_host(&store, 2, HOST("a", "2") MODEL("85"), NULL);
	put_host(&store, 1, HOST("a", "2"), NULL);
	put_host(&store, 2, HOST("b", "2") MODEL("85"), NULL);
	cr_assert(eq(sz, store.all_series, 1));
	cr_expect(eq(str, (char *)gb_series_machine(store.series[0]), "Xeon"));
	/* Other cores, another model, a host with fewer members in schema 1. */
	put_host(&store, 2, HOST("a", "4") MODEL("85"), NULL);
	put_host(&store, 2, HOST("a", "2") MODEL("86"), NULL);
	put_host(&store, 1, HOST("c", "2"), NULL);
	cr_assert(eq(sz, store.all_series, 4));
	for (size_t i = 0; i < 4; i++)
		cr_expect(eq(str, (char *)gb_series_machine(store.series[i]),
			     (char *)store.series[i]->machine->is.text));
	put_host(&store, 2, HOST("a", "2"), "GPU-1");
	put_host(&store, 2, HOST("b", "2"), "GPU-1");
	cr_assert(eq(sz, store.all_series, 5));
	cr_expect(eq(str, (char *)gb_series_machine(store.series[4]), "GPU"));
	put_host(&store, 2, HOST("a", "2"), "GPU-2");
	cr_assert(eq(sz, store.all_series, 6));
	cr_expect(eq(str, (char *)gb_series_machine(store.series[5]), "GPU, 954 MiB, GPU-2"));
	gb_store_release(&store);
}

/* ---- verdicts ----------------------------------------------------------------------------- */

/* Launches of one key, a second apart, in one file each. */
static void put_launches(struct gb_store *store, const double *ns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char run[80], record[200];

		snprintf(run, sizeof run, "\"schema\":2,\"started\":\"2026-01-01T00:%02zu:%02zuZ\"",
			 i / 60, i % 60);
		snprintf(record, sizeof record,
			 "\"backend\":\"cpu\",\"key\":\"radix/cpu/best\",\"status\":\"ok\","
			 "\"verify\":{\"result\":\"pass\"},\"time\":{\"median\":%.17g,\"samples\":["
			 "%.17g]}",
			 ns[i], ns[i]);
		put_file(store, (int)i, run, "\"cpu\":\"Z80\"", record);
	}
}

static struct gb_history judged(const struct gb_store *store, double threshold, double error)
{
	struct gb_history h = { .threshold = threshold, .error = error, .rule = gb_shift_rule };
	struct gb_error err = { 0 };

	cr_assert(eq(int, (int)gb_history_judge(&h, store, &err), GB_OK), "%s", err.message);
	cr_assert(eq(sz, h.count, 1));
	return h;
}

static enum gb_verdict_word verdict_at(const struct gb_store *store, double threshold, double error)
{
	struct gb_history h = judged(store, threshold, error);
	const enum gb_verdict_word verdict = h.trend[0].verdict;

	gb_history_release(&h);
	return verdict;
}

/* A level that is at its limit is not beyond it. */
Test(history, limits_of_verdicts)
{
	static const double levels[][2] = { { 100, 150 }, { 100, 50 } };
	double ns[40];

	for (size_t k = 0; k < 2; k++) {
		struct gb_store store = { 0 };
		struct gb_history h;
		struct gb_shift shift;

		for (size_t i = 0; i < GB_COUNT(ns); i++)
			ns[i] = levels[k][i >= 20] * (1 + 0.001 * (double)(i * 7 % 5));
		put_launches(&store, ns, GB_COUNT(ns));
		h = judged(&store, 0.05, 0.05);
		cr_assert(eq(sz, h.trend[0].shifts, 1));
		shift = h.trend[0].shift[0];
		gb_history_release(&h);
		cr_expect(eq(sz, shift.at, 20));
		cr_expect(eq(int, (int)verdict_at(&store, 0.05, 0.05), k ? GB_FASTER : GB_SLOWER));
		cr_expect(eq(int, (int)verdict_at(&store, 2, 0.05), GB_SAME));
		if (k == 0) {
			const double growth = shift.ratio.estimate - 1;

			cr_expect(eq(int, (int)verdict_at(&store, growth, 0.05), GB_SAME));
			cr_expect(eq(int, (int)verdict_at(&store, 0.05, shift.p), GB_SLOWER));
			cr_expect(
				eq(int, (int)verdict_at(&store, 0.05, shift.p * 0.999), GB_UNSURE));
		}
		gb_store_release(&store);
	}
}

/* The exit status and its reason. */
Test(history, status)
{
	static const struct {
		size_t count, slower, unsure, launches;
		enum gb_status status;
		const char *why;
	} row[] = {
		{ 0, 0, 0, 0, GB_EUNDECIDED, "there are no launches" },
		{ 3, 2, 1, 1, GB_EVERIFY, "2 of 3 newest levels are slower" },
		{ 3, 0, 0, 9, GB_OK, "" },
		{ 3, 0, 2, 1, GB_OK, "" },
		{ 3, 0, 3, 1, GB_EUNDECIDED,
		  "none of 3 series has the 8 launches that are needed" },
		{ 3, 0, 2, 9, GB_EUNDECIDED,
		  "2 of 3 newest levels may be slower; more launches on them would decide" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_trend trend[3] = { { 0 } };
		struct gb_history h = { .rule = gb_shift_rule,
					.count = row[i].count,
					.trend = trend };
		char why[GB_HISTORY_WHY] = "?";

		h.verdicts[GB_SLOWER] = row[i].slower;
		h.verdicts[GB_UNSURE] = row[i].unsure;
		for (size_t k = 0; k < row[i].count; k++) {
			trend[k].verdict = k < row[i].unsure ? GB_UNSURE : GB_SAME;
			trend[k].count = row[i].launches;
		}
		cr_expect(eq(int, (int)gb_history_status(&h, why), (int)row[i].status), "row %zu",
			  i);
		cr_expect(eq(str, why, (char *)row[i].why), "row %zu", i);
	}
}

Test(history, launches_for_a_verdict)
{
	double ns[8] = { 100, 101, 102, 103, 100, 101, 102, 103 };

	for (size_t count = 7; count <= 8; count++) {
		struct gb_store store = { 0 };

		put_launches(&store, ns, count);
		cr_expect(eq(int, (int)verdict_at(&store, 0.05, 0.05),
			     count < 8 ? GB_UNSURE : GB_SAME));
		gb_store_release(&store);
	}
}

#define RECORD_OF(run)                                                                  \
	"{\"type\":\"record\",\"schema\":2,\"run_id\":\"" run "\",\"bench\":\"radix\"," \
	"\"backend\":\"cpu\",\"variant\":\"best\",\"key\":\"radix/cpu/"                 \
	"best\",\"params\":{},\"status\":\"ok\","                                       \
	"\"verify\":{\"result\":\"pass\"},\"time\":{\"median\":5,\"samples\":[5]}}"

/* Programs get the files that were left out, and why no verdict was possible.  A record of no run
 * of its file is none. */
Test(history, left_out)
{
	struct gb_store store = { 0 };
	struct gb_records none = { 0 };
	struct gb_error err = { 0 };
	const double ns[2] = { 100, 100 };
	struct gb_history h;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	cJSON *document;

	put_launches(&store, ns, 2);
	cr_assert_not(gb_store_file(&store, "bad.jsonl", &none, "is bad", &err));
	add(&none, RECORD_OF("x"));
	cr_assert_not(gb_store_file(&store, "no-run.jsonl", &none, NULL, &err));
	add(&none, "{\"type\":\"run\",\"schema\":2,\"run_id\":\"x\"}");
	add(&none, RECORD_OF("y"));
	cr_assert_not(gb_store_file(&store, "lost.jsonl", &none, NULL, &err));
	cr_expect(eq(sz, store.launches, 2));
	h = judged(&store, 0.05, 0.05);
	cr_assert_not(gb_history_print(file, &h, GB_FORMAT_JSON, &err));
	(void)fclose(file);
	document = cJSON_Parse(text);
	cr_assert(eq(int, cJSON_GetArraySize(gb_json_at(document, "left_out")), 1));
	cr_expect(eq(str, (char *)gb_json_text(gb_json_at(document, "left_out")->child, "file"),
		     "bad.jsonl"));
	cr_expect(eq(str, (char *)gb_json_text(gb_json_at(document, "left_out")->child, "why"),
		     "is bad"));
	cr_expect(eq(str, (char *)gb_json_text(document, "why"),
		     "none of 1 series has the 8 launches that are needed"));
	cJSON_Delete(document);
	free(text);
	gb_records_release(&none);
	gb_history_release(&h);
	gb_store_release(&store);
}

/* ---- charts ------------------------------------------------------------------------------- */

/* The axis has at least five steps of 1, 2 or 5 times a power of ten, its ends included. */
Test(history, ticks)
{
	static const struct {
		size_t count, ticks;
		double ns[2];
		const char *dot; /* the last launch */
	} row[] = {
		{ 2, 6, { 1994000, 2000000 }, "<circle cx=\"348.0\"" }, /* 1992 to 2002 us */
		{ 2, 5, { 1227500, 1250000 }, "<circle cx=\"348.0\"" }, /* 1226.25 to 1251.25 us */
		{ 2, 5, { 496000, 500000 }, "<circle cx=\"348.0\"" },   /* 495.5 to 500.5 us */
		{ 1, 10, { 1000 }, "<circle cx=\"64.0\"" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_store store = { 0 };
		struct gb_history h;
		char *text = NULL;
		size_t size, ticks = 0;
		FILE *file = open_memstream(&text, &size);
		struct gb_sheet sheet = { .file = file, .format = GB_FORMAT_HTML };

		put_launches(&store, row[i].ns, row[i].count);
		h = judged(&store, 0.05, 0.05);
		gb_history_print_charts(&sheet, &h);
		(void)fclose(file);
		for (const char *at = text; (at = strstr(at, "\"rule\"")); at++)
			ticks++;
		cr_expect(eq(sz, ticks, row[i].ticks), "row %zu: %s", i, text);
		cr_expect(strstr(text, row[i].dot) != NULL, "row %zu: %s", i, text);
		cr_expect(strstr(text, "nan") == NULL);
		free(text);
		gb_history_release(&h);
		gb_store_release(&store);
	}
}

/* The label of a shift stays within the picture. */
Test(history, labels)
{
	static const struct {
		size_t at;
		const char *label;
	} row[] = {
		{ 4, "<text x=\"88.0\" y=\"12\"" },
		{ 40, "<text x=\"206.0\" y=\"12\"" },
		{ 76, "<text x=\"324.0\" y=\"12\"" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_store store = { 0 };
		struct gb_history h;
		double ns[80];
		char *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);
		struct gb_sheet sheet = { .file = file, .format = GB_FORMAT_HTML };

		for (size_t k = 0; k < GB_COUNT(ns); k++)
			ns[k] = (k < row[i].at ? 100 : 150) * (1 + 0.001 * (double)(k * 7 % 5));
		put_launches(&store, ns, GB_COUNT(ns));
		h = judged(&store, 0.05, 0.05);
		gb_history_print_charts(&sheet, &h);
		(void)fclose(file);
		cr_expect(strstr(text, row[i].label) != NULL, "row %zu: %s", i, text);
		free(text);
		gb_history_release(&h);
		gb_store_release(&store);
	}
}

/* No more threads than processors, or than there is work. */
Test(history, threads)
{
	cr_expect(eq(int, gb_history_threads(0), 1));
	cr_expect(eq(int, gb_history_threads(1), 1));
	cr_expect(le(int, gb_history_threads(2), 2));
	cr_expect(le(int, gb_history_threads(1000), omp_get_num_procs()));
}

/* ---- scanned files ------------------------------------------------------------------------ */

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
