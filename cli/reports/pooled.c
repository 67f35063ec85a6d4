/* pooled.c -- see pooled.h. */
#include "cli/reports/pooled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/identity.h"
#include "cli/reports/launch.h"
#include "common/stats.h"
#include "common/text.h"

static bool same_build(const struct gb_run *a, const struct gb_run *b)
{
	return gb_same(a->host.hostname, b->host.hostname) &&
	       gb_same(a->tool.commit, b->tool.commit);
}

static bool same_measurement(const struct gb_record *a, const struct gb_record *b)
{
	return gb_equal(a->key, b->key) && same_build(a->run, b->run) &&
	       gb_same(a->plugin.sha256, b->plugin.sha256) &&
	       gb_same_machine(gb_record_machine(a), gb_record_machine(b));
}

bool gb_is_launch_of(const struct gb_record *a, const struct gb_record *b)
{
	if (a->has_time || b->has_time)
		return gb_is_timed(a) && gb_is_timed(b) && same_measurement(a, b) &&
		       gb_record_is_cold(a) == gb_record_is_cold(b);
	return same_measurement(a, b) && a->status == b->status && gb_same(a->reason, b->reason);
}

/* Replace the record's time by that of `count` launches, and drop the members of a single
 * launch. */
static enum gb_status make_pooled(struct gb_record *record, const double *value, size_t count,
				  struct gb_error *err)
{
	double *sample = malloc(count * sizeof *sample);
	struct gb_summary all;

	if (!sample)
		return gb_out_of_memory(err, NULL);
	if (gb_summarize(value, count, &all, err)) {
		free(sample);
		return err->code;
	}
	memcpy(sample, value, count * sizeof *sample);
	gb_record_forget(record, GB_OF_LAUNCH);
	record->launches = count;
	record->time = (struct gb_times){ .count = count,
					  .sample = sample,
					  .median = all.median,
					  .ci_low = all.ci_low,
					  .ci_high = all.ci_high };
	record->rates.items_per_s = record->work.items / (all.median * 1e-9);
	return GB_OK;
}

/* Remove each run whose records were all pooled into those of an earlier run. */
static void drop_empty_runs(struct gb_records *records)
{
	for (size_t i = records->run_count; i-- > 1;) {
		const struct gb_run *run = records->run[i];
		bool empty = true, repeated = false;

		for (size_t r = 0; r < records->count; r++)
			empty &= records->record[r]->run != run;
		for (size_t k = 0; k < i; k++)
			repeated |= same_build(records->run[k], run);
		if (empty && repeated)
			gb_records_remove_run(records, i);
	}
}

/* A record and its place in the list. */
struct place {
	struct gb_record *record;
	size_t index;
};

static int order_of(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* By key, commit and host: all launches of a measurement are equal. */
static int order(const struct gb_record *a, const struct gb_record *b)
{
	int found = strcmp(a->key, b->key);

	if (!found)
		found = order_of(a->run->tool.commit, b->run->tool.commit);
	return found ? found : order_of(a->run->host.hostname, b->run->host.hostname);
}

/* Equal records are neighbours, in the order of the list. */
static int by_order(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	const int found = order(x->record, y->record);

	return found ? found : GB_ORDER(x->index, y->index);
}

/* Pool the launches of the first of `count` neighbours, and free the others of these. */
static enum gb_status pool_first(struct gb_records *records, struct place *place, size_t count,
				 double *value, struct gb_error *err)
{
	size_t found = 1;

	value[0] = gb_launch_value(place->record);
	for (size_t k = count - 1; k > 0; k--) {
		if (!place[k].record || !gb_is_launch_of(place->record, place[k].record))
			continue;
		value[found++] = gb_launch_value(place[k].record);
		gb_record_free(place[k].record);
		records->record[place[k].index] = place[k].record = NULL;
	}
	if (found > 1 && gb_is_timed(place->record))
		(void)make_pooled(place->record, value, found, err);
	return err->code;
}

enum gb_status gb_pool_launches(struct gb_records *records, struct gb_error *err)
{
	const size_t all = records->count;
	double *value = calloc(all + 1, sizeof *value);
	struct place *place = calloc(all + 1, sizeof *place);

	if (!value || !place) {
		free(place);
		free(value);
		return gb_out_of_memory(err, NULL);
	}
	for (size_t i = 0; i < all; i++)
		place[i] = (struct place){ records->record[i], i };
	qsort(place, all, sizeof *place, by_order);
	for (size_t i = 0, end = 0; i < all && !err->code; i++) {
		if (!place[i].record)
			continue;
		for (end = i < end ? end : i + 1;
		     end < all && order(place[i].record, place[end].record) == 0; end++)
			;
		(void)pool_first(records, &place[i], end - i, value, err);
	}
	records->count = 0;
	for (size_t i = 0; i < all; i++)
		if (records->record[i])
			records->record[records->count++] = records->record[i];
	free(place);
	free(value);
	drop_empty_runs(records);
	return err->code;
}
