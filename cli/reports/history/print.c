#include "cli/reports/history/print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/reports/grid/print.h"
#include "cli/reports/style.h"
#include "common/text.h"

static const char *path_of(const struct gb_history *h, const struct gb_stored_run *run)
{
	return h->store->file[run->file].path;
}

char *gb_shift_text(char text[GB_SHIFT_TEXT], const struct gb_shift *shift)
{
	const struct gb_ratio *r = &shift->ratio;
	const int used = snprintf(text, GB_SHIFT_TEXT, "%+.1f %%", 100 * (r->estimate - 1));

	if (!isnan(r->interval.low))
		(void)snprintf(text + used, GB_SHIFT_TEXT - (size_t)used, ", %+.1f to %+.1f",
			       100 * (r->interval.low - 1), 100 * (r->interval.high - 1));
	return text;
}

/* ---- the table ----------------------------------------------------------------------------- */

enum { SPARKS = 16 };

/* The medians of up to SPARKS stretches as blocks of growing height. */
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

/* What all series have in common needs no column. */
struct columns {
	bool machine, cache, spark;
};

static struct columns columns_of(const struct gb_history *h, bool utf8)
{
	struct columns c = { .spark = utf8 };

	for (size_t i = 1; i < h->count; i++) {
		const struct gb_stored_series *a = h->trend[0].series, *b = h->trend[i].series;

		c.machine = c.machine || a->machine != b->machine;
		c.cache = c.cache || a->cold != b->cold;
	}
	return c;
}

static void set_count(struct gb_grid *grid, size_t column, size_t count, enum gb_tint tint)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%zu", count);
	gb_grid_set(grid, column, text, tint);
}

/* "2026-11-22": the day is enough beside others. */
static void set_day(struct gb_grid *grid, size_t column, int64_t date)
{
	char text[GB_DATE_MAX];

	gb_date_text(text, date)[strcspn(text, "T")] = '\0';
	gb_grid_set(grid, column, text, GB_PLAIN);
}

static void set_shift(struct gb_grid *grid, const struct gb_history *h, const struct gb_trend *t)
{
	const struct gb_stored_run *run = gb_first_after(t, t->shifts - 1);
	char text[GB_SHIFT_TEXT], date[GB_DATE_MAX];

	gb_grid_set(grid, 11, gb_shift_text(text, &t->shift[t->shifts - 1]),
		    gb_verdict_tint(t->verdict));
	gb_grid_set(grid, 12, run->commit, GB_PLAIN);
	gb_grid_set(grid, 13, gb_date_text(date, run->started), GB_PLAIN);
	gb_grid_set(grid, 14, path_of(h, run), GB_PLAIN);
}

static void add_row(struct gb_grid *grid, const struct gb_history *h, const struct gb_trend *t,
		    struct columns columns)
{
	char text[4 * SPARKS > GB_TEXT_MAX ? 4 * SPARKS : GB_TEXT_MAX];

	gb_grid_row(grid, false);
	gb_grid_set(grid, 0, gb_verdict_text(t->verdict), gb_verdict_tint(t->verdict));
	gb_grid_set(grid, 1, t->series->key, GB_PLAIN);
	if (columns.machine)
		gb_grid_set(grid, 2, gb_series_machine(t->series), GB_PLAIN);
	if (columns.cache)
		gb_grid_set(grid, 3, t->series->cold ? "cold" : "hot", GB_PLAIN);
	set_count(grid, 4, t->count, GB_PLAIN);
	set_count(grid, 5, t->files, GB_PLAIN);
	if (t->failures)
		set_count(grid, 6, t->failures, GB_BAD);
	if (t->count) {
		set_day(grid, 7, t->run[0]->started);
		set_day(grid, 8, t->run[t->count - 1]->started);
		gb_grid_set(grid, 9, gb_text_time(text, t->level), GB_PLAIN);
	}
	set_count(grid, 10, t->shifts, GB_PLAIN);
	if (t->shifts)
		set_shift(grid, h, t);
	if (columns.spark) {
		draw_spark(t, text);
		gb_grid_set(grid, 15, text, GB_PLAIN);
	}
}

static enum gb_status print_table(FILE *file, const struct gb_history *h, enum gb_markup markup,
				  struct gb_error *err)
{
	static const char *const title[] = { "verdict",  "key",
					     "machine",  "cache",
					     "launches", "files",
					     "failed",   "first",
					     "last",     "level",
					     "shifts",   "last shift",
					     "commit",   "first launch after it",
					     "in",       "trend" };
	static const bool left[] = { true, true,  true,  true, false, false, false, true,
				     true, false, false, true, true,  true,  true,  true };
	const struct gb_style style =
		gb_style_for(file, markup == GB_MARKUP_HTML ? GB_FORMAT_HTML : GB_FORMAT_TABLE);
	const struct gb_grid_style grid_style = { .markup = markup, .color = style.color };
	const struct columns columns = columns_of(h, style.utf8);
	struct gb_grid grid;

	gb_grid_init(&grid, GB_COUNT(title), title, left);
	for (size_t i = 0; i < h->count; i++)
		add_row(&grid, h, &h->trend[i], columns);
	if (h->count)
		(void)gb_grid_print(file, &grid, &grid_style, err);
	gb_grid_release(&grid);
	return err->code;
}

/* A line for each launch that failed. */
static enum gb_status print_failures(FILE *file, const struct gb_history *h, enum gb_markup markup,
				     struct gb_error *err)
{
	static const char *const title[] = { "failed", "launch of", "commit", "in", "reason" };
	static const bool left[] = { true, true, true, true, true };
	const struct gb_style style = gb_style_for(file, GB_FORMAT_TABLE);
	const struct gb_grid_style grid_style = { .markup = markup, .color = style.color };
	struct gb_grid grid;

	gb_grid_init(&grid, GB_COUNT(title), title, left);
	for (size_t i = 0; i < h->count; i++) {
		const struct gb_trend *t = &h->trend[i];

		for (size_t k = 0; k < t->failures; k++) {
			const struct gb_stored_run *run = t->failure[k].run;
			char date[GB_DATE_MAX];

			gb_grid_row(&grid, false);
			gb_grid_set(&grid, 0, t->series->key, GB_PLAIN);
			gb_grid_set(&grid, 1, gb_date_text(date, run->started), GB_PLAIN);
			gb_grid_set(&grid, 2, run->commit, GB_PLAIN);
			gb_grid_set(&grid, 3, path_of(h, run), GB_PLAIN);
			gb_grid_set(&grid, 4, t->failure[k].reason, GB_BAD);
		}
	}
	if (grid.rows) {
		if (markup != GB_MARKUP_HTML)
			(void)fputc('\n', file);
		(void)gb_grid_print(file, &grid, &grid_style, err);
	}
	gb_grid_release(&grid);
	return err->code;
}

/* "launches left out: 1 not verified, 2 without a date". */
static void print_left_out(FILE *file, const struct gb_history *h)
{
	struct {
		size_t count;
		const char *what;
	} part[] = { { 0, "not verified" }, { 0, "emulated" }, { 0, "without a date" } };
	bool any = false;

	for (size_t i = 0; i < h->count; i++) {
		part[0].count += h->trend[i].kinds[GB_LAUNCH_UNVERIFIED];
		part[1].count += h->trend[i].kinds[GB_LAUNCH_EMULATED];
		part[2].count += h->trend[i].undated;
	}
	for (size_t i = 0; i < GB_COUNT(part); i++) {
		if (!part[i].count)
			continue;
		(void)fprintf(file, "%s %zu %s", any ? "," : "launches left out:", part[i].count,
			      part[i].what);
		any = true;
	}
	if (any)
		(void)fputc('\n', file);
}

/* What the table has no column for. */
static void print_sums(FILE *file, const struct gb_history *h)
{
	char why[GB_HISTORY_WHY];
	size_t files = 0;

	for (size_t i = 0; i < h->store->files; i++)
		files += !h->store->file[i].fault;
	print_left_out(file, h);
	(void)fprintf(file, "%zu series in %zu files:", h->count, files);
	for (size_t v = 0; v < GB_VERDICT_WORDS; v++)
		if (h->verdicts[v])
			(void)fprintf(file, " %zu %s", h->verdicts[v],
				      gb_verdict_text((enum gb_verdict_word)v));
	(void)fputc('\n', file);
	if (gb_history_status(h, why) == GB_EUNDECIDED)
		(void)fprintf(file, "undecided: %s\n", why);
}

enum gb_status gb_history_print_tables(FILE *file, const struct gb_history *history,
				       enum gb_markup markup, struct gb_error *err)
{
	const struct gb_history *h = history;
	const bool html = markup == GB_MARKUP_HTML;
	const struct columns columns = columns_of(h, false);

	if (h->count && !columns.machine) {
		(void)fputs(html ? "<p>Machine: " : "Machine: ", file);
		gb_grid_print_text(file, gb_series_machine(h->trend[0].series), markup);
		if (!columns.cache)
			(void)fprintf(file, ", %s caches",
				      h->trend[0].series->cold ? "cold" : "hot");
		(void)fputs(html ? "</p>\n" : "\n\n", file);
	}
	if (print_table(file, h, markup, err) || print_failures(file, h, markup, err))
		return err->code;
	(void)fputs(html ? "<pre>" : h->count ? "\n" : "", file);
	print_sums(file, h);
	if (html)
		(void)fputs("</pre>\n", file);
	return GB_OK;
}

static enum gb_status finish(FILE *file, struct gb_error *err)
{
	if (!err->code && (fflush(file) || ferror(file)))
		gb_fail(err, GB_EIO, "cannot write the history: %s", strerror(errno));
	return err->code;
}

enum gb_status gb_history_print(FILE *file, const struct gb_history *history, enum gb_markup markup,
				struct gb_error *err)
{
	(void)gb_history_print_tables(file, history, markup, err);
	return finish(file, err);
}

/* ---- as JSON ------------------------------------------------------------------------------- */

static bool put_date(cJSON *item, const char *name, int64_t date)
{
	char text[GB_DATE_MAX];

	return gb_json_put_text(item, name, gb_date_text(text, date)[0] ? text : NULL);
}

/* Where a launch is. */
static bool put_run(cJSON *item, const struct gb_history *h, const struct gb_stored_run *run)
{
	return gb_json_put_text(item, "file", path_of(h, run)) &&
	       gb_json_put_text(item, "run_id", run->run_id) &&
	       gb_json_put_text(item, "commit", run->commit[0] ? run->commit : NULL) &&
	       put_date(item, "started", run->started);
}

static bool put_shifts(cJSON *list, const struct gb_history *h, const struct gb_trend *t)
{
	bool whole = list;

	for (size_t i = 0; i < t->shifts && whole; i++) {
		const struct gb_shift *s = &t->shift[i];
		cJSON *item = cJSON_CreateObject();

		whole = gb_json_append(list, item) && gb_json_put_int(item, "at", (int64_t)s->at) &&
			gb_json_put_number(item, "p", s->p) &&
			gb_json_put_number(item, "ratio", s->ratio.estimate) &&
			gb_json_put_number(item, "low", s->ratio.interval.low) &&
			gb_json_put_number(item, "high", s->ratio.interval.high) &&
			gb_json_put_number(item, "coverage", s->ratio.interval.coverage) &&
			put_run(item, h, gb_first_after(t, i));
	}
	return whole;
}

static bool put_failures(cJSON *list, const struct gb_history *h, const struct gb_trend *t)
{
	bool whole = list;

	for (size_t i = 0; i < t->failures && whole; i++) {
		cJSON *item = cJSON_CreateObject();

		whole = gb_json_append(list, item) &&
			gb_json_put_text(item, "reason", t->failure[i].reason) &&
			put_run(item, h, t->failure[i].run);
	}
	return whole;
}

static bool put_values(cJSON *list, const struct gb_trend *t)
{
	bool whole = list;

	for (size_t i = 0; i < t->count && whole; i++)
		whole = gb_json_append_number(list, t->value[i]);
	return whole;
}

static bool put_trend(cJSON *list, const struct gb_history *h, const struct gb_trend *t)
{
	cJSON *item = cJSON_CreateObject();

	return gb_json_append(list, item) && gb_json_put_text(item, "key", t->series->key) &&
	       gb_json_put_text(item, "machine", gb_series_machine(t->series)) &&
	       gb_json_put_bool(item, "cold", t->series->cold) &&
	       gb_json_put_text(item, "verdict", gb_verdict_text(t->verdict)) &&
	       gb_json_put_int(item, "launches", (int64_t)t->count) &&
	       gb_json_put_int(item, "files", (int64_t)t->files) &&
	       gb_json_put_int(item, "unverified", (int64_t)t->kinds[GB_LAUNCH_UNVERIFIED]) &&
	       gb_json_put_int(item, "emulated", (int64_t)t->kinds[GB_LAUNCH_EMULATED]) &&
	       gb_json_put_int(item, "undated", (int64_t)t->undated) &&
	       put_date(item, "first", t->count ? t->run[0]->started : GB_NO_DATE) &&
	       put_date(item, "last", t->count ? t->run[t->count - 1]->started : GB_NO_DATE) &&
	       gb_json_put_number(item, "level_ns", t->count ? t->level : (double)NAN) &&
	       put_values(cJSON_AddArrayToObject(item, "values_ns"), t) &&
	       put_shifts(cJSON_AddArrayToObject(item, "shifts"), h, t) &&
	       put_failures(cJSON_AddArrayToObject(item, "failures"), h, t);
}

static bool put_trends(cJSON *list, const struct gb_history *h)
{
	bool whole = list;

	for (size_t i = 0; i < h->count && whole; i++)
		whole = put_trend(list, h, &h->trend[i]);
	return whole;
}

static bool put_verdicts(cJSON *object, const struct gb_history *h)
{
	bool whole = object;

	for (size_t v = 0; v < GB_VERDICT_WORDS && whole; v++)
		whole = gb_json_put_int(object, gb_verdict_text((enum gb_verdict_word)v),
					(int64_t)h->verdicts[v]);
	return whole;
}

/* Files of which nothing is used. */
static bool put_left_out(cJSON *list, const struct gb_store *store)
{
	bool whole = list;

	for (size_t i = 0; i < store->files && whole; i++) {
		cJSON *item = store->file[i].fault ? cJSON_CreateObject() : NULL;

		if (store->file[i].fault)
			whole = gb_json_append(list, item) &&
				gb_json_put_text(item, "file", store->file[i].path) &&
				gb_json_put_text(item, "why", store->file[i].fault);
	}
	return whole;
}

static bool put_history(cJSON *object, const struct gb_history *h)
{
	char why[GB_HISTORY_WHY];
	const enum gb_status status = gb_history_status(h, why);

	return object && gb_json_put_text(object, "type", "history") &&
	       gb_json_put_int(object, "schema", GB_HISTORY_SCHEMA) &&
	       gb_json_put_int(object, "exit_status", (int64_t)status) &&
	       gb_json_put_text(object, "why", why[0] ? why : NULL) &&
	       gb_json_put_text(object, "order", h->order == GB_ORDER_COMMIT ? "commit" : "date") &&
	       gb_json_put_number(object, "threshold", h->threshold) &&
	       gb_json_put_int(object, "files", (int64_t)h->store->files) &&
	       put_left_out(cJSON_AddArrayToObject(object, "left_out"), h->store) &&
	       put_verdicts(cJSON_AddObjectToObject(object, "verdicts"), h) &&
	       put_trends(cJSON_AddArrayToObject(object, "series"), h);
}

enum gb_status gb_history_print_json(FILE *file, const struct gb_history *history,
				     struct gb_error *err)
{
	cJSON *object = cJSON_CreateObject();

	if (!put_history(object, history) || !gb_json_print(file, object))
		gb_out_of_memory(err, "the history");
	cJSON_Delete(object);
	return finish(file, err);
}
