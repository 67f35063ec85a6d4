/* change.c -- compares the exact counts of two records, and describes a change.
 *
 * Records have counts if the device can count (the PTX executor).  Counts are deterministic, so two
 * records differ only if the kernels or the compiler do.
 */
#include <math.h>
#include <string.h>

#include "cli/report/compare/compare_records.h"
#include "cli/report/section.h"
#include "common/text.h"

/* The comparison of a key, and the counts that differ so far. */
struct walk {
	struct gb_change *change;
	const char *kernel; /* NULL: the whole run */
	double threshold;
	size_t better, worse;
};

/* True for instructions, sectors and wavefronts.  Other counts are parts of these, describe how the
 * work is divided, or are so small that one more is many percent. */
static bool is_compared(const char *name)
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

		if (is_compared(path))
			see(walk, path, gb_fields_value(&gb_count_fields, base, path).number,
			    gb_fields_value(&gb_count_fields, new_, path).number);
	}
}

void gb_compare_counts(struct gb_change *change, const struct gb_record *base,
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
