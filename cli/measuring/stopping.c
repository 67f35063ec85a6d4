/* stopping.c -- the stopping rule.
 *
 * Sampling ends as "converged" once half the 95 % interval of the median is within --rel-ci of it,
 * after at least --min-samples and a tenth of --max-time: fewer would miss slow drifts.  It ends at
 * the "limit" when --max-time has passed, and before that when the interval, which narrows with the
 * root of the number of samples, cannot become narrow enough by then, or within the number of
 * samples that a record holds.  --samples=N ends it as "fixed" after N, whatever the interval.
 * --timeout ends all of these; it is for variants that take far longer than expected.
 */
#include "cli/measuring/stopping.h"

#include <math.h>
#include <stdio.h>

#include "common/stats.h"

enum {
	FIRST_CHECK = 50, /* up to here the rule looks after every sample */
	FIRST_DOUBT = 20, /* from here on it asks whether more samples can help */
};

double gb_least_time_s(const struct gb_settings *how)
{
	return how->max_time_s / 10;
}

/* An interval shrinks with the root of the number of samples: whether reaching --rel-ci would take
 * more of them than a record holds, or longer than --max-time. */
static bool hopeless(const struct gb_result *r, const struct gb_settings *how, double elapsed_s,
		     double half_width)
{
	const double n = (double)r->time.count;
	const double growth = (half_width / how->rel_ci) * (half_width / how->rel_ci);

	if (elapsed_s >= how->max_time_s)
		return true;
	if (how->rel_ci <= 0 || n < FIRST_DOUBT)
		return false;
	return !(n * growth <= GB_MAX_SAMPLES && elapsed_s * growth <= how->max_time_s);
}

/* Of many samples the rule looks at every sixteenth part, twice in a row: the sample after the one
 * that was enough is the last. */
static bool is_skipped(size_t n)
{
	return n > FIRST_CHECK && n % (n / 16) > 1;
}

static bool stop(struct gb_result *r, enum gb_stop why)
{
	r->stop = why;
	return true;
}

bool gb_stop_sampling(struct gb_result *r, const struct gb_settings *how, double elapsed_s)
{
	const size_t n = r->time.count;
	const bool late = elapsed_s >= how->timeout_s;
	struct gb_error ignored = { 0 };
	struct gb_summary summary;
	double half_width;

	if (how->samples && n >= (size_t)how->samples)
		return stop(r, GB_FIXED);
	if (late)
		return stop(r, GB_LIMIT);
	if (how->samples || n < (size_t)how->min_samples || (is_skipped(n) && n < GB_MAX_SAMPLES))
		return false;
	if (gb_summarize(r->time.value, n, &summary, &ignored))
		return stop(r, GB_LIMIT);
	gb_floor_interval(&summary, r->resolution_ns);
	half_width = gb_relative_half_width(&summary);
	if (r->watch)
		r->watch(r, half_width);
	if (elapsed_s >= gb_least_time_s(how) && half_width <= how->rel_ci)
		return stop(r, GB_CONVERGED);
	if (n >= GB_MAX_SAMPLES ||
	    (elapsed_s >= gb_least_time_s(how) && hopeless(r, how, elapsed_s, half_width)))
		return stop(r, GB_LIMIT);
	return false;
}
