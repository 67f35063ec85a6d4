#include "cli/reports/pooled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"
#include "common/text.h"

/* Whether the record has a time that may be pooled. */
static bool is_timed(const struct gb_record *record)
{
	return record->has_time && record->status == GB_STATUS_OK;
}

/* Both NULL, or equal. */
static bool same_text(const char *a, const char *b)
{
	return a && b ? gb_equal(a, b) : a == b;
}

/* Whether two timed records are launches of one measurement. */
static bool belongs(const struct gb_record *a, const struct gb_record *b)
{
	return is_timed(b) && gb_equal(a->key, b->key) &&
	       same_text(a->run->host.hostname, b->run->host.hostname) &&
	       same_text(a->run->tool.commit, b->run->tool.commit) &&
	       gb_same_machine(gb_record_machine(a), gb_record_machine(b)) &&
	       gb_record_is_cold(a) == gb_record_is_cold(b);
}

/* The record as that of `count` launches: what a launch alone has goes. */
static enum gb_status make_pooled(struct gb_record *record, const double *median, size_t count,
				  struct gb_error *err)
{
	struct gb_summary *all = malloc(sizeof *all);

	if (!all)
		return gb_out_of_memory(err, NULL);
	if (gb_summarize(median, count, all, err)) {
		free(all);
		return err->code;
	}
	gb_record_forget_launch(record);
	record->time.pooled = all;
	record->time.median = all->median;
	record->time.ci_low = all->ci_low;
	record->time.ci_high = all->ci_high;
	record->rates.items_per_s = record->work.items / (all->median * 1e-9);
	return GB_OK;
}

enum gb_status gb_pool_launches(struct gb_records *records, struct gb_error *err)
{
	double *median = calloc(records->count + 1, sizeof *median);

	if (!median)
		return gb_out_of_memory(err, NULL);
	for (size_t i = 0; i < records->count && !err->code; i++) {
		struct gb_record *record = records->record[i];
		size_t count = 1;

		if (!is_timed(record))
			continue;
		median[0] = record->time.median;
		for (size_t k = records->count - 1; k > i; k--) {
			if (!belongs(record, records->record[k]))
				continue;
			median[count++] = records->record[k]->time.median;
			gb_records_remove(records, k);
		}
		if (count > 1)
			(void)make_pooled(record, median, count, err);
	}
	free(median);
	return err->code;
}
