/* Series from stored launches: their machine, their order, what counts, what the newest level is
 * worth; and files scanned in bulk, of which the reader of lines.h must say the same. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <unistd.h>

#include "cli/records/lines.h"
#include "cli/reports/history/history.h"
#include "cli/reports/history/scan.h"
#include "cli/reports/launch.h"

/* ---- dates -------------------------------------------------------------------------------- */

Test(history, dates)
{
	char text[GB_DATE_MAX];

	cr_expect(eq(i64, gb_date_parse("1970-01-01T00:00:00Z"), 0));
	cr_expect(eq(i64, gb_date_parse("2026-11-22T08:25:38Z"), 1795335938));
	cr_expect(eq(i64, gb_date_parse("2026-11-22T10:25:38.5+02:00"), 1795335938));
	cr_expect(eq(i64, gb_date_parse("2026-11-22T03:55:38-04:30"), 1795335938));
	cr_expect(eq(i64, gb_date_parse(NULL), GB_NO_DATE));
	cr_expect(eq(i64, gb_date_parse(""), GB_NO_DATE));
	cr_expect(eq(i64, gb_date_parse("2026-11-22"), GB_NO_DATE));
	cr_expect(eq(i64, gb_date_parse("2026-11-22T08:25:38"), GB_NO_DATE));
	cr_expect(eq(i64, gb_date_parse("2026-11-22T08:25:38Zulu"), GB_NO_DATE));
	cr_expect(eq(str, gb_date_text(text, 1795335938), "2026-11-22T08:25:38Z"));
	cr_expect(eq(str, gb_date_text(text, GB_NO_DATE), ""));
}

/* ---- made stores -------------------------------------------------------------------------- */

enum { MOST = 40 };

static void add(struct gb_records *records, const char *line)
{
	struct gb_error err = { 0 };

	cr_assert(eq(int, (int)gb_records_add_text(records, line, &err), GB_OK), "%s: %s",
		  err.message, line);
}

/* A file with a run of a host, members of a JSON object, and one record. */
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

static const char *rest_of(enum gb_launch_kind kind)
{
	static const char *const rest[] = {
		[GB_LAUNCH_TIME] = "\"status\":\"ok\"",
		[GB_LAUNCH_FAILED] = "\"status\":\"failed\",\"reason\":\"wrong\"",
		[GB_LAUNCH_UNVERIFIED] = "\"status\":\"unverified\"",
		[GB_LAUNCH_EMULATED] = "\"status\":\"ok\",\"emulated\":true",
	};

	return rest[kind];
}

/* A file with one run and one launch. */
static void put(struct gb_store *store, int number, int64_t started, int64_t committed,
		const char *commit, double ns, enum gb_launch_kind kind)
{
	char run[256], record[256], date[2][GB_DATE_MAX];

	gb_date_text(date[0], started);
	gb_date_text(date[1], committed);
	snprintf(run, sizeof run,
		 "\"schema\":2,\"started\":\"%s\",\"tool\":{\"commit\":\"%s\",\"commit_date\":\"%"
		 "s\"}",
		 date[0], commit, date[1]);
	snprintf(record, sizeof record,
		 "\"backend\":\"cpu\",\"key\":\"radix/cpu/best\",%s,"
		 "\"time\":{\"median\":%.17g,\"samples\":[%.17g,%.17g]}",
		 rest_of(kind), ns + 5, ns + 5, ns);
	put_file(store, number, run, "\"hostname\":\"a\"", record);
}

static struct gb_history judge(const struct gb_store *store, enum gb_order order, double threshold)
{
	struct gb_history h = { .order = order, .threshold = threshold, .rule = gb_shift_rule };
	struct gb_error err = { 0 };

	cr_assert(eq(int, (int)gb_history_judge(&h, store, &err), GB_OK));
	return h;
}

static int status_of(const struct gb_history *h)
{
	char why[GB_HISTORY_WHY];

	return (int)gb_history_status(h, why);
}

/* Twenty launches, stored in an order that is not that of time, the newer half slower by 10 %. */
static struct gb_store twenty(double factor)
{
	struct gb_store store = { 0 };

	for (int i = 0; i < 20; i++) {
		const int day = i * 7 % 20;

		put(&store, i, day * INT64_C(86400), GB_NO_DATE, "",
		    (day < 10 ? 1000 : 1000 * factor) + day * 37 % 11, GB_LAUNCH_TIME);
	}
	return store;
}

Test(history, a_worse_level)
{
	struct gb_store store = twenty(1.1);
	struct gb_history h = judge(&store, GB_ORDER_DATE, 0.05);

	cr_assert(eq(sz, h.count, 1));
	cr_assert(eq(sz, h.trend[0].shifts, 1));
	cr_expect(eq(sz, h.trend[0].shift[0].at, 10));
	cr_expect(eq(i64, gb_first_after(&h.trend[0], 0)->started, INT64_C(864000)));
	cr_expect(eq(sz, h.trend[0].files, 20));
	cr_expect(eq(int, h.trend[0].verdict, GB_SLOWER));
	cr_expect(eq(int, status_of(&h), GB_EVERIFY));
	gb_history_release(&h);
	h = judge(&store, GB_ORDER_DATE, 0.15);
	cr_expect(eq(int, h.trend[0].verdict, GB_SAME));
	cr_expect(eq(int, status_of(&h), GB_OK));
	gb_history_release(&h);
	gb_store_release(&store);
	store = twenty(0.9);
	h = judge(&store, GB_ORDER_DATE, 0.05);
	cr_expect(eq(int, h.trend[0].verdict, GB_FASTER));
	cr_expect(eq(int, status_of(&h), GB_OK));
	gb_history_release(&h);
	gb_store_release(&store);
}

/* What is no time leaves the times alone; a launch that two files hold counts once. */
Test(history, what_counts)
{
	struct gb_store store = { 0 };
	struct gb_history h;

	for (int i = 0; i < 7; i++)
		put(&store, i, i, GB_NO_DATE, "", 1000 + i, GB_LAUNCH_TIME);
	put(&store, 6, 6, GB_NO_DATE, "", 1006, GB_LAUNCH_TIME);
	put(&store, 7, 7, GB_NO_DATE, "", 0, GB_LAUNCH_FAILED);
	put(&store, 8, 8, GB_NO_DATE, "", 0, GB_LAUNCH_UNVERIFIED);
	put(&store, 9, 9, GB_NO_DATE, "", 0, GB_LAUNCH_EMULATED);
	put(&store, 10, GB_NO_DATE, GB_NO_DATE, "", 1000, GB_LAUNCH_TIME);
	h = judge(&store, GB_ORDER_DATE, 0.05);
	cr_expect(eq(sz, h.trend[0].count, 7));
	cr_expect(eq(sz, h.trend[0].undated, 1));
	cr_assert(eq(sz, h.trend[0].failures, 1));
	cr_expect(eq(str, (char *)h.trend[0].failure[0].reason, "wrong"));
	cr_expect(eq(sz, h.trend[0].kinds[GB_LAUNCH_UNVERIFIED], 1));
	cr_expect(eq(sz, h.trend[0].kinds[GB_LAUNCH_EMULATED], 1));
	cr_expect(eq(int, h.trend[0].verdict, GB_UNSURE));
	cr_expect(eq(int, status_of(&h), GB_EUNDECIDED));
	gb_history_release(&h);
	gb_store_release(&store);
}

/* An old commit that is measured last, with its date and without. */
Test(history, by_commit)
{
	struct gb_store store = { 0 };

	for (int i = 0; i < 12; i++)
		put(&store, i, i, i % 2 ? 200 : 100, i % 2 ? "b" : "a", i % 2 ? 1100 : 1000,
		    GB_LAUNCH_TIME);
	for (int dated = 1; dated >= 0; dated--) {
		struct gb_history h = judge(&store, GB_ORDER_COMMIT, 0.05);

		cr_assert(eq(sz, h.trend[0].shifts, 1));
		cr_expect(eq(str, gb_first_after(&h.trend[0], 0)->run_id, "run1"));
		gb_history_release(&h);
		for (size_t i = 0; i < store.runs; i++)
			store.run[i].committed = GB_NO_DATE;
	}
	gb_store_release(&store);
}

Test(history, globs)
{
	struct gb_store store = twenty(1);
	const char *const good[] = { "radix/cpu/b*", "radix/cpu/best" }, *const bad[] = { "best" };
	struct gb_history h = { .rule = gb_shift_rule, .glob = good, .globs = 2 };
	struct gb_error err = { 0 };

	cr_expect(eq(int, (int)gb_history_judge(&h, &store, &err), GB_OK));
	cr_expect(eq(sz, h.count, 1));
	gb_history_release(&h);
	h = (struct gb_history){ .rule = gb_shift_rule, .glob = bad, .globs = 1 };
	cr_expect(eq(int, (int)gb_history_judge(&h, &store, &err), GB_EUSAGE));
	gb_history_release(&h);
	gb_store_release(&store);
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
		 "\"backend\":\"%s\",\"key\":\"k\",\"status\":\"ok\","
		 "\"time\":{\"median\":5,\"samples\":[5]}",
		 uuid ? "cuda" : "cpu");
	put_file(store, (int)store->files, run, host, record);
}

#define HOST(name, cores)                                                           \
	"\"hostname\":\"" name "\",\"cpu\":\"Xeon\",\"sockets\":1,\"cores\":" cores \
	",\"l1d_bytes\":1,\"l2_bytes\":2,\"l3_bytes\":3,\"memory_bytes\":4"
#define MODEL(model) \
	",\"cpu_vendor\":\"Intel\",\"cpu_family\":6,\"cpu_model\":" model ",\"cpu_stepping\":1"

/* Launches of a machine of a series are one series, by schema 1 and by schema 2; a name is not
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
	/* Other cores, another model, a host of which schema 1 tells less. */
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

/* ---- scanned files ------------------------------------------------------------------------ */

static const char whole[] =
	"{\"type\":\"run\",\"schema\":2,\"run_id\":\"5f3a\",\"settings\":{\"cold\":false}}\n"
	"{\"type\":\"record\",\"schema\":2,\"run_id\":\"5f3a\",\"seq\":7,\"bench\":\"radix\","
	"\"backend\":\"cpu\",\"variant\":\"lsd8\",\"key\":\"radix/cpu/lsd8 count=4096 threads=2\","
	"\"params\":{\"count\":4096,\"threads\":2,\"seed\":1},\"status\":\"ok\",\"reason\":\"+-2 "
	"%\","
	"\"verify\":{\"result\":\"pass\",\"runs\":4},\"unknown\":{\"a \\\"b\\\" ]\":[],\"c\":{}},"
	"\"time\":{\"clock\":\"monotonic\",\"median\":1020.5,\"ci95\":null,"
	"\"samples\":[1021,1020.25,1.5e3,1020.75]},\"elapsed_s\":3.5}\n";

enum { SCANNED_MAX = sizeof whole + 5000 };

static void expect_same(const struct gb_record *a, const struct gb_record *b)
{
	cr_expect(eq(str, a->key, b->key));
	cr_expect(eq(str, (char *)a->run->run_id, (char *)b->run->run_id));
	cr_expect(eq(int, a->status, b->status));
	cr_expect(eq(int, a->emulated, b->emulated));
	cr_expect(eq(int, gb_record_is_cold(a), gb_record_is_cold(b)));
	if (a->has_time || b->has_time)
		cr_expect(eq(dbl, gb_launch_value(a, false), gb_launch_value(b, false)));
}

/* Whether the scanner takes the text; then the reader must say the same of it, or nothing, if `any`
 * text may come. */
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

Test(history, files_that_are_scanned)
{
	char text[2 * sizeof whole];

	cr_expect(is_taken(whole, false));
	snprintf(text, sizeof text, "%s%s", whole, strchr(whole, '\n') + 1);
	cr_expect(is_taken(text, false));
	cr_expect(is_taken_with("\"reason\":\"+-2 %\"", "\"reason\":\"+-3 %\""));
	cr_expect(is_taken_with("\"ok\"", "\"failed\""));
	cr_expect(is_taken_with("\"ok\"", "\"skipped\""));
	cr_expect(is_taken_with("\"seq\":7", "\"emulated\":true"));
	cr_expect(is_taken_with("\"seq\":7", "\"cold\":true"));
	cr_expect(is_taken_with("\"run\",\"schema\":2", "\"run\",\"schema\":1"));
	cr_expect(is_taken_with("\"record\",\"schema\":2", "\"record\",\"schema\":1"));
	cr_expect(is_taken_with(
		"\"schema\":2,\"run_id\":\"5f3a\",\"seq\":7",
		"\"schema\":1,\"run_id\":\"5f3a\",\"verify\":{\"result\":\"skipped\"}"));
	cr_expect(is_taken_with("\"record\"", "\"run\""));
	cr_expect(is_taken_with("1020.25", "0.1000000000000000055511151231257827"));
	cr_expect(is_taken_with("\"elapsed_s\":3.5", "\"other\":[\"}\",{\"x\":[1,2]}]"));
}

Test(history, files_that_are_left_to_the_reader)
{
	char text[SCANNED_MAX], reason[SCANNED_MAX];

	cr_expect(not(is_taken("", false)));
	cr_expect(not(is_taken(strchr(whole, '\n') + 1, false)));
	snprintf(text, sizeof text, "%s{\"type\":\"record\",\"schema\":2", whole);
	cr_expect(not(is_taken(text, false)));
	snprintf(reason, sizeof reason, "\"failed\",\"reason\":\"%04000d\"", 1);
	cr_expect(not(is_taken_with("\"ok\"", reason)));
	cr_expect(not(is_taken_with("1020.25", "1e999")));
	cr_expect(not(is_taken_with("1020.25", "\"1\"")));
	cr_expect(not(is_taken_with("1020.25", "0x10")));
	cr_expect(not(is_taken_with("1020.5", "-1")));
	cr_expect(not(is_taken_with("[1021,1020.25,1.5e3,1020.75]", "[]")));
	cr_expect(not(is_taken_with("\"median\":1020.5,", "")));
	cr_expect(not(is_taken_with("\"seq\":7", "\"seq\":7,\"replaces\":{}")));
	cr_expect(not(is_taken_with("5f3a", "5f\\/3a")));
	cr_expect(not(is_taken_with("5f3a", "other")));
	cr_expect(not(is_taken_with("\"seq\":7,", "\"seq\":7, ")));
	cr_expect(not(is_taken_with("\"seq\":7", "\"se\\u0071\":7")));
	cr_expect(not(is_taken_with("\"record\",\"schema\":2", "\"record\",\"schema\":99")));
	cr_expect(not(is_taken_with("3.5}\n", "3.5}\r\n")));
	cr_expect(not(is_taken_with("3.5}\n", "3.5}")));
}

/* Any byte of the record may be any of these. */
Test(history, bytes_that_differ)
{
	char text[sizeof whole];

	for (size_t i = strcspn(whole, "\n") + 1; i + 1 < sizeof whole; i++)
		for (const char *c = "0\"\\,}]\n"; *c; c++) {
			memcpy(text, whole, sizeof text);
			text[i] = *c;
			(void)is_taken(text, true);
		}
}
