/* doubt.c -- takes samples that only gb_judge() uses.
 *
 * On a loaded machine, threads wait for a processor.  New samples are therefore judged by the least
 * time that they can have taken, and by CPU time.  Verified ones are chosen at random, so that a
 * variant which works now and then is not in step with them.
 */
#include "cli/measuring/doubt.h"

#include <math.h>

#include "cli/measuring/evidence.h"
#include "cli/measuring/judge.h"
#include "cli/measuring/sample.h"
#include "cli/plugins/process.h"
#include "common/secret.h"

enum {
	ALONE = 25, /* most samples in which only the runner flushes */
	LEAST = 3,  /* samples of each kind, to decide whether one takes longer; ... */
	MORE = 30,  /* ... together, if there is time; ... */
	MOST = 90,  /* ... the same, as long as one does take longer */
	OTHERS = 3, /* one sample in so many is verified */
};

static double elapsed_s(const struct gb_measurement *m)
{
	return (gb_now_ns() - m->started_ns) * 1e-9;
}

enum gb_status gb_sort_out(struct gb_measurement *m, bool verified, bool changed, double ns)
{
	struct gb_evidence *e = &m->evidence;

	return gb_series_push(verified  ? &e->verified
			      : changed ? &e->changed
					: &e->same,
			      gb_per_work_ns(m, ns), m->err);
}

enum gb_status gb_verify_sample(struct gb_measurement *m)
{
	const int64_t batch = m->result->batch;
	double ns, unused;

	if (gb_verify_run(m) || batch == 1 || gb_renew_input(m, false))
		return m->err->code;
	for (uint64_t i = 1 + gb_secret() % (uint64_t)batch; i > 0; i--)
		if (gb_run_again(m, &unused))
			return m->err->code;
	if (gb_poison_result(m) || gb_run_again(m, &ns))
		return m->err->code;
	m->evidence.once_ns = fmin(m->evidence.once_ns, ns);
	if (gb_verify_run(m) || !m->evidence.varies || gb_renew_input(m, true) ||
	    (m->ops->reset && m->ops->reset(m->state, m->runs, m->err)))
		return m->err->code;
	m->runs++;
	return gb_run_again(m, &unused) ? m->err->code : gb_verify_run(m);
}

/* The least time that a run can have taken if its threads have waited for delay_ns together: that
 * without the waits, but not less than the threads have worked. */
static double without(const struct gb_evidence *e, double ns, double delay_ns)
{
	return fmax(ns - delay_ns, fmin(e->worked_ns, ns));
}

static enum gb_status sample_again(struct gb_measurement *m, bool verified, bool all)
{
	struct gb_evidence *e = &m->evidence;
	const bool changed = (verified || all) && e->varies;
	const struct gb_manner how = { .batch = m->result->batch,
				       .held = true,
				       .verified = verified,
				       .delays = true,
				       .changed = changed };
	double ns, host_ns;

	if (gb_sample(m, how, &ns, &host_ns))
		return m->err->code;
	if (e->worked_ns > 0 &&
	    gb_series_push(&e->worked[verified], gb_per_work_ns(m, e->worked_ns), m->err))
		return m->err->code;
	if (verified) {
		ns = without(e, ns, m->has_held ? 0 : e->delay_ns);
		host_ns = without(e, host_ns, fmax(e->delay_ns - e->lost_ns, 0));
	}
	ns = gb_seen_ns(m, how.batch, ns, host_ns);
	if (gb_sort_out(m, verified, changed, ns) ||
	    (verified && changed && !all && gb_sort_out(m, false, true, ns)))
		return m->err->code;
	return verified ? gb_verify_sample(m) : GB_OK;
}

enum gb_status gb_take_evidence(struct gb_measurement *m)
{
	struct gb_evidence *e = &m->evidence;
	const struct gb_settings *how = m->how;
	const bool all = e->changed.count > e->same.count;
	const struct gb_series *others = all ? &e->changed : &e->same;
	const double start_s = elapsed_s(m);

	if (how->no_verify || !gb_judge_samples(m, &(struct gb_error){ 0 }))
		return GB_OK;
	e->verified.count = e->changed.count = e->same.count = 0;
	for (int i = 0; e->verified.count < LEAST || others->count < LEAST ||
			others->count < e->verified.count ||
			(elapsed_s(m) < how->timeout_s &&
			 ((i < MORE && elapsed_s(m) - start_s < how->max_time_s) ||
			  (i < MOST && gb_judge_samples(m, &(struct gb_error){ 0 }))));
	     i++) {
		if (sample_again(m, gb_secret() % OTHERS == 0, all))
			return m->err->code;
		if (gb_interrupted)
			return gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
	}
	return GB_OK;
}

/* Take a sample that shows whether a plug-in's process works while it flushes. */
static enum gb_status sample_besides(struct gb_measurement *m, bool alone, struct gb_series *series)
{
	const struct gb_manner how = {
		.batch = 1, .verified = alone, .changed = true, .alone = alone
	};
	double ns, host_ns;

	if (gb_sample(m, how, &ns, &host_ns) ||
	    gb_series_push(series, gb_per_work_ns(m, gb_seen_ns(m, 1, ns, host_ns)), m->err))
		return m->err->code;
	return alone ? gb_verify_unflushed(m) : GB_OK;
}

enum gb_status gb_sample_alone(struct gb_measurement *m)
{
	struct gb_evidence *e = &m->evidence;

	if (m->how->no_verify || !gb_flushes_there(m) || m->result->emulated)
		return GB_OK;
	for (int i = 0; i < ALONE && elapsed_s(m) < m->how->timeout_s; i++) {
		if (i >= LEAST && !gb_judge_flush(m, &(struct gb_error){ 0 }))
			break;
		if ((i >= LEAST && sample_besides(m, false, &e->between)) ||
		    sample_besides(m, true, &e->alone))
			return m->err->code;
		if (gb_interrupted)
			return gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
	}
	return GB_OK;
}

enum gb_status gb_sample_clocks(struct gb_measurement *m)
{
	const struct gb_manner how = { .batch = m->result->batch, .held = true };
	const double start_s = elapsed_s(m);
	struct gb_series *unseen = &m->evidence.unseen;

	if (m->how->no_verify || m->backend->fill || !gb_judge_clocks(m, &(struct gb_error){ 0 }))
		return GB_OK;
	/* Not until they agree: then a variant that shaves most samples would pass by chance. */
	while (unseen->count < MORE && elapsed_s(m) < m->how->timeout_s &&
	       (unseen->count < LEAST || elapsed_s(m) - start_s < m->how->max_time_s)) {
		double ns, host_ns;

		if (gb_sample(m, how, &ns, &host_ns) ||
		    gb_series_push(unseen, host_ns - ns, m->err))
			return m->err->code;
		if (gb_interrupted)
			return gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
	}
	return GB_OK;
}
