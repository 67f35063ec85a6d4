/* stopping.c -- when warm-up and sampling end.
 *
 * Sampling ends as "converged" once half the 95 % interval of the median is at most --rel-ci times
 * the median, after at least --min-samples and a tenth of --max-time; ending earlier would miss
 * slow drifts.  It ends at the "limit" when --max-time has passed.  It ends there earlier if the
 * interval, which narrows with the root of the number of samples, cannot become narrow enough by
 * then or within the number of samples that a record holds.  --samples=N ends it as "fixed" after N
 * samples, whatever the interval.  --timeout ends all of these; it is for variants that take far
 * longer than expected.
 */
#include "cli/measure/stopping.h"

#include <math.h>

#include "common/stats.h"

/* ---- warm-up ------------------------------------------------------------------------------ */

double gb_steady_s(struct gb_steady *steady, const struct gb_gpu_state *state, double now_s)
{
	const double degrees = fabs(state->temperature_c - steady->temperature_c);
	const double hz = fabs(state->sm_clock_hz - steady->sm_clock_hz);

	if (!steady->begun || degrees > 1 || hz > 0.02 * steady->sm_clock_hz)
		*steady =
			(struct gb_steady){ true, now_s, state->temperature_c, state->sm_clock_hz };
	return now_s - steady->since_s;
}

/* ---- samples ------------------------------------------------------------------------------ */

enum {
	FIRST_CHECK = 50, /* up to this many samples the rule is checked after each one */
	FIRST_DOUBT = 20, /* from this many samples on, hopeless() may end sampling */
};

double gb_least_time_s(const struct gb_settings *how)
{
	return how->max_time_s / 10;
}

/* True if reaching --rel-ci would take more samples than a record holds, or longer than --max-time.
 * An interval shrinks with the root of the number of samples. */
static bool hopeless(const struct gb_result *r, const struct gb_settings *how, double elapsed_s,
		     double half_width)
{
	const double n = (double)r->record.time.count;
	const double growth = (half_width / how->rel_ci) * (half_width / how->rel_ci);

	if (elapsed_s >= how->max_time_s)
		return true;
	if (how->rel_ci <= 0 || n < FIRST_DOUBT)
		return false;
	return !(n * growth <= GB_MAX_SAMPLES && elapsed_s * growth <= how->max_time_s);
}

/* Above FIRST_CHECK samples the rule is checked only once every n / 16 samples, twice in a row:
 * if a sample was enough, the one after it, which is verified, is the last. */
static bool is_skipped(size_t n)
{
	return n > FIRST_CHECK && n % (n / 16) > 1;
}

static bool stop(struct gb_result *r, const char *why)
{
	r->record.stop_reason = why;
	return true;
}

bool gb_stop_sampling(struct gb_result *r, const struct gb_settings *how, double elapsed_s)
{
	const size_t n = r->record.time.count;
	const bool late = elapsed_s >= how->timeout_s;
	struct gb_error ignored = { 0 };
	struct gb_summary summary;
	double half_width;

	if (how->samples && n >= (size_t)how->samples)
		return stop(r, "fixed");
	if (late)
		return stop(r, "limit");
	if (how->samples || n < (size_t)how->min_samples || (is_skipped(n) && n < GB_MAX_SAMPLES))
		return false;
	if (gb_summarize(r->record.time.sample, n, &summary, &ignored))
		return stop(r, "limit");
	gb_floor_interval(&summary, r->resolution_ns);
	half_width = gb_relative_half_width(&summary);
	if (elapsed_s >= gb_least_time_s(how) && half_width <= how->rel_ci)
		return stop(r, "converged");
	if (n >= GB_MAX_SAMPLES ||
	    (elapsed_s >= gb_least_time_s(how) && hopeless(r, how, elapsed_s, half_width)))
		return stop(r, "limit");
	return false;
}
