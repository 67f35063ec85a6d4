/* test_history.c -- the machine of a series, the order of its launches, limits of verdicts, charts.
 * The golden cases history_* test the verdicts.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <omp.h>
#include <stdlib.h>

#include "cli/records/json.h"
#include "cli/records/lines.h"
#include "cli/reports/history/charts.h"
#include "cli/reports/history/folder.h"
#include "cli/reports/history/print.h"
#include "cli/reports/history/store.h"
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
		 "\"bench\":\"radix\",\"variant\":\"best\",\"params\":{\"n\":1},%s}",
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

/* ---- order -------------------------------------------------------------------------------- */

#define RUN(id, commit, date, started)                                      \
	"\"run_id\":\"" id "\",\"started\":\"2026-01-0" started             \
	"T00:00:00Z\",\"tool\":{\"commit\":\"" commit "\",\"commit_date\":" \
	"\"2026-01-0" date "T00:00:00Z\"}"

/* Launches in their order.  A date that ends in x is none. */
static const struct ordered {
	size_t folder;
	const char *path, *run;
} by_date[] = {
	{ 0, "c", RUN("9", "z", "1", "3") }, { 0, "b", RUN("8", "y", "9", "4") },
	{ 0, "a", RUN("7", "x", "5", "5") }, { 0, "d", RUN("1", "y", "4", "5") },
	{ 0, "g", RUN("2", "y", "3", "5") }, { 1, "f", RUN("6", "a", "1", "1") },
}, by_commit[] = {
	{ 0, "f", RUN("9", "", "x", "1") }, { 0, "e", RUN("8", "m", "x", "3") },
	{ 0, "d", RUN("1", "m", "x", "9") }, { 0, "h", RUN("7", "", "x", "4") },
	{ 0, "c", RUN("6", "k", "x", "6") }, { 0, "b", RUN("5", "k", "4", "7") },
	{ 0, "a", RUN("4", "k", "x", "8") }, { 0, "i", RUN("3", "n", "4", "2") },
	{ 0, "g", RUN("2", "", "x", "5") }, { 1, "j", RUN("0", "k", "x", "1") },
	{ 1, "k", RUN("A", "k", "x", "1") },
};

/* The time of a launch is its place.  A run that a later file repeats counts once. */
static void expect_order(const struct ordered *launch, size_t count, enum gb_order order)
{
	struct gb_store store = { 0 };
	struct gb_history h = { .order = order, .rule = gb_shift_rule };
	struct gb_error err = { 0 };

	for (size_t i = 0; i <= count; i++) {
		const size_t at = i * 7 % count;
		char line[300], record[300];
		struct gb_records records = { 0 };

		snprintf(line, sizeof line, "{\"type\":\"run\",\"schema\":2,%s}", launch[at].run);
		add(&records, line);
		snprintf(record, sizeof record,
			 "{\"type\":\"record\",\"schema\":2,\"run_id\":\"%s\",\"bench\":\"radix\","
			 "\"backend\":\"cpu\",\"variant\":\"best\",\"key\":\"radix/cpu/best n=1\","
			 "\"params\":{\"n\":1},\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},"
			 "\"time\":{\"median\":%zu,\"samples\":[%zu]}}",
			 records.run[0]->run_id, at + 1 + !i, at + 1 + !i);
		add(&records, record);
		store.folder = launch[at].folder;
		cr_assert_not(
			gb_store_file(&store, i ? launch[at].path : "z", &records, NULL, &err));
		gb_records_release(&records);
	}
	cr_assert_not(gb_history_judge(&h, &store, &err));
	cr_assert(eq(sz, h.trend[0].count, count));
	for (size_t i = 0; i < count; i++)
		cr_expect(eq(dbl, h.trend[0].value[i], (double)(i + 1)), "%d: %zu", order, i);
	gb_history_release(&h);
	gb_store_release(&store);
}

Test(history, order)
{
	expect_order(by_date, GB_COUNT(by_date), GB_ORDER_DATE);
	expect_order(by_commit, GB_COUNT(by_commit), GB_ORDER_COMMIT);
}

/* A glob matches the whole key, or its part before the parameters; `*` matches slashes, too. */
Test(history, globs)
{
	static const struct {
		const char *glob;
		size_t count;
	} row[] = {
		{ "radix/cpu/best n=1", 1 }, { "*/best", 1 }, { "*=1", 1 },      { "radix*", 1 },
		{ "radix/cpu/bes", 0 },      { "best", 0 },   { "*/best n", 0 }, { "*=2", 0 },
	};
	struct gb_store store = { 0 };

	put_file(&store, 0, "\"schema\":2,\"started\":\"2026-01-01T00:00:00Z\"", "\"cpu\":\"Z80\"",
		 "\"backend\":\"cpu\",\"key\":\"radix/cpu/best n=1\",\"status\":\"failed\"");
	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_history h = { .glob = &row[i].glob, .globs = 1, .rule = gb_shift_rule };
		struct gb_error err = { 0 };

		cr_expect(eq(int, (int)gb_history_judge(&h, &store, &err),
			     row[i].count ? GB_OK : GB_EUSAGE),
			  "%s", row[i].glob);
		cr_expect(eq(sz, h.count, row[i].count), "%s", row[i].glob);
		gb_history_release(&h);
	}
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
		cr_expect(ieee_ulp_eq(dbl, shift.ratio.estimate, k ? 0.5 : 1.5, 0));
		cr_expect(eq(int, (int)verdict_at(&store, 0.05, 0.05), k ? GB_FASTER : GB_SLOWER));
		cr_expect(eq(int, (int)verdict_at(&store, 2, 0.05), GB_SAME));
		cr_expect(eq(int, (int)verdict_at(&store, k ? 1 : 0.5, 0.05), GB_SAME));
		if (k == 0) {
			cr_expect(eq(int, (int)verdict_at(&store, 0.05, shift.p), GB_SLOWER));
			cr_expect(
				eq(int, (int)verdict_at(&store, 0.05, shift.p * 0.999), GB_UNSURE));
		}
		gb_store_release(&store);
	}
}

/* An interval that begins or ends at 1 does not exclude it. */
Test(history, limits_of_intervals)
{
	for (size_t k = 0; k < 2; k++) {
		struct gb_store store = { 0 };
		struct gb_history h;
		struct gb_ratio ratio;
		double ns[40];

		for (size_t i = 0; i < GB_COUNT(ns); i++)
			ns[i] = i >= 20 && i % 5 < 3 ? (k ? 50 : 150) : 100;
		put_launches(&store, ns, GB_COUNT(ns));
		h = judged(&store, 0.05, 0.05);
		cr_assert(eq(sz, h.trend[0].shifts, 1));
		ratio = h.trend[0].shift[0].ratio;
		cr_expect(ieee_ulp_eq(dbl, ratio.estimate, ns[20] / 100, 4));
		cr_expect(ieee_ulp_eq(dbl, k ? ratio.interval.high : ratio.interval.low, 1, 0));
		cr_expect(eq(int, (int)h.trend[0].verdict, GB_SAME));
		gb_history_release(&h);
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
	"best\",\"params\":{\"n\":1},\"status\":\"ok\","                                \
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
