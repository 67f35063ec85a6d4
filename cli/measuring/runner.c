#include "cli/measuring/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measuring/stopping.h"
#include "cli/workloads/value.h"
#include "common/memory.h"
#include "common/rng.h"
#include "common/text.h"

volatile sig_atomic_t gb_interrupted;

enum {
	MAX_BATCH = 1000,
	PHASE_SAMPLES = 5, /* at most */
	HOST_TIMES = 5,    /* at least two, if there are any */
	GIVE_UPS = 2,      /* holds in vain, until there are no more */
	THROTTLED = 10,    /* samples that are taken again because clocks were lowered, at most */
};
static const double SHORT_NS = 20e3;  /* shorter runs are batched when hot ... */
static const double BATCH_NS = 200e3; /* ... to samples of about this length */

/* What is under way. */
struct measurement {
	struct gb_result *result;
	const struct gb_settings *how;
	const struct gb_variant_ops *ops;
	const struct gb_backend_ops *backend;
	const void *input;
	void *state;
	void *output;
	size_t output_size;
	struct gb_timer timer;
	struct gb_error *err; /* what stopped the measurement */
	int64_t runs;         /* so far: the number passed to reset() */
	bool counting;        /* the first of them is counted */
	int64_t distinct;
	int64_t chosen; /* by the seed: a sample that is looked at, besides the first and the last */
	int64_t first;  /* the run that was the first sample */
	double started_ns;
};

/* ---- series ------------------------------------------------------------------------------- */

static enum gb_status push(struct gb_series *series, double value, struct gb_error *err)
{
	if (series->count == series->room) {
		const size_t room = series->room ? 2 * series->room : 32;
		double *grown = realloc(series->value, room * sizeof *grown);

		if (!grown)
			return gb_out_of_memory(err, "the samples");
		series->value = grown;
		series->room = room;
	}
	series->value[series->count++] = value;
	return GB_OK;
}

static void clear(struct gb_series *series)
{
	free(series->value);
	*series = (struct gb_series){ 0 };
}

/* A failed or skipped measurement leaves no time behind. */
static void forget_times(struct gb_result *r)
{
	clear(&r->time);
	clear(&r->host_time);
	clear(&r->sm_clock_hz);
	for (size_t i = 0; i < r->phase_count; i++)
		clear(&r->phase[i].time);
	r->phase_count = 0;
	r->create_ns = r->upload_ns = r->download_ns = r->first_ns = NAN;
	r->harmonic_items_per_s = r->copy_bytes_per_s = NAN;
	r->metrics.count = 0;
	free(r->counts);
	r->counts = NULL;
	r->verified = r->given_up = 0;
	r->batch = 1;
}

void gb_result_release(struct gb_result *result)
{
	forget_times(result);
}

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
		if (push(&r->phase[at].time, phase[i].ns, err))
			return err->code;
	}
	return GB_OK;
}

/* ---- the steps of a measurement ----------------------------------------------------------- */

/* Run `op` (upload or download) between two marks; its time to *ns. */
static enum gb_status timed_step(struct measurement *m, enum gb_status (*op)(struct measurement *m),
				 double *ns)
{
	struct gb_phase_time none[1];
	size_t phases = GB_COUNT(none);

	gb_timer_begin(&m->timer);
	if (op(m))
		return m->err->code;
	gb_timer_end(&m->timer);
	if (m->backend->synchronize(m->err) || gb_timer_read(&m->timer, ns, none, &phases))
		return m->err->code;
	return GB_OK;
}

static enum gb_status upload(struct measurement *m)
{
	return gb_state_upload(m->ops, m->state, m->err);
}

static enum gb_status download(struct measurement *m)
{
	return m->ops->download(m->state, m->output, m->err);
}

/* Verify the output of run number `run`. */
static enum gb_status verify(struct measurement *m, int64_t run)
{
	struct gb_result *r = m->result;

	if (m->how->no_verify)
		return GB_OK;
	memset(m->output, GB_POISON, m->output_size);
	if (timed_step(m, download, &r->download_ns))
		return m->err->code;
	if (r->workload->verify(r->params, m->input, run, m->output, &r->metrics, m->err)) {
		r->verdict = GB_FAIL;
		return m->err->code;
	}
	if (m->ops->metrics)
		m->ops->metrics(m->state, &r->metrics);
	r->verdict = GB_PASS;
	r->verified++;
	return GB_OK;
}

static enum gb_status queue_counted(struct measurement *m)
{
	m->backend->counter->count(true);
	(void)m->ops->run(m->state, &m->timer, m->err);
	m->backend->counter->count(false);
	return m->err->code;
}

/* Queue `batch` runs behind a held stream if `held`, and take their marks. */
static enum gb_status queue_runs(struct measurement *m, int64_t batch, bool held)
{
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

		if (m->backend->let_go(&release))
			gb_fail(m->err, release.code, "%s", release.message);
	}
	return m->err->code;
}

/* Overwrite the last run's result, so that what is found there after the next run was written by
 * that one. */
static enum gb_status poison(struct measurement *m)
{
	return gb_memory_poison(m->state, m->backend->fill, m->err);
}

/* How a sample is taken. */
struct manner {
	int64_t batch;
	bool held;     /* behind a hold: only the device's time counts */
	bool phases;   /* with marks between the phases */
	bool verified; /* poisoned before, verified after */
	bool counts;   /* a sample: not one in which the GPU lowered its clocks */
};

/* Whether launches of this variant can be queued behind a hold: not the first ones, which load
 * modules, nor if the hold was in vain again and again. */
static bool can_hold(const struct measurement *m)
{
	return m->backend->hold && !(m->ops->flags & GB_HOST_DECISIONS) && m->runs > 0 &&
	       m->result->given_up < GIVE_UPS;
}

/* Run once, or a batch; *ns and *host_ns are per run. */
static enum gb_status run_once(struct measurement *m, const struct manner *how, double *ns,
			       double *host_ns)
{
	struct gb_phase_time phase[GB_MAX_PHASES];
	size_t phases = GB_MAX_PHASES;
	double start;

	if (how->verified && poison(m))
		return m->err->code;
	if (m->ops->reset && m->ops->reset(m->state, m->runs, m->err))
		return m->err->code;
	if (m->result->cold && m->backend->flush(m->err))
		return m->err->code;
	if (m->backend->synchronize(m->err))
		return m->err->code;
	m->timer.phases = how->phases;
	start = gb_now_ns();
	if (queue_runs(m, how->batch, how->held) || m->backend->synchronize(m->err))
		return m->err->code;
	*host_ns = (gb_now_ns() - start) / (double)how->batch;
	if (gb_timer_read(&m->timer, ns, phase, &phases))
		return m->err->code;
	*ns /= (double)how->batch;
	return how->phases ? push_phases(m->result, phase, phases, m->err) : GB_OK;
}

/* How long clocks were lowered until now; NAN, which nothing exceeds, if unknown. */
static double throttled_ns(const struct measurement *m)
{
	return m->backend->throttled_ns ? m->backend->throttled_ns() : (double)NAN;
}

/* One sample: poison if it is to be verified, reset, flush if cold, run.  One that was to be held
 * back and was not, or during which clocks were lowered, is taken again. */
static enum gb_status sample(struct measurement *m, struct manner how, double *ns, double *host_ns)
{
	struct gb_result *r = m->result;
	const double before_ns = how.counts ? throttled_ns(m) : (double)NAN;

	how.held = how.held && can_hold(m);
	if (run_once(m, &how, ns, host_ns))
		return m->err->code;
	if (how.counts && throttled_ns(m) > before_ns && r->throttled++ < THROTTLED)
		return sample(m, how, ns, host_ns);
	if (how.held && !m->backend->has_held()) {
		r->given_up++;
		return sample(m, how, ns, host_ns);
	}
	m->runs++;
	return GB_OK;
}

static double elapsed_s(const struct measurement *m)
{
	return (gb_now_ns() - m->started_ns) * 1e-9;
}

/* Runs per sample: more than one only when hot, since a batch warms the caches by itself, and after
 * a warm-up that took `ns`; NAN: there was none. */
static int64_t choose_batch(const struct measurement *m, double ns)
{
	const struct gb_result *r = m->result;
	int64_t batch;

	if (r->cold || !(m->ops->flags & GB_REPEATABLE) || m->distinct > 1 || !(ns < SHORT_NS) ||
	    (r->workload->repeatable && !r->workload->repeatable(r->params)))
		return 1;
	batch = (int64_t)ceil(BATCH_NS / (ns > 1 ? ns : 1));
	return batch < MAX_BATCH ? batch : MAX_BATCH;
}

/* ---- the measurement ---------------------------------------------------------------------- */

static enum gb_status set_up(struct measurement *m)
{
	struct gb_result *r = m->result;
	double start;

	if (!r->variant->ops)
		return gb_fail(m->err, GB_EUNAVAILABLE, "%s", r->variant->absent);
	if (m->backend->open((int)m->how->device, m->err))
		return m->err->code;
	start = gb_now_ns();
	if (gb_state_create(m->ops, r->params, m->input, &m->state, m->err))
		return m->err->code;
	r->create_ns = gb_now_ns() - start;
	m->output_size = r->workload->output_size(r->params, m->input);
	m->output = gb_host_alloc(m->output_size, 1, m->err);
	if (!m->output)
		return m->err->code;
	m->timer = (struct gb_timer){ .ops = m->backend->timer, .err = m->err };
	if (m->timer.ops->create(&m->timer.clock, m->err))
		return m->err->code;
	if (m->ops->upload && timed_step(m, upload, &r->upload_ns))
		return m->err->code;
	return GB_OK;
}

/* The first runs: not held back, so that host_time means what a caller would see.  The very first
 * is looked at, so that a wrong variant takes no more time; that proves little, since it touches its
 * memory for the first time, and nothing was poisoned.  untimed: nothing follows, each is poisoned
 * and verified.  *ns is the last run's time. */
static enum gb_status warm_up(struct measurement *m, int64_t count, bool untimed, double *ns)
{
	struct gb_result *r = m->result;
	double host_ns = 0;

	for (int64_t i = 0; i < count; i++) {
		if (sample(m, (struct manner){ .batch = 1, .verified = untimed }, ns, &host_ns))
			return m->err->code;
		if (i == 0)
			r->first_ns = host_ns;
		else if (m->backend->hold && push(&r->host_time, host_ns, m->err))
			return m->err->code;
		if ((untimed || i == 0) && verify(m, m->runs - 1))
			return m->err->code;
		if (gb_interrupted)
			return gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
		if (elapsed_s(m) >= m->how->timeout_s)
			return gb_fail(
				m->err, GB_ERUNTIME,
				"time-out: no sample within %g s (the first run took %.3g s)",
				m->how->timeout_s, r->first_ns * 1e-9);
	}
	return GB_OK;
}

/* A sample between the first and the last, of those that are taken in any case. */
static int64_t choose_sample(const struct measurement *m)
{
	const struct gb_result *r = m->result;
	const struct gb_param *seed =
		gb_param_find(r->workload->params, r->workload->param_count, "seed");
	const int64_t count = m->how->samples ? m->how->samples : m->how->min_samples;
	const uint64_t random =
		gb_random64(seed ? (uint64_t)gb_value_load(seed, r->params).i : 0, 0);

	return count > 2 ? 1 + (int64_t)(random % (uint64_t)(count - 2)) : 0;
}

/* Whether sample number `k` is the last one, as far as is known before it is taken; last_s: how
 * long the one before took. */
static bool is_last(const struct measurement *m, int64_t k, double last_s)
{
	const struct gb_settings *how = m->how;

	return k + 1 >= (how->samples ? how->samples : how->max_samples) ||
	       elapsed_s(m) + last_s >= how->timeout_s;
}

/* A batch is one run, whose last is verified.  That its runs did work that only the first had to do
 * is shown by one more, behind it and without a reset(). */
static enum gb_status verify_sample(struct measurement *m)
{
	if (verify(m, m->runs - 1) || m->result->batch == 1)
		return m->err->code;
	m->timer.phases = false;
	if (poison(m) || m->ops->run(m->state, &m->timer, m->err) ||
	    m->backend->synchronize(m->err))
		return m->err->code;
	return verify(m, m->runs - 1);
}

static enum gb_status take_sample(struct measurement *m, bool verified)
{
	struct gb_result *r = m->result;
	const struct manner how = {
		.batch = r->batch, .held = true, .verified = verified, .counts = true
	};
	double ns = 0, host_ns = 0;

	if (sample(m, how, &ns, &host_ns) || push(&r->time, ns, m->err))
		return m->err->code;
	if ((!m->backend->hold || m->ops->flags & GB_HOST_DECISIONS) &&
	    push(&r->host_time, host_ns, m->err))
		return m->err->code;
	if (m->backend->sm_clock_hz) {
		const double hz = m->backend->sm_clock_hz();

		if (!isnan(hz) && push(&r->sm_clock_hz, hz, m->err))
			return m->err->code;
	}
	if (isnan(r->first_ns))
		r->first_ns = host_ns;
	return verified ? verify_sample(m) : GB_OK;
}

/* Noisy, whatever the interval is, if samples count that should not. */
static void doubt(struct gb_result *r)
{
	if (r->throttled > THROTTLED) {
		r->outcome = GB_NOISY;
		(void)snprintf(r->reason, sizeof r->reason,
			       "clocks were lowered because of power or heat, again and again: in "
			       "%lld samples",
			       (long long)r->throttled);
	}
	if (r->given_up >= GIVE_UPS) {
		r->outcome = GB_NOISY;
		(void)snprintf(r->reason, sizeof r->reason,
			       "launches are in these times: the stream could not be held back, "
			       "because run() waits for the device or queues more than fits");
	}
}

/* Until the stopping rule is content, and the last sample was verified. */
static enum gb_status take_samples(struct measurement *m, double warm_ns)
{
	struct gb_result *r = m->result;
	bool enough = false, verified;
	double start_s, last_s = 0;

	r->batch = choose_batch(m, warm_ns);
	r->resolution_ns = m->timer.ops->resolution_ns / (double)r->batch;
	m->chosen = choose_sample(m);
	m->first = m->runs;
	do {
		const int64_t k = (int64_t)r->time.count;

		start_s = elapsed_s(m);
		verified =
			!m->how->no_verify && (m->how->verify_all || k < m->distinct ||
					       k == m->chosen || enough || is_last(m, k, last_s));
		if (take_sample(m, verified))
			return m->err->code;
		if (gb_interrupted)
			return gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
		last_s = elapsed_s(m) - start_s;
		enough = gb_stop_sampling(r, m->how, elapsed_s(m));
	} while (!enough || !(verified || m->how->no_verify));
	doubt(r);
	return GB_OK;
}

/* Runs besides the samples, at least `least` of them and up to `most` as long as they take less than
 * --min-time together, and none beyond --timeout. */
static enum gb_status take_others(struct measurement *m, const struct manner *how, size_t least,
				  size_t most, struct gb_series *host_time)
{
	const double start_s = elapsed_s(m);

	for (size_t i = 0; i < most && elapsed_s(m) < m->how->timeout_s &&
			   (i < least || elapsed_s(m) - start_s < m->how->min_time_s);
	     i++) {
		double ns = 0, host_ns = 0;

		if (sample(m, *how, &ns, &host_ns) ||
		    (host_time && push(host_time, host_ns, m->err)))
			return m->err->code;
		if (gb_interrupted)
			return gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
	}
	return GB_OK;
}

/* What is not in the samples, because it would be in their time: the marks between phases, and, where
 * the samples are held back, the launches that host_time is about. */
static enum gb_status take_the_rest(struct measurement *m)
{
	const struct manner marked = { .batch = 1, .held = true, .phases = true };
	const struct manner launched = { .batch = 1 };
	struct gb_result *r = m->result;
	const size_t have = r->host_time.count;

	if (m->counting) /* by an executor whose times mean nothing */
		return GB_OK;
	if (have < HOST_TIMES && m->backend->hold && !(m->ops->flags & GB_HOST_DECISIONS) &&
	    take_others(m, &launched, have < 2 ? 2 - have : 0, HOST_TIMES - have, &r->host_time))
		return m->err->code;
	if (!m->timer.named || m->how->no_phases)
		return GB_OK;
	return take_others(m, &marked, 1, PHASE_SAMPLES, NULL);
}

/* Bytes of the input that the variant says its last verified run read, 0 if it says nothing. */
static double touched_bytes(const struct gb_metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (gb_equal(metrics->item[i].name, "touched_bytes"))
			return metrics->item[i].value;
	return 0;
}

/* Samples of different work have different rates: their harmonic mean is the rate of the whole. */
static void sum_up_rates(struct measurement *m)
{
	struct gb_result *r = m->result;
	double ns_per_item = 0;

	r->work = r->workload->work(r->params, m->input);
	if (m->ops->bytes)
		r->work.bytes = m->ops->bytes(r->params, m->input);
	else
		r->work.bytes += touched_bytes(&r->metrics);
	if (m->distinct <= 1)
		return;
	for (size_t i = 0; i < r->time.count; i++) {
		const int64_t run = m->first + (int64_t)i;
		const double items = r->workload->items
					     ? r->workload->items(r->params, m->input, run)
					     : r->work.items;

		ns_per_item += r->time.value[i] / items;
	}
	r->harmonic_items_per_s = (double)r->time.count / ns_per_item * 1e9;
}

static enum gb_status take_counts(struct measurement *m)
{
	if (!m->counting)
		return GB_OK;
	m->result->counts = strdup(m->backend->counter->counts());
	return m->result->counts ? GB_OK : gb_out_of_memory(m->err, "the counts");
}

static enum gb_status measure(struct measurement *m, bool timed)
{
	struct gb_result *r = m->result;
	double ns = NAN;

	if (set_up(m) || !m->output)
		return m->err->code;
	m->distinct = r->workload->distinct ? r->workload->distinct(r->params, m->input) : 1;
	if (!timed) {
		r->stop = GB_UNTIMED;
		return warm_up(m, m->distinct, true, &ns);
	}
	m->counting = m->backend->counter != NULL;
	if (warm_up(m, m->how->warmup, false, &ns))
		return m->err->code;
	if (m->backend->state)
		m->backend->state(&r->before);
	if (take_samples(m, ns))
		return m->err->code;
	if (m->backend->state) {
		m->backend->state(&r->after);
		r->has_gpu_state = true;
	}
	if (take_the_rest(m))
		return m->err->code;
	sum_up_rates(m);
	return take_counts(m);
}

static void tear_down(struct measurement *m)
{
	if (m->timer.clock)
		m->timer.ops->destroy(m->timer.clock);
	if (m->ops)
		gb_state_destroy(m->ops, m->state);
	gb_host_free(m->output);
}

/* Turn the error that ended the measurement into the result's outcome. */
static void settle(struct gb_result *r, const struct gb_error *err, bool late)
{
	r->code = err->code;
	if (!err->code)
		return;
	r->outcome = err->code == GB_EUNAVAILABLE || err->code == GB_EMEMORY ? GB_SKIPPED
		     : late                                                  ? GB_TIMEOUT
									     : GB_FAILED;
	(void)snprintf(r->reason, sizeof r->reason, "%s", err->message);
	forget_times(r);
}

static int threads_of(const struct gb_result *r)
{
	const struct gb_param *row = r->workload->params;

	if (r->variant->backend != GB_CPU)
		return 0;
	if (r->variant->ops && r->variant->ops->flags & GB_SERIAL)
		return 1;
	for (size_t i = 0; i < r->workload->param_count; i++, row++)
		if (gb_equal(row->name, "threads"))
			return (int)*(const int64_t *)(const void *)((const char *)r->params +
								     row->offset);
	return 1;
}

enum gb_status gb_run(struct gb_result *result, const void *input, const struct gb_settings *how,
		      bool timed, struct gb_error *err)
{
	struct gb_error own = { 0 };
	struct measurement m = {
		.result = result,
		.how = how,
		.ops = result->variant->ops,
		.backend = gb_backends[result->variant->backend],
		.input = input,
		.err = &own,
		.started_ns = gb_now_ns(),
	};

	result->threads = threads_of(result);
	result->cold = timed && !how->hot;
	forget_times(result);
	result->emulated = m.backend->emulated;
	gb_memory_mark();
	(void)measure(&m, timed);
	result->host_bytes = gb_memory_peak(GB_HOST_MEMORY);
	result->device_bytes = gb_memory_peak(GB_DEVICE_MEMORY);
	result->flush_bytes = result->cold ? m.backend->flush_bytes() : 0;
	result->elapsed_s = elapsed_s(&m);
	tear_down(&m);
	if (own.code == GB_EINTERRUPTED)
		return gb_fail(err, own.code, "%s", own.message);
	settle(result, &own, own.code == GB_ERUNTIME && elapsed_s(&m) >= how->timeout_s);
	return GB_OK;
}
