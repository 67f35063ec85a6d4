/* print.c -- prints a history. */
#include "cli/reports/history/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/history/charts.h"
#include "common/text.h"

/* ---- the table ----------------------------------------------------------------------------- */

enum { SPARKS = 16 };

/* Draw the medians of up to SPARKS stretches as blocks of different height. */
static void draw_spark(const struct gb_trend *t, char text[4 * SPARKS])
{
	static const char *const block[] = { "\u2581", "\u2582", "\u2583", "\u2584",
					     "\u2585", "\u2586", "\u2587", "\u2588" };
	const size_t count = t->count < SPARKS ? t->count : SPARKS;
	double value[SPARKS], low = INFINITY, high = 0;
	double *room = malloc((t->count / SPARKS + 2) * sizeof *room);
	size_t used = 0;

	text[0] = '\0';
	if (!room)
		return;
	for (size_t i = 0; i < count; i++) {
		const size_t from = i * t->count / count, to = (i + 1) * t->count / count;

		value[i] = gb_median_of(t->value + from, to - from, room);
		low = fmin(low, value[i]);
		high = fmax(high, value[i]);
	}
	for (size_t i = 0; i < count; i++) {
		const double share = high > low ? (value[i] - low) / (high - low) : 0;
		const char *b = block[(size_t)fmin(share * 8, 7)];

		memcpy(text + used, b, strlen(b) + 1);
		used += strlen(b);
	}
	free(room);
}

/* The properties that all series share need no column. */
struct common {
	bool machine, cache;
};

static struct common common_of(const struct gb_history *h)
{
	struct common c = { true, true };

	for (size_t i = 1; i < h->count; i++) {
		const struct gb_stored_series *a = h->trend[0].series, *b = h->trend[i].series;

		c.machine = c.machine && a->machine == b->machine;
		c.cache = c.cache && a->cold == b->cold;
	}
	return c;
}

/* "2026-11-22T08:25:17Z". */
static void set_date(struct gb_grid *grid, size_t column, int64_t date)
{
	char text[GB_DATE_MAX];

	gb_grid_set(grid, column, gb_date_text(text, date), GB_PLAIN);
}

static void set_day(struct gb_grid *grid, size_t column, int64_t date)
{
	char text[GB_DATE_MAX];

	gb_date_text(text, date)[strcspn(text, "T")] = '\0';
	gb_grid_set(grid, column, text, GB_PLAIN);
}

/* The columns that identify a series, and those that identify a launch. */
enum { KEY, MACHINE, CACHE, OF_SERIES };
#define SERIES_COLUMNS(title)                              \
	{ title, "key", true }, { NULL, "machine", true }, \
	{                                                  \
		NULL, "caches", true                       \
	}
enum { STARTED, COMMIT, FILE_PATH };
#define RUN_COLUMNS(title)                                        \
	{ title, "started", true }, { "commit", "commit", true }, \
	{                                                         \
		"in", "file", true                                \
	}

static void set_series(struct gb_grid *grid, size_t at, const struct gb_trend *t)
{
	gb_grid_set(grid, at + KEY, t->series->key, GB_PLAIN);
	gb_grid_set(grid, at + MACHINE, gb_series_machine(t->series), GB_PLAIN);
	gb_grid_set(grid, at + CACHE, t->series->cold ? "cold" : "hot", GB_PLAIN);
}

static void set_run(struct gb_grid *grid, size_t at, const struct gb_history *h,
		    const struct gb_stored_run *run)
{
	set_date(grid, at + STARTED, run->started);
	gb_grid_set(grid, at + COMMIT, run->commit, GB_PLAIN);
	gb_grid_set(grid, at + FILE_PATH, h->store->file[run->file].path, GB_PLAIN);
}

/* ---- the series ---------------------------------------------------------------------------- */

enum {
	VERDICT,
	SERIES,
	LAUNCHES = SERIES + OF_SERIES,
	FILES,
	FAILED,
	FIRST_DAY,
	LAST_DAY,
	LEVEL,
	SHIFTS,
	SHIFT,
	SHIFT_RUN,
	TREND = SHIFT_RUN + FILE_PATH + 1,
	COLUMNS
};

static void add_trend(struct gb_grid *grid, const struct gb_history *h, const struct gb_trend *t,
		      bool sparks)
{
	char text[4 * SPARKS > GB_SHIFT_TEXT ? 4 * SPARKS : GB_SHIFT_TEXT];

	gb_grid_row(grid, false);
	gb_grid_set(grid, VERDICT, gb_verdict_text(t->verdict), gb_verdict_tint(t->verdict));
	set_series(grid, SERIES, t);
	gb_grid_set_count(grid, LAUNCHES, t->count, GB_PLAIN);
	gb_grid_set_count(grid, FILES, t->files, GB_PLAIN);
	if (t->failures)
		gb_grid_set_count(grid, FAILED, t->failures, GB_BAD);
	if (t->count) {
		set_day(grid, FIRST_DAY, t->run[0]->started);
		set_day(grid, LAST_DAY, t->run[t->count - 1]->started);
		gb_grid_set_number(grid, LEVEL, t->level, gb_text_time(text, t->level), GB_PLAIN);
	}
	gb_grid_set_count(grid, SHIFTS, t->shifts, GB_PLAIN);
	if (t->shifts) {
		const struct gb_shift *last = &t->shift[t->shifts - 1];

		gb_grid_set_number(grid, SHIFT, last->ratio.estimate, gb_shift_text(text, last),
				   gb_verdict_tint(t->verdict));
		set_run(grid, SHIFT_RUN, h, gb_first_after(t, t->shifts - 1));
	}
	if (sparks) {
		draw_spark(t, text);
		gb_grid_set(grid, TREND, text, GB_PLAIN);
	}
}

static void print_series(struct gb_sheet *sheet, const struct gb_history *h)
{
	const struct common common = common_of(h);
	const struct gb_column column[COLUMNS] = {
		[VERDICT] = { "verdict", "verdict", true },
		[SERIES + KEY] = { "key", "key", true },
		[SERIES + MACHINE] = { common.machine ? NULL : "machine", "machine", true },
		[SERIES + CACHE] = { common.cache ? NULL : "cache", "caches", true },
		[LAUNCHES] = { "launches", "launches", false },
		[FILES] = { "files", "files", false },
		[FAILED] = { "failed", "failed", false },
		[FIRST_DAY] = { "first", "first", true },
		[LAST_DAY] = { "last", "last", true },
		[LEVEL] = { "level", "level_ns", false },
		[SHIFTS] = { "shifts", "shifts", false },
		[SHIFT] = { "last shift", "last_shift_ratio", true },
		[SHIFT_RUN + STARTED] = { "first launch after it", "last_shift_started", true },
		[SHIFT_RUN + COMMIT] = { "commit", "last_shift_commit", true },
		[SHIFT_RUN + FILE_PATH] = { "in", "last_shift_file", true },
		[TREND] = { "trend", NULL, true },
	};
	struct gb_grid grid;

	if (h->count && common.machine)
		gb_sheet_put(sheet, GB_LINE, "Machine: %s%s", gb_series_machine(h->trend[0].series),
			     !common.cache              ? ""
			     : h->trend[0].series->cold ? ", cold caches"
							: ", hot caches");
	gb_grid_init(&grid, COLUMNS, column);
	for (size_t i = 0; i < h->count; i++)
		add_trend(&grid, h, &h->trend[i], sheet->utf8);
	gb_sheet_grid(sheet, "series", &grid);
}

/* Print a line for each launch that failed. */
static void print_failures(struct gb_sheet *sheet, const struct gb_history *h)
{
	static const struct gb_column column[] = { SERIES_COLUMNS("failed"),
						   RUN_COLUMNS("launch of"),
						   { "reason", "reason", true } };
	struct gb_grid grid;

	gb_grid_init(&grid, GB_COUNT(column), column);
	for (size_t i = 0; i < h->count; i++)
		for (size_t k = 0; k < h->trend[i].failures; k++) {
			const struct gb_failure *failure = &h->trend[i].failure[k];

			gb_grid_row(&grid, false);
			set_series(&grid, 0, &h->trend[i]);
			set_run(&grid, OF_SERIES, h, failure->run);
			gb_grid_set(&grid, GB_COUNT(column) - 1, failure->reason, GB_BAD);
		}
	gb_sheet_grid(sheet, "failures", &grid);
}

/* ---- totals -------------------------------------------------------------------------------- */

/* "launches left out: 1 not verified, 2 without a date". */
static void print_left_out(struct gb_sheet *sheet, const struct gb_history *h)
{
	struct {
		size_t count;
		const char *what, *name;
	} part[] = { { 0, "not verified", "unverified_launches" },
		     { 0, "emulated", "emulated_launches" },
		     { 0, "without a date", "undated_launches" } };
	bool any = false;

	for (size_t i = 0; i < h->count; i++) {
		part[0].count += h->trend[i].kinds[GB_LAUNCH_UNVERIFIED];
		part[1].count += h->trend[i].kinds[GB_LAUNCH_EMULATED];
		part[2].count += h->trend[i].undated;
	}
	for (size_t i = 0; i < GB_COUNT(part); i++) {
		gb_sheet_fact(sheet, part[i].name, (double)part[i].count);
		if (!part[i].count)
			continue;
		if (!any)
			gb_sheet_begin(sheet, GB_LINE);
		gb_sheet_text(sheet, "%s %zu %s", any ? "," : "launches left out:", part[i].count,
			      part[i].what);
		any = true;
	}
	if (any)
		gb_sheet_end(sheet);
}

/* Print the totals, which have no column in the table. */
static void print_sums(struct gb_sheet *sheet, const struct gb_history *h)
{
	char why[GB_HISTORY_WHY];
	const enum gb_status status = gb_history_status(h, why);
	size_t files = 0;

	for (size_t i = 0; i < h->store->files; i++)
		files += !h->store->file[i].fault;
	print_left_out(sheet, h);
	gb_sheet_begin(sheet, GB_LINE);
	gb_sheet_text(sheet, "%zu series in %zu files:", h->count, files);
	for (size_t v = 0; v < GB_VERDICT_WORDS; v++) {
		const char *word = gb_verdict_text((enum gb_verdict_word)v);

		gb_sheet_fact(sheet, word, (double)h->verdicts[v]);
		if (h->verdicts[v])
			gb_sheet_text(sheet, " %zu %s", h->verdicts[v], word);
	}
	gb_sheet_end(sheet);
	if (status == GB_EUNDECIDED)
		gb_sheet_put(sheet, GB_LINE, "undecided: %s", why);
	gb_sheet_fact(sheet, "exit_status", (double)status);
	gb_sheet_fact_text(sheet, "why", why[0] ? why : NULL);
	gb_sheet_fact_text(sheet, "order", h->order == GB_ORDER_COMMIT ? "commit" : "date");
	gb_sheet_fact(sheet, "error", h->error);
	gb_sheet_fact(sheet, "threshold", h->threshold);
	gb_sheet_fact(sheet, "files", (double)h->store->files);
}

/* ---- for programs -------------------------------------------------------------------------- */

static void put_launches(struct gb_sheet *sheet, const struct gb_history *h)
{
	static const struct gb_column column[] = { SERIES_COLUMNS(NULL),
						   RUN_COLUMNS(NULL),
						   { NULL, "time_ns", false } };
	struct gb_grid grid;

	gb_grid_init(&grid, GB_COUNT(column), column);
	for (size_t i = 0; i < h->count; i++)
		for (size_t k = 0; k < h->trend[i].count; k++) {
			gb_grid_row(&grid, false);
			set_series(&grid, 0, &h->trend[i]);
			set_run(&grid, OF_SERIES, h, h->trend[i].run[k]);
			gb_grid_set_number(&grid, GB_COUNT(column) - 1, h->trend[i].value[k], NULL,
					   GB_PLAIN);
		}
	gb_sheet_grid(sheet, "launches", &grid);
}

/* launch: the index, within its series, of the first launch after the shift. */
static void put_shifts(struct gb_sheet *sheet, const struct gb_history *h)
{
	static const struct gb_column column[] = {
		SERIES_COLUMNS(NULL),    RUN_COLUMNS(NULL),          { NULL, "launch", false },
		{ NULL, "p", false },    { NULL, "ratio", false },   { NULL, "low", false },
		{ NULL, "high", false }, { NULL, "coverage", false }
	};
	struct gb_grid grid;

	gb_grid_init(&grid, GB_COUNT(column), column);
	for (size_t i = 0; i < h->count; i++)
		for (size_t k = 0; k < h->trend[i].shifts; k++) {
			const struct gb_shift *s = &h->trend[i].shift[k];
			const double number[] = {
				(double)s->at,          s->p,
				s->ratio.estimate,      s->ratio.interval.low,
				s->ratio.interval.high, s->ratio.interval.coverage
			};

			gb_grid_row(&grid, false);
			set_series(&grid, 0, &h->trend[i]);
			set_run(&grid, OF_SERIES, h, gb_first_after(&h->trend[i], k));
			for (size_t n = 0; n < GB_COUNT(number); n++)
				gb_grid_set_number(&grid, GB_COUNT(column) - GB_COUNT(number) + n,
						   number[n], NULL, GB_PLAIN);
		}
	gb_sheet_grid(sheet, "shifts", &grid);
}

/* List the files that are not used. */
static void put_left_out(struct gb_sheet *sheet, const struct gb_store *store)
{
	static const struct gb_column column[] = { { NULL, "file", true }, { NULL, "why", true } };
	struct gb_grid grid;

	gb_grid_init(&grid, GB_COUNT(column), column);
	for (size_t i = 0; i < store->files; i++) {
		if (!store->file[i].fault)
			continue;
		gb_grid_row(&grid, false);
		gb_grid_set(&grid, 0, store->file[i].path, GB_PLAIN);
		gb_grid_set(&grid, 1, store->file[i].fault, GB_PLAIN);
	}
	gb_sheet_grid(sheet, "left_out", &grid);
}

enum gb_status gb_history_print(FILE *file, const struct gb_history *history, enum gb_format format,
				struct gb_error *err)
{
	struct gb_sheet sheet;

	gb_sheet_open(&sheet, file, format,
		      (struct gb_sheet_kind){ "history", "series", "history" });
	print_series(&sheet, history);
	print_failures(&sheet, history);
	print_sums(&sheet, history);
	if (format == GB_FORMAT_JSON) {
		put_launches(&sheet, history);
		put_shifts(&sheet, history);
		put_left_out(&sheet, history->store);
	}
	if (format == GB_FORMAT_HTML)
		gb_history_print_charts(&sheet, history);
	return gb_sheet_close(&sheet, err);
}
