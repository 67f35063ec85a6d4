/* Series from stored launches: their order, what counts, what the newest level is worth; and the
 * index, which must say what the files say. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/reports/history/folder.h"
#include "cli/reports/history/history.h"
#include "cli/reports/history/index.h"
#include "common/text.h"

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
	gb_store_file(store, path, 1, 1, NULL, &err);
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

/* ---- the index ---------------------------------------------------------------------------- */

static bool want_all(const char *path, int64_t size, int64_t mtime_ns, void *closure)
{
	(void)path;
	(void)size;
	(void)mtime_ns;
	(void)closure;
	return true;
}

static bool want_but_3(const char *path, int64_t size, int64_t mtime_ns, void *closure)
{
	(void)size;
	(void)mtime_ns;
	(void)closure;
	return !gb_equal(path, "3.jsonl");
}

static const char *scratch_index(void)
{
	static char path[64];

	snprintf(path, sizeof path, "/tmp/gpubench-index-%d.sqlite", (int)getpid());
	unlink(path);
	return path;
}

Test(history, the_index_gives_back_what_it_got)
{
	const char *path = scratch_index(), *note;
	struct gb_store store = twenty(1.1), loaded = { 0 }, part = { 0 };
	struct gb_error err = { 0 };

	put(&store, 20, 5, 6, "c0ffee", 0, GB_LAUNCH_FAILED);
	gb_store_file(&store, "foreign.jsonl", 3, 4, NULL, &err);
	gb_store_fault(&store.file[21], "is none", &err);
	for (size_t i = 0; i < 21; i++) {
		store.file[i].first_run = store.file[i].first_launch = i;
		store.file[i].runs = store.file[i].launches = 1;
	}
	gb_index_save(path, &store);
	if (access(path, F_OK))
		cr_skip_test("SQLite is not in this build");
	gb_index_load(path, &loaded, want_all, NULL, &note, &err);
	cr_expect(zero(ptr, (void *)note));
	cr_assert(eq(sz, loaded.files, store.files));
	cr_assert(eq(sz, loaded.launches, store.launches));
	for (size_t i = 0; i < store.launches; i++) {
		cr_expect(eq(dbl, loaded.launch[i].ns, store.launch[i].ns));
		cr_expect(eq(u32, loaded.launch[i].kind, store.launch[i].kind));
		cr_expect(eq(str, loaded.run[i].run_id, store.run[i].run_id));
		cr_expect(eq(i64, loaded.run[i].started, store.run[i].started));
		cr_expect(eq(i64, loaded.run[i].committed, store.run[i].committed));
	}
	cr_expect(eq(str, loaded.series[0].key, "radix/cpu/best count=5"));
	cr_expect(eq(str, loaded.reason[0], "wrong"));
	cr_expect(eq(str, loaded.run[20].commit, "c0ffee"));
	cr_expect(eq(str, loaded.file[21].fault, "is none"));
	gb_index_load(path, &part, want_but_3, NULL, &note, &err);
	cr_expect(eq(sz, part.files, store.files - 1));
	gb_store_release(&part);
	gb_store_release(&loaded);
	gb_store_release(&store);
	unlink(path);
}

/* One byte anywhere: then the index says the same as before, or is not believed. */
Test(history, a_damaged_index_is_not_believed)
{
	const char *path = scratch_index(), *note;
	struct gb_store store = twenty(1.1);
	struct gb_error err = { 0 };
	struct stat file;
	size_t doubted = 0;
	char *whole;
	int fd;

	for (size_t i = 0; i < 20; i++) {
		store.file[i].first_run = store.file[i].first_launch = i;
		store.file[i].runs = store.file[i].launches = 1;
	}
	gb_index_save(path, &store);
	if (stat(path, &file))
		cr_skip_test("SQLite is not in this build");
	whole = malloc((size_t)file.st_size);
	fd = open(path, O_RDONLY);
	cr_assert(eq(int, read(fd, whole, (size_t)file.st_size) == file.st_size, 1));
	close(fd);
	for (off_t at = 5; at < file.st_size; at += file.st_size / 150) {
		struct gb_store loaded = { 0 };

		whole[at] ^= 0x55;
		unlink(path);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		cr_assert(eq(int, write(fd, whole, (size_t)file.st_size) == file.st_size, 1));
		close(fd);
		whole[at] ^= 0x55;
		gb_index_load(path, &loaded, want_all, NULL, &note, &err);
		cr_expect(eq(int, (int)err.code, GB_OK));
		doubted += note != NULL;
		if (note)
			cr_expect(eq(sz, loaded.files, 0));
		for (size_t i = 0; i < loaded.launches; i++)
			cr_expect(eq(dbl, loaded.launch[i].ns, store.launch[i].ns));
		gb_store_release(&loaded);
	}
	cr_expect(doubted > 0);
	free(whole);
	gb_store_release(&store);
	unlink(path);
}
