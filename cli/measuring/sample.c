/* sample.c -- takes one sample of a measurement. */
#include "cli/measuring/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/measuring/evidence.h"
#include "cli/measuring/judge.h"
#include "cli/plugins/remote.h"
#include "common/text.h"

enum {
	GIVE_UPS = 2,   /* failed holds after which no more are tried */
	THROTTLED = 10, /* most samples retaken because clocks were lowered */
};

/* ---- a run, or a batch -------------------------------------------------------------------- */

static enum gb_status push_phases(struct gb_result *r, const struct gb_phase_time *phase,
				  size_t count, struct gb_error *err)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < r->phase_count && !gb_equal(r->phase[at].name, phase[i].name))
			at++;
		if (at == GB_MAX_PHASES)
			return gb_fail(err, GB_ERUNTIME, "more than %d phases", GB_MAX_PHASES);
		if (at == r->phase_count)
			r->phase[r->phase_count++].name = phase[i].name;
		if (gb_series_push(&r->phase[at].time, phase[i].ns, err))
			return err->code;
	}
	return GB_OK;
}

static enum gb_status queue_counted(struct gb_measurement *m)
{
	m->backend->counter->count(true);
	(void)m->ops->run(m->state, &m->timer, m->err);
	m->backend->counter->count(false);
	return m->err->code;
}

/* Queue `batch` runs between two marks, behind a held stream if `held`. */
static enum gb_status queue_runs(struct gb_measurement *m, int64_t batch, bool held)
{
	const double cpu_ns = held ? gb_cpu_ns(0) : 0;

	if (held && m->backend->hold(m->err))
		return m->err->code;
	gb_timer_begin(&m->timer);
	for (int64_t i = 0; i < batch && !m->err->code; i++) {
		if (m->counting && m->runs == 0 && i == 0)
			(void)queue_counted(m);
		else
			(void)m->ops->run(m->state, &m->timer, m->err);
	}
	gb_timer_end(&m->timer);
	if (held) {
		struct gb_error release = { 0 };

		m->evidence.queue_cpu_ns =
			fmax(m->evidence.queue_cpu_ns, (gb_cpu_ns(0) - cpu_ns) / (double)batch);
		if (m->backend->let_go(&release))
			gb_fail(m->err, release.code, "%s", release.message);
	}
	return m->err->code;
}

/* True if launches of this variant can be queued behind a hold: not for the first run, which loads
 * modules, and not after GIVE_UPS failed holds. */
static bool can_hold(const struct gb_measurement *m)
{
	return m->backend->hold && !(m->ops->flags & GB_HOST_DECISIONS) && m->runs > 0 &&
	       m->result->given_up < GIVE_UPS;
}

/* Do `batch` runs and wait for them; *ns is the time of all, *host_ns that by the host's clock.
 * phases as in gb_timer_read(). */
static enum gb_status time_runs(struct gb_measurement *m, int64_t batch, bool held, double *ns,
				double *host_ns, struct gb_phase_time *phase, size_t *phases)
{
	const double start_ns = gb_now_ns();
	double queue_ns, lost_ns;
	const bool counted = m->counting && m->runs == 0;
	bool marked = m->timer.phases;

	m->evidence.seen_ns = 0;
	if (m->backend->remote) {
		if (counted)
			m->backend->counter->count(true);
		(void)m->backend->remote->runs(m->state, batch, &held, &marked, ns, &queue_ns,
					       &lost_ns, phase, phases, m->err);
		if (counted)
			m->backend->counter->count(false);
		if (m->err->code)
			return m->err->code;
		*host_ns = fmax(gb_now_ns() - start_ns - lost_ns, 0);
		m->evidence.lost_ns = lost_ns;
		m->timer.named = m->timer.named || marked;
		m->has_held = held;
		if (held)
			m->evidence.queue_cpu_ns =
				fmax(m->evidence.queue_cpu_ns, queue_ns / (double)batch);
		return GB_OK;
	}
	if (queue_runs(m, batch, held) || m->backend->synchronize(m->err)) {
		*phases = 0;
		return m->err->code;
	}
	*host_ns = gb_now_ns() - start_ns;
	if (gb_timer_read(&m->timer, ns, phase, phases))
		return m->err->code;
	m->has_held = held && m->backend->has_held();
	return GB_OK;
}

static enum gb_status reset(struct gb_measurement *m)
{
	return m->ops->reset ? m->ops->reset(m->state, m->runs, m->err) : GB_OK;
}

/* The first flush allocates its buffer, which is not the variant's memory. */
static enum gb_status flush_caches(struct gb_measurement *m)
{
	if (m->runs > 0)
		return m->backend->flush(m->err);
	gb_resident_pause(&m->evidence.resident);
	(void)m->backend->flush(m->err);
	gb_resident_resume(&m->evidence.resident);
	return m->err->code;
}

/* Flush the caches and wait for the device. */
static enum gb_status flush(struct gb_measurement *m)
{
	const double start_ns = gb_now_ns();

	if (flush_caches(m) || m->backend->synchronize(m->err))
		return m->err->code;
	m->evidence.flush_ns = fmin(m->evidence.flush_ns, gb_now_ns() - start_ns);
	return GB_OK;
}

/* Do one run or one batch; *ns and *host_ns are per run. */
static enum gb_status run_once(struct gb_measurement *m, const struct gb_manner *how, double *ns,
			       double *host_ns)
{
	struct gb_phase_time phase[GB_MAX_PHASES] = { 0 };
	size_t phases = GB_MAX_PHASES;
	const bool is_cold = m->result->cold && !how->warm;

	if (how->delays && !how->changed && !m->result->cold)
		gb_rewrite_input(m);
	if (gb_renew_input(m, how->changed))
		return m->err->code;
	m->evidence.poisoned = !how->warm && gb_is_poisoned(m, how);
	m->evidence.overwrote |= m->evidence.poisoned && how->verified;
	if (m->evidence.poisoned && gb_watch(m, GB_STEP_POISON, gb_poison_result))
		return m->err->code;
	if (is_cold ? gb_watch(m, GB_STEP_RESET, reset) || gb_watch(m, GB_STEP_FLUSH, flush)
		    : reset(m) || m->backend->synchronize(m->err))
		return m->err->code;
	/* Threads of a plug-in then wait busily, as others do. */
	if (is_cold && gb_flushes_there(m) && !how->alone &&
	    m->backend->remote->flush(m->state, m->err))
		return m->err->code;
	m->timer.phases = how->phases;
	if (how->delays)
		gb_use_begin(m);
	if (time_runs(m, how->batch, how->held, ns, host_ns, phase, &phases))
		return m->err->code;
	if (how->delays)
		gb_use_end(m, how->batch);
	if (m->runs == 0)
		m->result->resident_bytes = gb_resident_peak(&m->evidence.resident);
	*host_ns /= (double)how->batch;
	m->evidence.lost_ns /= (double)how->batch;
	*ns /= (double)how->batch;
	return how->phases ? push_phases(m->result, phase, phases, m->err) : GB_OK;
}

/* The time that clocks have been lowered so far; NAN, which nothing exceeds, if unknown. */
static double throttled_ns(const struct gb_measurement *m)
{
	return m->backend->throttled_ns ? m->backend->throttled_ns() : (double)NAN;
}

enum gb_status gb_run_again(struct gb_measurement *m, double *ns)
{
	struct gb_phase_time none[1];
	size_t phases = GB_COUNT(none);
	const bool held = can_hold(m);
	double host_ns = 0;

	m->timer.phases = false;
	if (time_runs(m, 1, held, ns, &host_ns, none, &phases))
		return m->err->code;
	*ns = gb_seen_ns(m, 1, *ns, host_ns);
	if (m->backend->hold && !m->has_held)
		*ns = NAN;
	return GB_OK;
}

enum gb_status gb_sample(struct gb_measurement *m, struct gb_manner how, double *ns,
			 double *host_ns)
{
	struct gb_result *r = m->result;
	const double before_ns = how.counts ? throttled_ns(m) : (double)NAN;

	how.held = how.held && can_hold(m);
	if (run_once(m, &how, ns, host_ns))
		return m->err->code;
	if (how.counts && throttled_ns(m) > before_ns && r->throttled++ < THROTTLED)
		return gb_sample(m, how, ns, host_ns);
	if (how.held && !m->has_held) {
		r->given_up++;
		return gb_sample(m, how, ns, host_ns);
	}
	m->runs++;
	return GB_OK;
}

void gb_doubt_samples(struct gb_result *r)
{
	if (r->throttled > THROTTLED) {
		(void)snprintf(r->reason, sizeof r->reason,
			       "clocks were lowered because of power or heat in %lld samples",
			       (long long)r->throttled);
	}
	if (r->given_up >= GIVE_UPS) {
		(void)snprintf(r->reason, sizeof r->reason,
			       "these times include launches: the stream could not be held back, "
			       "because run() waits for the device or queues more than fits");
	}
}
