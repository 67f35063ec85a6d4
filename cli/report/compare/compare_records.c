/* compare_records.c -- see compare_records.h. */
#include "cli/report/compare/compare_records.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/keys.h"
#include "cli/report/section.h"
#include "common/text.h"

/* The median; working memory for the values is `room`. */
static double median_of(const struct gb_side_values *v, double *scratch)
{
	if (v->count)
		memcpy(scratch, v->value, v->count * sizeof *scratch);
	gb_sort(scratch, v->count);
	return gb_median_sorted(scratch, v->count);
}

/* A record with counts of one side; all of its repetitions have the same counts.  NULL if there is
 * none. */
static const struct gb_record *counts_of(const struct gb_key_entry *entry, size_t count,
					 size_t side)
{
	for (size_t i = 0; i < count; i++)
		if (entry[i].side == side && entry[i].record->counted)
			return entry[i].record;
	return NULL;
}

/* ---- exact counts ---------------------------------------------------------------------------- */

/* The comparison of a key, and the counts that differ so far. */
struct walk {
	struct gb_change *change;
	const char *kernel; /* NULL: the whole run */
	double threshold;
	size_t better, worse;
};

/* True for instructions, sectors and wavefronts.  Other counts are parts of these, describe how the
 * work is divided, or are so small that one more is many percent. */
static bool is_cost(const char *name)
{
	const char *dot = strrchr(name, '.');

	return gb_equal(name, "warp_instructions") ||
	       (dot && (gb_equal(dot, ".sectors") || gb_equal(dot, ".wavefronts")));
}

/* Note a count, which is 0 if it is absent. */
static void see(struct walk *w, const char *name, double base, double new_)
{
	struct gb_change *change = w->change;
	char kernel[GB_KERNEL_TEXT];
	double ratio;

	base = isnan(base) ? 0 : base;
	new_ = isnan(new_) ? 0 : new_;
	ratio = new_ / base;
	if (!(fabs(base - new_) > 0))
		return;
	gb_text_append(change->reason, sizeof change->reason, "%s%s%s%.40s %.0f to %.0f",
		       change->reason[0] ? "; " : "",
		       w->kernel ? gb_kernel_text(w->kernel, kernel) : "", w->kernel ? " " : "",
		       name, base, new_);
	w->worse += new_ > base * (1 + w->threshold);
	w->better += new_ < base;
	if (!(ratio <= change->ratio.estimate)) {
		change->base = base;
		change->new_ = new_;
		change->ratio.estimate = ratio;
	}
}

static void see_counts(struct walk *walk, const struct gb_counts *base,
		       const struct gb_counts *new_)
{
	for (size_t i = 0; i < gb_count_fields.count; i++) {
		const char *path = gb_count_fields.field[i].path;

		if (is_cost(path))
			see(walk, path, gb_fields_value(&gb_count_fields, base, path).number,
			    gb_fields_value(&gb_count_fields, new_, path).number);
	}
}

/* Set verdict, reason and numbers by the exact counts of both sides: slower if a count grew by more
 * than the threshold, a fraction.  Counts are deterministic, so two records differ only if the
 * kernels or the compiler do. */
static void compare_counts(struct gb_change *change, const struct gb_record *base,
			   const struct gb_record *new_, double threshold)
{
	struct walk walk = { .change = change, .threshold = threshold };

	change->reason[0] = '\0';
	change->counted = true;
	see_counts(&walk, &base->counts, &new_->counts);
	for (size_t i = 0; i < base->counts.kernel_count; i++)
		for (size_t k = 0; k < new_->counts.kernel_count; k++) {
			walk.kernel = base->counts.kernels[i].kernel;
			if (walk.kernel && new_->counts.kernels[k].kernel &&
			    gb_equal(walk.kernel, new_->counts.kernels[k].kernel))
				see_counts(&walk, &base->counts.kernels[i],
					   &new_->counts.kernels[k]);
		}
	change->verdict = walk.worse                                     ? GB_SLOWER
			  : walk.better && !(change->ratio.estimate > 1) ? GB_FASTER
									 : GB_SAME;
}

/* ---- the verdict -------------------------------------------------------------------------- */

/* Set the reason for a verdict, and return the verdict. */
static __attribute__((format(printf, 3, 4))) enum gb_verdict_word because(
	struct gb_change *change, enum gb_verdict_word verdict, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(change->reason, sizeof change->reason, format, args);
	va_end(args);
	return verdict;
}

/* The verdict if both sides have values, with the reason if it is unsure. */
static enum gb_verdict_word verdict_on(const struct gb_gate *gate, struct gb_change *change,
				       enum gb_verdict_word verdict)
{
	const size_t base = change->base_repetitions, other = change->new_repetitions;

	if (verdict != GB_UNSURE)
		return verdict;
	if (base < GB_GATE_LEAST || other < GB_GATE_LEAST)
		return because(change, GB_UNSURE, "%zu and %zu repetitions: %d a side are needed",
			       base, other, GB_GATE_LEAST);
	if (change->ratio.estimate > 1 + gate->threshold && !gb_gate_suffices(gate, base, other))
		return because(change, GB_UNSURE,
			       "%zu and %zu repetitions: too few to call one of %zu keys slower",
			       base, other, gate->keys);
	if (change->ratio.estimate > 1 + gate->threshold)
		return because(change, GB_UNSURE, "the repetitions disagree on whether it changed");
	return because(change, GB_UNSURE, "slower by %.3g %% is not excluded",
		       200 * gate->threshold);
}

/* The verdict by the times of both sides. */
static enum gb_verdict_word verdict_of(const struct gb_gate *gate, struct gb_change *change,
				       enum gb_verdict_word verdict,
				       const struct gb_side_values *base,
				       const struct gb_side_values *other)
{
	const char *there = base->reason ? base->reason : "no reason is given";
	const char *here = other->reason ? other->reason : "no reason is given";

	if (other->broken)
		return because(change, GB_FAILED_RUN, "%s", here);
	if (base->unverified || other->unverified)
		return because(change, GB_UNVERIFIED, "not verified in %s",
			       !other->unverified  ? "base"
			       : !base->unverified ? "new"
						   : "base and new");
	if (base->count && other->count) {
		if (base->broken)
			(void)because(change, GB_SAME, "%zu of %zu repetitions of base failed",
				      base->broken, base->broken + base->count);
		return verdict_on(gate, change, verdict);
	}
	if (change->in_base && !change->in_new)
		return because(change, GB_ABSENT, "in new: %s",
			       other->records ? here : "no record");
	if (change->in_new && !change->in_base)
		return because(change, GB_ABSENT, "in base: %s",
			       base->records ? there : "no record");
	return because(change, GB_ABSENT, "%s", other->records ? here : there);
}

/* True if all records of a key that both sides have ran the same code in the same setup.  Failures
 * are reported even then. */
static bool is_unchanged(const struct gb_comparison *c, const struct gb_key_entry *entry,
			 size_t count)
{
	const struct gb_record *first = entry->record;
	bool both = false, timed[2] = { false, false }, same = first->code_hash && !c->all;

	for (size_t i = 0; i < count && same; i++) {
		const struct gb_record *r = entry[i].record;

		both = both || entry[i].side != entry->side;
		timed[entry[i].side] = timed[entry[i].side] || r->has_time;
		same = r->code_hash && gb_equal(r->code_hash, first->code_hash) &&
		       r->status != GB_STATUS_FAILED && !gb_is_untrusted(r) &&
		       gb_setups_equal(first, r);
	}
	return both && same && timed[0] == timed[1];
}

static enum gb_status compare_key(struct gb_comparison *c, struct gb_gate_tests *tests,
				  const struct gb_key_entry *entry, size_t count,
				  struct gb_change *change, struct gb_error *err)
{
	double *scratch = malloc(3 * count * sizeof *scratch);
	struct gb_side_values base = { 0 }, other = { 0 };
	const struct gb_record *base_counts = counts_of(entry, count, 0);
	const struct gb_record *new_counts = counts_of(entry, count, 1);
	struct gb_gate_result result;
	struct gb_gate gate = c->gate;

	if (!scratch)
		return gb_out_of_memory(err, NULL);
	base.value = scratch + count;
	other.value = base.value + count;
	gb_side_take(&base, entry, count, 0, NULL);
	gb_side_take(&other, entry, count, 1, NULL);
	*change = (struct gb_change){
		.key = entry->record->key,
		.in_base = base.count || base_counts,
		.in_new = other.count || new_counts,
		.base_repetitions = base.count,
		.new_repetitions = other.count,
		.base = median_of(&base, scratch),
		.new_ = median_of(&other, scratch),
	};
	if (base.count)
		gate.threshold = fmax(gate.threshold, GB_FLOOR_NS / change->base);
	if (gb_gate_judge(
		    &gate, tests,
		    &(struct gb_gate_values){ base.value, other.value, base.count, other.count },
		    &result, err))
		goto out;
	change->ratio = result.ratio;
	change->verdict = is_unchanged(c, entry, count)
				  ? because(change, GB_UNCHANGED, "the same code and setup")
				  : verdict_of(&gate, change, result.verdict, &base, &other);
	if (base.count && other.count)
		gb_setups_add(&c->setups, entry, count);
	else if (change->verdict == GB_ABSENT && base_counts && new_counts)
		compare_counts(change, base_counts, new_counts, c->gate.threshold);
out:
	free(scratch);
	return err->code;
}

/* ---- all keys ----------------------------------------------------------------------------- */

/* True if both sides of a group have a value that is judged: it shares the error rate. */
static bool is_compared(const struct gb_comparison *c, const struct gb_key_entry *entry,
			size_t count)
{
	bool has[2] = { false, false };

	for (size_t i = 0; i < count; i++)
		has[entry[i].side] =
			has[entry[i].side] || (!gb_is_untrusted(entry[i].record) &&
					       !isnan(gb_repetition_value(entry[i].record)));
	return has[0] && has[1] && !is_unchanged(c, entry, count);
}

enum gb_status gb_compare(struct gb_comparison *comparison, const struct gb_records *base,
			  const struct gb_records *new_, struct gb_error *err)
{
	struct gb_comparison *c = comparison;
	struct gb_gate_tests tests = { 0 };
	struct gb_keys keys = { 0 };

	for (size_t i = 0; i < base->count && !err->code; i++)
		(void)gb_keys_add(&keys, base->record[i]->key, 0, base->record[i], err);
	for (size_t i = 0; i < new_->count && !err->code; i++)
		(void)gb_keys_add(&keys, new_->record[i]->key, 1, new_->record[i], err);
	if (err->code || gb_keys_group(&keys, err))
		goto out;
	gb_setups_init(&c->setups);
	c->count = c->missing = c->gate.keys = 0;
	for (size_t g = 0; g < keys.group_count; g++)
		c->gate.keys +=
			is_compared(c, &keys.entry[keys.group[g].first], keys.group[g].count);
	memset(c->verdicts, 0, sizeof c->verdicts);
	c->change = calloc(keys.group_count + 1, sizeof *c->change);
	if (!c->change)
		gb_out_of_memory(err, NULL);
	for (size_t g = 0; c->change && g < keys.group_count && !err->code; g++) {
		const struct gb_key_group *group = &keys.group[g];
		struct gb_change *change = &c->change[c->count];

		if (compare_key(c, &tests, &keys.entry[group->first], group->count, change, err))
			break;
		c->verdicts[change->verdict]++;
		c->missing += change->verdict == GB_ABSENT && change->in_base && !change->in_new;
		c->count++;
	}
out:
	gb_gate_release(&tests);
	gb_keys_release(&keys);
	return err->code;
}

void gb_comparison_release(struct gb_comparison *comparison)
{
	free(comparison->change);
	comparison->change = NULL;
}

const char *gb_change_text(const struct gb_change *change, char *text, size_t size)
{
	const struct gb_ratio *r = &change->ratio;
	char interval[48] = "";

	if (!isnan(r->interval.low))
		(void)snprintf(interval, sizeof interval, " (%.3f to %.3f)", r->interval.low,
			       r->interval.high);
	if (isnan(r->estimate) || change->counted)
		(void)snprintf(text, size, "%s", change->reason);
	else
		(void)snprintf(text, size, "%.4g times the time of base%s%s%s", r->estimate,
			       interval, change->reason[0] ? "; " : "", change->reason);
	return text;
}

/* ---- the exit status ---------------------------------------------------------------------- */

static enum gb_status undecided(const struct gb_comparison *c, char *reason)
{
	const size_t *v = c->verdicts;
	const size_t decided = v[GB_SAME] + v[GB_UNCHANGED] + v[GB_FASTER] + v[GB_SLOWER];
	const size_t unsure = v[GB_UNSURE];

	if (v[GB_UNVERIFIED])
		(void)snprintf(reason, GB_REASON_MAX, "%zu of %zu keys were not verified",
			       v[GB_UNVERIFIED], c->count);
	else if (c->missing && !c->allow_missing)
		(void)snprintf(reason, GB_REASON_MAX,
			       "%zu of %zu keys have nothing to compare in new (--allow-missing "
			       "lets that pass)",
			       c->missing, c->count);
	else if (decided + unsure == 0)
		(void)snprintf(reason, GB_REASON_MAX, "none of %zu keys has times on both sides",
			       c->count);
	else if (unsure)
		(void)snprintf(reason, GB_REASON_MAX, "%zu of %zu keys are unsure", unsure,
			       decided + unsure);
	else
		return GB_OK;
	return GB_EUNDECIDED;
}

/* The key that is slower by the largest ratio. */
static const struct gb_change *slowest(const struct gb_comparison *c)
{
	const struct gb_change *worst = NULL;

	for (size_t i = 0; i < c->count; i++)
		if (c->change[i].verdict == GB_SLOWER &&
		    (!worst || c->change[i].ratio.estimate > worst->ratio.estimate))
			worst = &c->change[i];
	return worst;
}

enum gb_status gb_comparison_status(const struct gb_comparison *comparison, char *reason)
{
	const struct gb_comparison *c = comparison;
	const struct gb_change *worst = slowest(c);
	const size_t *v = c->verdicts;

	if (v[GB_SLOWER] || v[GB_FAILED_RUN]) {
		(void)snprintf(reason, GB_REASON_MAX, "%zu of %zu keys slower, %zu failed",
			       v[GB_SLOWER], c->count, v[GB_FAILED_RUN]);
		if (worst)
			gb_text_append(reason, GB_REASON_MAX, "; worst %.180s: %.3g times",
				       worst->key, worst->ratio.estimate);
		return GB_EVERIFY;
	}
	if (undecided(c, reason))
		return GB_EUNDECIDED;
	(void)snprintf(reason, GB_REASON_MAX, "no key is slower by more than %.4g %%",
		       100 * c->gate.threshold);
	return GB_OK;
}
