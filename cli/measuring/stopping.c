/* stopping.c -- the stopping rule.
 *
 * Sampling ends as "converged" once at least --min-samples and --min-time are reached and half the
 * 95 % interval of the median is within --rel-ci of it.  It ends as *noisy* when it has to stop
 * before that: at --max-samples, at --timeout, or because the interval, extrapolated with the root
 * of the number of samples, would need more than the one or ten times --min-time.  --samples=N ends
 * it after N, whatever the interval.
 */
#include "cli/measuring/stopping.h"

#include <math.h>
#include <stdio.h>

#include "common/stats.h"

enum {
	FIRST_CHECK = 50, /* up to here the rule looks after every sample */
	FIRST_DOUBT = 20, /* from here on it asks whether more samples can help */
};

/* Outcome of the samples so far, by their interval. */
static void settle(struct gb_result *r, const struct gb_settings *how, enum gb_stop stop,
		   double half_width)
{
	r->stop = stop;
	r->outcome = GB_RESULT_OK;
	r->reason[0] = '\0';
	if (stop == GB_FIXED || half_width <= how->rel_ci)
		return;
	r->outcome = GB_NOISY;
	if (isnan(half_width))
		(void)snprintf(r->reason, sizeof r->reason,
			       "%zu samples are too few for an interval", r->time.count);
	else
		(void)snprintf(r->reason, sizeof r->reason,
			       "interval of +-%.1f %% after %zu samples, wanted %.3g %%",
			       100 * half_width, r->time.count, 100 * how->rel_ci);
}

/* An interval shrinks with the root of the number of samples: whether reaching --rel-ci would take
 * more of them than --max-samples, or longer than is worth it. */
static bool hopeless(const struct gb_result *r, const struct gb_settings *how, double elapsed_s,
		     double half_width)
{
	const double n = (double)r->time.count;
	const double growth = (half_width / how->rel_ci) * (half_width / how->rel_ci);
	const double patience = GB_PATIENCE * how->min_time_s;

	if (how->rel_ci <= 0 || (n < FIRST_DOUBT && elapsed_s < patience))
		return false;
	return !(n * growth <= (double)how->max_samples && elapsed_s * growth <= patience);
}

/* Of many samples the rule looks at every sixteenth part, twice in a row: the sample after the one
 * that was enough is the last. */
static bool is_skipped(size_t n)
{
	return n > FIRST_CHECK && n % (n / 16) > 1;
}

bool gb_stop_sampling(struct gb_result *r, const struct gb_settings *how, double elapsed_s)
{
	const size_t n = r->time.count;
	struct gb_error ignored = { 0 };
	struct gb_summary summary;
	double half_width;
	const bool late = elapsed_s >= how->timeout_s;
	const bool last = n >= (size_t)how->max_samples;

	if (how->samples && n >= (size_t)how->samples) {
		settle(r, how, GB_FIXED, NAN);
		return true;
	}
	if (how->samples && !late)
		return false;
	if (!late && !last && (n < (size_t)how->min_samples || is_skipped(n)))
		return false;
	if (gb_summarize(r->time.value, n, &summary, &ignored))
		return true;
	gb_floor_interval(&summary, r->resolution_ns);
	half_width = gb_relative_half_width(&summary);
	if (r->watch)
		r->watch(r, half_width);
	if (late || last) {
		settle(r, how, late ? GB_TIME_LIMIT : GB_MAX_SAMPLES, half_width);
		return true;
	}
	if (elapsed_s < how->min_time_s)
		return false;
	if (half_width <= how->rel_ci) {
		settle(r, how, GB_CONVERGED, half_width);
		return true;
	}
	if (hopeless(r, how, elapsed_s, half_width)) {
		settle(r, how, GB_NO_GAIN, half_width);
		return true;
	}
	return false;
}
