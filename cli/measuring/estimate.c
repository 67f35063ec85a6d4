/* estimate.c -- replays the stopping rule with the sample time and the noise of a trial.
 *
 * The trial is a measurement with one warm-up run and few samples.  Its result has the durations of
 * the parts; only the number of samples, and of verifications among them, is to be estimated.
 */
#include "cli/measuring/estimate.h"

#include <math.h>

#include "cli/measuring/stopping.h"

enum {
	TRIAL_SAMPLES = 10, /* at most */
	NOISY_SAMPLES = 5,  /* enough for the noise, if they are long */
	FEW_SAMPLES = 2,    /* if they are very long */
	VERIFIED = 3,       /* samples that are verified in any case */
	REST_RUNS = 3,      /* after samples that are long: with phases, of transfers */
	LAST_DOUBT = 20,    /* samples from which hopeless() may end sampling (stopping.c) */
};

/* Relative standard deviation that is assumed if the samples are too few to tell. */
static const double USUAL_NOISE = 0.03;

struct gb_settings gb_trial_of(const struct gb_settings *how)
{
	struct gb_settings trial = *how;

	trial.trial = true;
	if (!how->hot) /* with hot caches the last warm-up run decides on batches */
		trial.warmup = how->warmup < 1 ? how->warmup : 1;
	trial.verify_all = 0;
	return trial;
}

bool gb_stop_trial(const struct gb_result *r, const struct gb_settings *how, double elapsed_s)
{
	const double sampling_s = elapsed_s - r->cost.before_s;
	const size_t n = r->time.count;

	return n >= TRIAL_SAMPLES || (how->samples && n >= (size_t)how->samples) ||
	       elapsed_s >= how->timeout_s || sampling_s >= how->max_time_s ||
	       (n >= NOISY_SAMPLES && sampling_s >= gb_least_time_s(how) / 5) ||
	       (n >= FEW_SAMPLES && sampling_s >= how->max_time_s / 4);
}

bool gb_trial_goes_on(const struct gb_result *r, const struct gb_settings *how)
{
	return r->cost.sample_s + r->cost.verify_s < gb_least_time_s(how) / 10;
}

/* Half the 95 % interval of a median of one sample, relative to it; that of n is a root of n
 * smaller.  The noise is taken from the quartiles, since a median ignores outliers. */
static double half_width_of(const struct gb_result *trial)
{
	const double per_deviation = 1.96 * 1.2533, quartiles = 1.349;
	const double low = gb_series_quantile(&trial->time, 0.25);
	const double high = gb_series_quantile(&trial->time, 0.75);
	const double median = gb_series_quantile(&trial->time, 0.5);
	const double noise = (high - low) / quartiles / median;

	return per_deviation * (trial->time.count < NOISY_SAMPLES ? USUAL_NOISE : noise);
}

/* Seconds until n samples were taken. */
static double after(const struct gb_cost *c, const struct gb_settings *how, double before_s,
		    double n)
{
	const double sampling_s = before_s + n * c->sample_s;

	if (how->no_verify)
		return sampling_s;
	return sampling_s + (how->verify_all ? n : fmin(n, VERIFIED)) * c->verify_s;
}

/* The part of a duration that grows with the problem: starting threads does not.  0 of NAN. */
static double growing(double s)
{
	const double start_s = 1e-3;

	return s > start_s ? s - start_s : 0;
}

double gb_input_s(double input_s, double factor)
{
	return input_s + (factor - 1) * growing(input_s);
}

struct gb_tried gb_tried_of(const struct gb_result *trial)
{
	const double run_ns = gb_series_quantile(&trial->time, 0); /* waiting does not grow */

	return (struct gb_tried){
		.cost = trial->cost,
		.run_s = run_ns * (double)trial->batch * 1e-9,
		.once_s = run_ns * 1e-9 + growing(trial->create_ns * 1e-9) +
			  growing(trial->cost.verify_s),
		.half_width = half_width_of(trial),
	};
}

struct gb_tried gb_tried_times(const struct gb_tried *tried, double factor)
{
	const double more = factor - 1;
	struct gb_tried t = *tried;

	t.cost.before_s += more * t.once_s;
	t.cost.sample_s += more * t.run_s;
	t.cost.verify_s += more * growing(t.cost.verify_s);
	t.cost.rest_s += more * REST_RUNS * t.run_s;
	t.once_s *= factor;
	t.run_s *= factor;
	return t;
}

double gb_trial_s(const struct gb_tried *tried)
{
	return tried->cost.before_s + FEW_SAMPLES * tried->cost.sample_s + tried->cost.verify_s;
}

double gb_estimate_s(const struct gb_tried *tried, const struct gb_settings *how)
{
	const struct gb_settings trial = gb_trial_of(how);
	const struct gb_cost *c = &tried->cost;
	const double before_s = c->before_s + (double)(how->warmup - trial.warmup) * c->sample_s;
	const double rest_s = isnan(c->rest_s) ? REST_RUNS * c->sample_s : c->rest_s;
	const double needed = tried->half_width / how->rel_ci; /* root of the samples needed */
	const double enough = how->rel_ci > 0 ? needed * needed : (double)INFINITY;
	const double least_s = gb_least_time_s(how);
	double n = 1;

	for (; after(c, how, before_s, n) < how->timeout_s; n++) {
		const double elapsed_s = after(c, how, before_s, n);
		const bool hopeless =
			how->rel_ci > 0 && n >= LAST_DOUBT &&
			!(enough <= GB_MAX_SAMPLES && elapsed_s * enough / n <= how->max_time_s);

		if (how->samples) {
			if (n >= (double)how->samples)
				break;
			continue;
		}
		if (n >= GB_MAX_SAMPLES)
			break;
		if (n >= (double)how->min_samples && elapsed_s >= least_s &&
		    (n >= enough || hopeless || elapsed_s >= how->max_time_s))
			break;
	}
	return after(c, how, before_s, n) + rest_s;
}
