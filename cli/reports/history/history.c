/* history.c -- see history.h. */
#include "cli/reports/history/history.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/history/folder.h"
#include "common/text.h"

/* ---- the order of runs --------------------------------------------------------------------- */

/* A run's position in time. */
struct moment {
	size_t folder;
	int64_t first, second; /* the dates of the commit and the run, or the run's date twice */
	const struct gb_stored_run *run;
	const char *path;
};

static int by_moment(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	int order = GB_ORDER(x->folder, y->folder);

	order = order ? order : GB_ORDER(x->first, y->first);
	order = order ? order : strcmp(x->run->commit, y->run->commit);
	order = order ? order : GB_ORDER(x->second, y->second);
	order = order ? order : strcmp(x->run->run_id, y->run->run_id);
	return order ? order : strcmp(x->path, y->path);
}

static int by_commit(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;
	const int order = strcmp(x->run->commit, y->run->commit);

	return order ? order : GB_ORDER(x->second, y->second);
}

static int64_t known_date(int64_t a, int64_t b)
{
	return a == GB_NO_DATE ? b : a;
}

/* Set the date of each commit: the recorded one, else the date of its first run. */
static void date_commits(struct moment *moment, size_t count)
{
	qsort(moment, count, sizeof *moment, by_commit);
	for (size_t from = 0, to; from < count; from = to) {
		int64_t recorded = GB_NO_DATE, first = GB_NO_DATE;

		for (to = from;
		     to < count && gb_equal(moment[to].run->commit, moment[from].run->commit);
		     to++) {
			recorded = known_date(recorded, moment[to].run->committed);
			first = known_date(first, moment[to].second);
		}
		for (size_t i = from; i < to; i++)
			if (moment[i].run->commit[0])
				moment[i].first = known_date(recorded, first);
	}
}

/* Order all runs by time: rank[run] is the position of a run. */
static enum gb_status rank_runs(const struct gb_history *h, uint32_t *rank, struct gb_error *err)
{
	const struct gb_store *store = h->store;
	struct moment *moment = malloc((store->runs + 1) * sizeof *moment);

	if (!moment)
		return gb_out_of_memory(err, "the history");
	for (size_t i = 0; i < store->runs; i++) {
		const struct gb_stored_run *run = &store->run[i];
		const struct gb_stored_file *file = &store->file[run->file];

		moment[i] = (struct moment){ file->folder, run->started, run->started, run,
					     file->path };
	}
	if (h->order == GB_ORDER_COMMIT)
		date_commits(moment, store->runs);
	qsort(moment, store->runs, sizeof *moment, by_moment);
	for (size_t i = 0; i < store->runs; i++)
		rank[moment[i].run - store->run] = (uint32_t)i;
	free(moment);
	return GB_OK;
}

/* List the numbers of all launches in the order of their runs, by a counting sort. */
static enum gb_status order_launches(const struct gb_history *h, size_t *order,
				     struct gb_error *err)
{
	const struct gb_store *store = h->store;
	uint32_t *rank = malloc((store->runs + 1) * sizeof *rank);
	size_t *end = calloc(store->runs + 1, sizeof *end); /* of a run's launches */

	if (!rank || !end)
		gb_out_of_memory(err, "the history");
	else if (!rank_runs(h, rank, err)) {
		for (size_t i = 0; i < store->launches; i++)
			end[rank[store->launch[i].run]]++;
		for (size_t i = 1; i < store->runs; i++)
			end[i] += end[i - 1];
		for (size_t i = store->launches; i-- > 0;)
			order[--end[rank[store->launch[i].run]]] = i;
	}
	free(rank);
	free(end);
	return err->code;
}

/* ---- series -------------------------------------------------------------------------------- */

static bool matches(const char *glob, const char *key)
{
	char variant[256];

	(void)snprintf(variant, sizeof variant, "%.*s", (int)strcspn(key, " "), key);
	return fnmatch(glob, key, 0) == 0 || fnmatch(glob, variant, 0) == 0;
}

/* True if the series is selected; marks the globs that match it. */
static bool is_wanted(const struct gb_history *h, const struct gb_stored_series *series, bool *used)
{
	bool wanted = h->globs == 0;

	for (size_t i = 0; i < h->globs; i++) {
		if (!matches(h->glob[i], series->key))
			continue;
		used[i] = wanted = true;
	}
	return wanted;
}

static int by_key(const void *a, const void *b)
{
	const struct gb_stored_series *x = ((const struct gb_trend *)a)->series;
	const struct gb_stored_series *y = ((const struct gb_trend *)b)->series;
	int order = strcmp(x->key, y->key);

	order = order ? order : strcmp(gb_series_machine(x), gb_series_machine(y));
	return order ? order : y->cold - x->cold;
}

/* Add a launch to the trend.  A run that several files hold counts once. */
static void add_launch(struct gb_trend *trend, const struct gb_store *store,
		       const struct gb_stored_launch *launch, const struct gb_stored_run **last)
{
	const struct gb_stored_run *run = &store->run[launch->run];

	if (run->started == GB_NO_DATE) {
		trend->undated++;
		return;
	}
	if (*last && gb_equal((*last)->run_id, run->run_id))
		return;
	*last = run;
	trend->kinds[launch->kind]++;
	if (launch->kind == GB_LAUNCH_FAILED)
		trend->failure[trend->failures++] = (struct gb_failure){ run, launch->reason };
	if (launch->kind != GB_LAUNCH_TIME)
		return;
	trend->value[trend->count] = launch->ns;
	trend->run[trend->count++] = run;
}

/* Count the files that the launches of a trend are from. */
static void count_files(struct gb_trend *trend, size_t *seen, size_t mark)
{
	for (size_t i = 0; i < trend->count; i++) {
		trend->files += seen[trend->run[i]->file] != mark;
		seen[trend->run[i]->file] = mark;
	}
}

/* Allocate the trends that are selected.  number[series] becomes the index of the trend. */
static enum gb_status make_trends(struct gb_history *h, size_t *number, struct gb_error *err)
{
	const struct gb_store *store = h->store;
	size_t *launches = calloc(store->all_series + 1, sizeof *launches);
	size_t *failures = calloc(store->all_series + 1, sizeof *failures);

	h->trend = calloc(store->all_series + 1, sizeof *h->trend);
	if (!launches || !failures || !h->trend) {
		gb_out_of_memory(err, "the history");
		goto out;
	}
	for (size_t i = 0; i < store->launches; i++) {
		launches[store->launch[i].series]++;
		failures[store->launch[i].series] += store->launch[i].kind == GB_LAUNCH_FAILED;
	}
	for (size_t i = 0; i < store->all_series; i++) {
		struct gb_trend *trend = &h->trend[h->count];

		if (!launches[i] || number[i] == SIZE_MAX)
			continue;
		*trend = (struct gb_trend){
			.series = store->series[i],
			.value = malloc(launches[i] * sizeof *trend->value),
			.run = malloc(launches[i] * sizeof(struct gb_stored_run *)),
			.failure = malloc((failures[i] + 1) * sizeof *trend->failure),
		};
		h->count++;
		if (!trend->value || !trend->run || !trend->failure) {
			gb_out_of_memory(err, "the history");
			goto out;
		}
	}
	if (h->count)
		qsort(h->trend, h->count, sizeof *h->trend, by_key);
	for (size_t i = 0; i < h->count; i++)
		number[h->trend[i].series->number] = i;
out:
	free(launches);
	free(failures);
	return err->code;
}

/* Set number[series] to SIZE_MAX for series that are not selected. */
static enum gb_status choose_series(const struct gb_history *h, size_t *number,
				    struct gb_error *err)
{
	const struct gb_store *store = h->store;
	bool *used = calloc(h->globs + 1, sizeof *used);

	if (!used)
		return gb_out_of_memory(err, NULL);
	for (size_t i = 0; i < store->all_series; i++)
		number[i] = is_wanted(h, store->series[i], used) ? 0 : SIZE_MAX;
	for (size_t i = 0; i < h->globs && store->all_series; i++)
		if (!used[i])
			gb_fail(err, GB_EUSAGE, "no key of the history matches '%.200s'",
				h->glob[i]);
	free(used);
	return err->code;
}

static enum gb_status fill_trends(struct gb_history *h, struct gb_error *err)
{
	const struct gb_store *store = h->store;
	size_t *number = calloc(store->all_series + 1, sizeof *number);
	size_t *order = calloc(store->launches + 1, sizeof *order);
	size_t *seen = calloc(store->files + 1, sizeof *seen);
	const struct gb_stored_run **last =
		calloc(store->all_series + 1, sizeof(struct gb_stored_run *));

	if (!number || !order || !seen || !last)
		gb_out_of_memory(err, "the history");
	else if (!choose_series(h, number, err) && !make_trends(h, number, err) &&
		 !order_launches(h, order, err)) {
		for (size_t i = 0; i < store->launches; i++) {
			const struct gb_stored_launch *launch = &store->launch[order[i]];
			const size_t at = number[launch->series];

			if (at != SIZE_MAX)
				add_launch(&h->trend[at], store, launch, &last[at]);
		}
		for (size_t i = 0; i < h->count; i++)
			count_files(&h->trend[i], seen, i + 1);
	}
	free(number);
	free(order);
	free(seen);
	free(last);
	return err->code;
}

/* ---- verdicts ------------------------------------------------------------------------------ */

static bool is_long(const struct gb_history *h, const struct gb_trend *trend)
{
	return trend->count >= 2 * h->rule.segment;
}

/* `level`: the most that p of a shift may be if it is to count. */
static enum gb_verdict_word verdict_of(const struct gb_history *h, const struct gb_trend *trend,
				       double level)
{
	const struct gb_shift *last = trend->shifts ? &trend->shift[trend->shifts - 1] : NULL;
	const struct gb_ratio *ratio = last ? &last->ratio : NULL;

	if (!is_long(h, trend))
		return GB_UNSURE;
	if (last && ratio->estimate > 1 + h->threshold && ratio->interval.low > 1)
		return last->p <= level ? GB_SLOWER : GB_UNSURE;
	if (last && ratio->estimate < 1 / (1 + h->threshold) && ratio->interval.high < 1)
		return GB_FASTER;
	return GB_SAME;
}

static enum gb_status judge_trend(const struct gb_history *h, struct gb_trend *trend,
				  struct gb_error *err)
{
	size_t begin;
	double *room;

	if (gb_shifts_find(trend->value, trend->count, &h->rule, &trend->shift, &trend->shifts,
			   err))
		return err->code;
	begin = trend->shifts ? trend->shift[trend->shifts - 1].at : 0;
	room = malloc(trend->count * sizeof *room);
	if (!room)
		return gb_out_of_memory(err, "the history");
	trend->level = gb_median_of(trend->value + begin, trend->count - begin, room);
	free(room);
	return GB_OK;
}

enum gb_status gb_history_judge(struct gb_history *history, const struct gb_store *store,
				struct gb_error *err)
{
	struct gb_history *h = history;
	size_t judged = 0;

	h->store = store;
	h->count = 0;
	h->trend = NULL;
	memset(h->verdicts, 0, sizeof h->verdicts);
	if (fill_trends(h, err))
		return err->code;
#pragma omp parallel for schedule(dynamic) num_threads(gb_history_threads(h->count))
	for (size_t i = 0; i < h->count; i++) {
		struct gb_error own = { 0 };

		if (judge_trend(h, &h->trend[i], &own)) {
#pragma omp critical
			gb_fail(err, own.code, "%s", own.message);
		}
	}
	for (size_t i = 0; i < h->count; i++)
		judged += is_long(h, &h->trend[i]);
	for (size_t i = 0; i < h->count && !err->code; i++) {
		h->trend[i].verdict =
			verdict_of(h, &h->trend[i], h->error / (double)(judged ? judged : 1));
		h->verdicts[h->trend[i].verdict]++;
	}
	return err->code;
}

void gb_history_release(struct gb_history *history)
{
	for (size_t i = 0; i < history->count; i++) {
		free(history->trend[i].value);
		free(history->trend[i].run);
		free(history->trend[i].failure);
		free(history->trend[i].shift);
	}
	free(history->trend);
	history->trend = NULL;
	history->count = 0;
}

enum gb_status gb_history_status(const struct gb_history *history, char *why)
{
	const size_t *v = history->verdicts;
	size_t open = 0;

	why[0] = '\0';
	if (v[GB_SLOWER]) {
		(void)snprintf(why, GB_HISTORY_WHY, "%zu of %zu newest levels are slower",
			       v[GB_SLOWER], history->count);
		return GB_EVERIFY;
	}
	for (size_t i = 0; i < history->count; i++) {
		const struct gb_trend *t = &history->trend[i];

		open += t->verdict == GB_UNSURE && is_long(history, t);
	}
	if (history->count > v[GB_UNSURE] && !open)
		return GB_OK;
	if (open)
		(void)snprintf(why, GB_HISTORY_WHY,
			       "%zu of %zu newest levels may be slower; more launches on them "
			       "would decide",
			       open, history->count);
	else if (history->count)
		(void)snprintf(why, GB_HISTORY_WHY,
			       "none of %zu series has the %zu launches that are needed",
			       history->count, 2 * history->rule.segment);
	else
		(void)snprintf(why, GB_HISTORY_WHY, "there are no launches");
	return GB_EUNDECIDED;
}

const struct gb_stored_run *gb_first_after(const struct gb_trend *trend, size_t i)
{
	return trend->run[trend->shift[i].at];
}
