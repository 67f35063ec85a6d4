#include "cli/reports/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/reports/counts.h"
#include "common/text.h"

/* One record of either side. */
struct entry {
	const char *key;
	size_t order; /* in base, then in new */
	bool is_new;
	const cJSON *record;
};

/* The values of one key, one per launch. */
struct values {
	size_t count;
	double *value;
	double ns_per_unit; /* of a value, at about the clock that it was measured with */
	bool broken;
	const char *reason;
};

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	const int order = strcmp(x->key, y->key);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* A key's entries in a row; the first one has the position where the key first appeared. */
struct group {
	size_t order, first, count;
};

static int by_order(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/* ---- one record --------------------------------------------------------------------------- */

/* Sample i of the series at hand: ns, or 1000 cycles; NAN if its clock is unknown. */
static double sample_of(const cJSON *sample, const cJSON *clock, bool in_cycles)
{
	if (!in_cycles)
		return sample->valuedouble;
	return clock && cJSON_IsNumber(clock) ? sample->valuedouble * clock->valuedouble * 1e-12
					      : (double)NAN;
}

/* What the record's launch took; NAN if it has no valid time. */
static double value_of(const struct gb_comparison *c, const cJSON *record, bool in_cycles)
{
	const cJSON *samples = gb_json_at(record, "time.samples");
	const cJSON *clock = gb_json_at(record, "gpu_state.sm_clock_hz");
	const size_t count = (size_t)cJSON_GetArraySize(samples);
	double *value = malloc((count + 1) * sizeof *value);
	double result = NAN;
	const cJSON *sample;
	size_t n = 0;

	clock = clock ? clock->child : NULL;
	cJSON_ArrayForEach(sample, samples)
	{
		const double x = value ? sample_of(sample, clock, in_cycles) : (double)NAN;

		if (value && !isnan(x))
			value[n++] = x;
		clock = clock ? clock->next : NULL;
	}
	if (value && n > 0 && !gb_json_true(record, "emulated")) {
		gb_sort(value, n);
		result = c->by_median ? gb_median_sorted(value, n) : value[0];
	}
	free(value);
	return result;
}

/* Whether each record of the key that has a time has clocks with it: cycles are compared with
 * cycles, and otherwise ns with ns. */
static bool has_clocks(const struct entry *entry, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const cJSON *clock = gb_json_at(entry[i].record, "gpu_state.sm_clock_hz");
		const cJSON *samples = gb_json_at(entry[i].record, "time.samples");

		if (samples && cJSON_GetArraySize(clock) != cJSON_GetArraySize(samples))
			return false;
	}
	return count > 0;
}

static bool is_broken(const cJSON *record)
{
	const char *status = gb_json_text(record, "status");

	return gb_equal(status, "failed") || gb_equal(status, "timeout");
}

/* The values of one side of a group. */
static void take_side(const struct gb_comparison *c, const struct entry *entry, size_t count,
		      bool is_new, bool in_cycles, struct values *v)
{
	for (size_t i = 0; i < count; i++) {
		const cJSON *record = entry[i].record;
		double value;

		if (entry[i].is_new != is_new)
			continue;
		value = value_of(c, record, in_cycles);
		v->broken = v->broken || is_broken(record);
		if (!isnan(value)) {
			v->value[v->count++] = value;
			v->ns_per_unit = in_cycles ? value_of(c, record, false) / value : 1;
		} else if (!v->reason) {
			v->reason = gb_json_text(record, "reason");
		}
	}
	gb_sort(v->value, v->count);
}

/* The counts of a side: any of its launches gives the same. */
static const cJSON *counts_of(const struct entry *entry, size_t count, bool is_new)
{
	for (size_t i = 0; i < count; i++) {
		const cJSON *counts = gb_json_at(entry[i].record, "counts");

		if (entry[i].is_new == is_new && cJSON_IsObject(counts))
			return counts;
	}
	return NULL;
}

static bool tally(const struct gb_count_change *change, void *closure)
{
	struct gb_comparison *c = closure;

	if (!change->cost)
		c->counts_changed++;
	else if (change->new_ > change->base)
		c->counts_worse++;
	else
		c->counts_better++;
	return true;
}

static void compare_counts(struct gb_comparison *c, const struct gb_change *change)
{
	if (!change->base_counts || !change->new_counts)
		return;
	c->counted++;
	(void)gb_counts_differ(change->base_counts, change->new_counts, tally, c);
}

/* ---- the verdict -------------------------------------------------------------------------- */

static enum gb_verdict_word verdict_on(const struct gb_comparison *c,
				       const struct gb_change *change, double ns_per_unit)
{
	const struct gb_ratio *r = &change->ratio;
	const bool beyond = r->estimate > 1 + c->threshold || r->estimate < 1 / (1 + c->threshold);
	const double difference_ns = fabs(change->new_ - change->base) * ns_per_unit;

	if (!beyond || difference_ns <= c->floor_ns)
		return GB_SAME;
	if (change->base_launches < GB_LAUNCHES || change->new_launches < GB_LAUNCHES)
		return GB_UNSURE;
	if (r->interval.low > 1)
		return GB_SLOWER;
	return r->interval.high < 1 ? GB_FASTER : GB_UNSURE;
}

static enum gb_status compare_key(const struct gb_comparison *c, const struct entry *entry,
				  size_t count, struct gb_change *change, struct gb_error *err)
{
	struct values base = { .value = malloc((count + 1) * sizeof(double)) };
	struct values other = { .value = malloc((count + 1) * sizeof(double)) };
	const bool in_cycles = c->in_cycles && has_clocks(entry, count);

	if (!base.value || !other.value) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	take_side(c, entry, count, false, in_cycles, &base);
	take_side(c, entry, count, true, in_cycles, &other);
	*change = (struct gb_change){
		.key = entry[0].key,
		.in_cycles = in_cycles,
		.base_launches = base.count,
		.new_launches = other.count,
		.base = gb_median_sorted(base.value, base.count),
		.new_ = gb_median_sorted(other.value, other.count),
		.note = other.reason ? other.reason : base.reason,
		.base_counts = counts_of(entry, count, false),
		.new_counts = counts_of(entry, count, true),
	};
	if (gb_ratio(base.value, base.count, other.value, other.count, GB_LEVEL, &change->ratio,
		     err))
		goto out;
	if (other.broken)
		change->verdict = GB_BROKEN;
	else if (base.count && other.count)
		change->verdict = verdict_on(c, change, base.ns_per_unit);
	else
		change->verdict = base.count ? GB_MISSING : other.count ? GB_NEW : GB_NO_TIME;
out:
	free(base.value);
	free(other.value);
	return err->code;
}

/* ---- all keys ----------------------------------------------------------------------------- */

static size_t add_entries(struct entry *entry, size_t count, const struct gb_records *list,
			  bool is_new)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *key = gb_json_text(list->line[i], "key");

		if (!gb_is_record(list->line[i]) || !key)
			continue;
		entry[count] = (struct entry){ key, count, is_new, list->line[i] };
		count++;
	}
	return count;
}

/* Sorted entries as groups of one key, in the order of first appearance. */
static size_t group_entries(const struct entry *entry, size_t count, struct group *group)
{
	size_t groups = 0;

	for (size_t i = 0; i < count; i++) {
		if (i > 0 && gb_equal(entry[i].key, entry[i - 1].key))
			group[groups - 1].count++;
		else
			group[groups++] = (struct group){ entry[i].order, i, 1 };
	}
	if (groups)
		qsort(group, groups, sizeof *group, by_order);
	return groups;
}

enum gb_status gb_compare(struct gb_comparison *comparison, const struct gb_records *base,
			  const struct gb_records *new_, struct gb_error *err)
{
	struct gb_comparison *c = comparison;
	struct entry *entry = calloc(base->count + new_->count + 1, sizeof *entry);
	struct group *group = calloc(base->count + new_->count + 1, sizeof *group);
	size_t count, groups;

	if (!entry || !group) {
		gb_out_of_memory(err, NULL);
		goto out;
	}
	count = add_entries(entry, 0, base, false);
	count = add_entries(entry, count, new_, true);
	if (count)
		qsort(entry, count, sizeof *entry, by_key);
	groups = group_entries(entry, count, group);
	c->count = 0;
	memset(c->verdicts, 0, sizeof c->verdicts);
	c->counted = c->counts_worse = c->counts_better = c->counts_changed = 0;
	c->change = calloc(groups + 1, sizeof *c->change);
	if (!c->change)
		gb_out_of_memory(err, NULL);
	for (size_t g = 0; c->change && g < groups && !err->code; g++) {
		struct gb_change *change = &c->change[c->count];

		if (compare_key(c, &entry[group[g].first], group[g].count, change, err))
			break;
		c->verdicts[change->verdict]++;
		compare_counts(c, change);
		c->count++;
	}
out:
	free(entry);
	free(group);
	return err->code;
}

void gb_comparison_release(struct gb_comparison *comparison)
{
	free(comparison->change);
	comparison->change = NULL;
}

enum gb_status gb_comparison_status(const struct gb_comparison *comparison)
{
	const struct gb_comparison *c = comparison;

	return c->verdicts[GB_SLOWER] || c->verdicts[GB_BROKEN] ||
			       (c->judge_counts && c->counts_worse)
		       ? GB_EVERIFY
		       : GB_OK;
}
