/* Series from stored launches: their order, what counts, what the newest level is worth; and record
 * lines scanned in bulk, which must say what the validated reader says. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "cli/records/json.h"
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

/* A file with one run and one launch. */
static void put(struct gb_store *store, int number, int64_t started, int64_t committed,
		const char *commit, double ns, enum gb_launch_kind kind)
{
	char path[32], id[32];
	struct gb_error err = { 0 };
	struct gb_stored_launch launch = { .ns = ns, .kind = kind };
	struct gb_stored_run run = { .started = started,
				     .committed = committed,
				     .file = store->files };

	snprintf(path, sizeof path, "%d.jsonl", number);
	snprintf(id, sizeof id, "run%d", number);
	gb_store_file(store, path, false, NULL, &err);
	launch.run = (uint32_t)store->runs;
	gb_store_run(store, &run, id, commit, &err);
	gb_store_series(store, "radix/cpu/best count=5", "CPU A", true, &launch.series, &err);
	gb_store_launch(store, &launch, kind == GB_LAUNCH_FAILED ? "wrong" : NULL, &err);
	cr_assert(eq(int, (int)err.code, GB_OK));
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

		put(&store, i, day * 86400, GB_NO_DATE, "",
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
	cr_expect(eq(i64, gb_first_after(&h.trend[0], 0)->started, 10 * 86400));
	cr_expect(eq(sz, h.trend[0].files, 20));
	cr_expect(eq(int, h.trend[0].verdict, GB_TREND_WORSE));
	cr_expect(eq(int, status_of(&h), GB_EVERIFY));
	gb_history_release(&h);
	h = judge(&store, GB_ORDER_DATE, 0.15);
	cr_expect(eq(int, h.trend[0].verdict, GB_TREND_SAME));
	cr_expect(eq(int, status_of(&h), GB_OK));
	gb_history_release(&h);
	gb_store_release(&store);
	store = twenty(0.9);
	h = judge(&store, GB_ORDER_DATE, 0.05);
	cr_expect(eq(int, h.trend[0].verdict, GB_TREND_BETTER));
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
	cr_expect(eq(int, h.trend[0].verdict, GB_TREND_UNSURE));
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

/* ---- scanned lines ------------------------------------------------------------------------ */

static const char whole_line[] =
	"{\"type\":\"record\",\"schema\":1,\"run_id\":\"5f3a\",\"seq\":7,\"bench\":\"radix\","
	"\"backend\":\"cpu\",\"variant\":\"lsd8\",\"key\":\"radix/cpu/lsd8 count=4096 threads=2\","
	"\"params\":{\"count\":4096,\"threads\":2,\"seed\":1},\"status\":\"ok\",\"reason\":null,"
	"\"verify\":{\"result\":\"pass\",\"method\":\"all \\\"keys\\\"\",\"runs\":4},\"cold\":true,"
	"\"emulated\":false,\"rates\":{\"items_per_s\":2.5e-3,\"none\":[],\"more\":{}},"
	"\"time\":{\"unit\":\"ns\",\"n\":4,\"median\":1020.5,\"ci95\":null,"
	"\"samples\":[1021,1020.25,1.5e3,1020.75]},\"elapsed_s\":3.5}\n";

/* Whether the line is taken; then the validated reader must say the same of it. */
static bool is_taken(struct gb_scanner *scanner, const char *line)
{
	static const struct gb_launch_stat fastest = { 0 };
	struct gb_records records = { 0 };
	struct gb_scanned scanned;
	struct gb_error err = { 0 };
	char text[sizeof whole_line + 64], copy[sizeof whole_line + 64];

	snprintf(text, sizeof text, "%s", line);
	snprintf(copy, sizeof copy, "%s", line);
	if (!gb_scan_line(scanner, text, &scanned)) {
		cr_expect(eq(str, text, copy));
		return false;
	}
	gb_records_parse("copy", copy, strlen(copy), &records, &err);
	cr_assert(eq(int, (int)err.code, GB_OK), "%s: %s", line, err.message);
	cr_assert(eq(sz, records.count, 1));
	cr_expect(eq(str, (char *)scanned.run_id, (char *)gb_json_text(records.line[0], "run_id")));
	cr_expect(eq(str, (char *)gb_json_text(scanned.record, "key"),
		     (char *)gb_json_text(records.line[0], "key")));
	cr_expect(eq(int, scanned.kind, gb_launch_kind_of(records.line[0])));
	if (gb_json_at(records.line[0], "time") && scanned.kind != GB_LAUNCH_EMULATED)
		cr_expect(eq(dbl, scanned.ns, gb_launch_value(records.line[0], fastest)));
	gb_records_release(&records);
	return true;
}

Test(history, scanned_lines)
{
	struct gb_scanner scanner = { 0 };
	char line[sizeof whole_line];
	size_t taken = 0, left = 0;

	cr_expect(is_taken(&scanner, whole_line));
	cr_expect(is_taken(&scanner, whole_line));
	cr_expect(eq(sz, scanner.count, 1));
	/* Any byte may be any of these. */
	for (size_t i = 0; i + 1 < sizeof whole_line; i++)
		for (const char *c = "0-.e\"\\,:{}[] \n~\x01\xc3z"; *c; c++) {
			memcpy(line, whole_line, sizeof line);
			line[i] = *c;
			if (is_taken(&scanner, line))
				taken++;
			else
				left++;
		}
	cr_expect(gt(sz, taken, 2000));
	cr_expect(gt(sz, left, 2000));
	gb_scanner_release(&scanner);
}

/* The line with the first `from` replaced by `to`. */
static bool is_taken_with(const char *from, const char *to)
{
	const char *at = strstr(whole_line, from);
	struct gb_scanner scanner = { 0 };
	char line[sizeof whole_line + 64];
	bool taken;

	cr_assert(ne(ptr, (void *)at, NULL));
	snprintf(line, sizeof line, "%.*s%s%s", (int)(at - whole_line), whole_line, to,
		 at + strlen(from));
	taken = is_taken(&scanner, line);
	gb_scanner_release(&scanner);
	return taken;
}

Test(history, lines_that_the_scanner_leaves)
{
	cr_expect(is_taken_with("\"ok\"", "\"failed\""));
	cr_expect(is_taken_with("\"pass\"", "\"skipped\""));
	cr_expect(is_taken_with("\"emulated\":false", "\"emulated\":true"));
	cr_expect(is_taken_with("1020.25", "0.1000000000000000055511151231257827"));
	cr_expect(is_taken_with("1020.25", "123456789012345.6"));
	cr_expect(is_taken_with("\"n\":4", "\"n\":1e300"));
	cr_expect(not(is_taken_with("1020.25", "1e999")));
	cr_expect(not(is_taken_with("1020.25", "\"1\"")));
	cr_expect(not(is_taken_with("1020.5", "-1e999")));
	cr_expect(not(is_taken_with("[1021,1020.25,1.5e3,1020.75]", "[]")));
	cr_expect(not(is_taken_with("\"median\":1020.5,", "")));
	cr_expect(not(is_taken_with("\"seq\":7", "\"seq\":7,\"replaces\":{}")));
	cr_expect(not(is_taken_with("\"seq\":7", "\"run_id\":\"x\"")));
	cr_expect(not(is_taken_with("5f3a", "5f\\/3a")));
	cr_expect(not(is_taken_with("\"seq\":7,", "\"seq\":7, ")));
	cr_expect(not(is_taken_with("\"schema\":1", "\"schema\":99")));
	cr_expect(not(is_taken_with("\"record\"", "\"run\"")));
	cr_expect(not(is_taken_with("}\n", "}")));
}
