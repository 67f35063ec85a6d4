#include "cli/reports/pooled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "common/stats.h"
#include "common/text.h"

/* Both NULL, or equal. */
static bool same_text(const char *a, const char *b)
{
	return a && b ? gb_equal(a, b) : a == b;
}

/* Whether the record has a time of real hardware that may be pooled. */
static bool is_timed(const struct gb_record *record)
{
	return gb_is_record(record) && !record->emulated &&
	       record->key && !(record->status == GB_STATUS_UNVERIFIED) &&
	       record->time.sum.median > 0;
}

/* Whether two timed records are launches of one measurement. */
static bool belongs(const struct gb_runs *runs, const struct gb_record *a, const struct gb_record *b)
{
	const cJSON *x = gb_runs_find(runs, a), *y = gb_runs_find(runs, b);

	return is_timed(b) && gb_equal(a->key, b->key) &&
	       same_text(x->host.hostname, y->host.hostname) &&
	       same_text(x->tool.commit, y->tool.commit) &&
	       same_text(x ? gb_setup_machine(a, x) : NULL, y ? gb_setup_machine(b, y) : NULL) &&
	       gb_record_is_cold(a) == gb_record_is_cold(b);
}

static bool put_interval(cJSON *time, const char *name, double low, double high)
{
	cJSON *pair;

	if (isnan(low))
		return gb_json_put(time, name, cJSON_CreateNull());
	pair = cJSON_AddArrayToObject(time, name);
	return gb_json_append(pair, cJSON_CreateNumber(low)) &&
	       gb_json_append(pair, cJSON_CreateNumber(high));
}

/* The record as that of `count` launches. */
static enum gb_status make_pooled(cJSON *record, const double *median, size_t count,
				  struct gb_error *err)
{
	static const char *const alone[] = { "time",     "rates",    "phases",     "create",
					     "upload",   "download", "first_call", "host_time",
					     "overhead", "samples",  "gpu_state",  "elapsed_s" };
	const double items = record->work.items;
	struct gb_summary s;
	cJSON *time, *rates;

	if (gb_summarize(median, count, &s, err))
		return err->code;
	for (size_t i = 0; i < GB_COUNT(alone); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(record, alone[i]);
	time = cJSON_AddObjectToObject(record, "time");
	rates = cJSON_AddObjectToObject(record, "rates");
	if (time && rates && gb_json_put_text(time, "unit", "ns") &&
	    gb_json_put_int(time, "n", (int64_t)count) &&
	    gb_json_put_number(time, "median", s.median) &&
	    put_interval(time, "ci95", s.ci_low, s.ci_high) &&
	    gb_json_put_number(time, "min", s.min) && gb_json_put_number(time, "q1", s.q1) &&
	    gb_json_put_number(time, "q3", s.q3) && gb_json_put_number(time, "max", s.max) &&
	    gb_json_put_number(time, "mean", s.mean) &&
	    put_interval(time, "mean_ci95", s.mean_ci_low, s.mean_ci_high) &&
	    gb_json_put_number(time, "stddev", s.stddev) &&
	    gb_json_put_number(time, "mad", s.mad) &&
	    gb_json_put_int(time, "outliers", (int64_t)s.outliers) &&
	    gb_json_put_number(rates, "items_per_s", items / (s.median * 1e-9)))
		return GB_OK;
	return gb_out_of_memory(err, NULL);
}

enum gb_status gb_pool_launches(struct gb_records *records, struct gb_error *err)
{
	double *median = calloc(records->count + 1, sizeof *median);
	struct gb_runs runs = { 0 };

	if (!median)
		return gb_out_of_memory(err, NULL);
	(void)gb_runs_add(&runs, records, err);
	for (size_t i = 0; i < records->count && !err->code; i++) {
		size_t count = 1;

		if (!is_timed(records->record[i]))
			continue;
		median[0] = records->record[i]->time.sum.median;
		for (size_t k = records->count - 1; k > i; k--) {
			if (!belongs(&runs, records->record[i], records->record[k]))
				continue;
			median[count++] = records->record[k]->time.sum.median;
			gb_records_remove(records, k);
		}
		if (count > 1)
			(void)make_pooled(records->record[i], median, count, err);
	}
	gb_runs_release(&runs);
	free(median);
	return err->code;
}
