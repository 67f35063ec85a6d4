/* measure.c -- measures a variant at a point: set-up, run, verification, warm-up, samples, phases,
 * transfers, rates. */
#include "cli/measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure/interrupt.h"
#include "cli/measure/resident.h"
#include "cli/measure/stopping.h"
#include "cli/workloads/value.h"
#include "common/devices.h"
#include "common/memory.h"
#include "common/secret.h"
#include "common/text.h"

enum {
	MAX_BATCH = 1000,
	GIVE_UPS = 2,   /* failed holds after which no more are tried */
	THROTTLED = 10, /* most samples retaken because clocks were lowered */
	HOST_TIMES = 5, /* at most; at least two if host times are taken at all */
	SHARE = 5,      /* phases, and transfers, have this part of the least time of sampling */
	GUARD = 64,     /* bytes behind the output that download() must not write */
};
static const double SHORT_NS = 20e3;  /* shorter runs are batched when hot */
static const double BATCH_NS = 200e3; /* length of a batch, about */

struct measurement {
	struct gb_result *result;
	const struct gb_settings *how;
	const struct gb_variant_ops *ops;
	const struct gb_backend_ops *backend;
	void *input, *state;
	unsigned char *output; /* output_size bytes, then GUARD */
	size_t output_size, state_bytes;
	struct gb_resident resident;
	struct gb_timer timer;
	struct gb_error *err;
	int64_t runs;     /* runs or batches so far; the number passed to reset() */
	int64_t first;    /* number of the first sample */
	int64_t distinct; /* inputs that the samples cycle through */
	bool counting;    /* the back end counts the first run */
	double started_ns;
};

/* How a run or a batch is taken. */
struct manner {
	int64_t batch;
	bool cold;     /* flush the caches before it */
	bool held;     /* queue it behind a hold, so that only device time is measured */
	bool phases;   /* mark the phases */
	bool verified; /* the caller verifies it */
	bool counts;   /* a sample: retake it if the GPU lowered its clocks */
};

static double elapsed_s(const struct measurement *m)
{
	return (gb_now_ns() - m->started_ns) * 1e-9;
}

/* False after an error or an interrupt. */
static bool goes_on(struct measurement *m)
{
	if (!m->err->code && gb_interrupted)
		gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
	return !m->err->code;
}

/* 128 .. 254 */
static unsigned char next_poison(void)
{
	return (unsigned char)(128 + gb_secret() % 127);
}

/* ---- set-up ------------------------------------------------------------------------------- */

static size_t memory_used(void)
{
	return gb_memory_used(GB_HOST_MEMORY) + gb_memory_used(GB_DEVICE_MEMORY);
}

static enum gb_status set_up(struct measurement *m)
{
	struct gb_result *r = m->result;
	const size_t before = memory_used();
	double start_ns;

	if (!r->variant->ops)
		return gb_fail(m->err, GB_EUNAVAILABLE, "%s", r->variant->absent);
	if (gb_device_open(r->variant->backend, (int)m->how->device, m->err))
		return m->err->code;
	r->emulated = m->backend->is_emulated && m->backend->is_emulated();
	m->counting = m->backend->counter != NULL;
	if (r->variant->backend == GB_CPU)
		gb_resident_begin(&m->resident);
	start_ns = gb_now_ns();
	if (gb_state_create(m->ops, r->params, m->input, &m->state, m->err))
		return m->err->code;
	if (m->backend->fill) /* a device's upload is no part of create */
		r->create_ns = gb_now_ns() - start_ns;
	if (gb_state_upload(m->ops, m->state, m->err) || m->backend->synchronize(m->err))
		return m->err->code;
	if (!m->backend->fill)
		r->create_ns = gb_now_ns() - start_ns;
	gb_resident_pause(&m->resident);
	m->output_size = r->workload->output_size(r->params, m->input);
	m->output = gb_host_alloc(m->output_size + GUARD, 1, m->err);
	gb_resident_resume(&m->resident);
	m->state_bytes = memory_used() - before;
	m->timer = (struct gb_timer){ .ops = m->backend->timer, .err = m->err };
	if (!m->err->code)
		(void)m->timer.ops->create(&m->timer.clock, m->err);
	m->distinct = r->workload->distinct ? r->workload->distinct(r->params, m->input) : 1;
	return m->err->code;
}

/* ---- a run -------------------------------------------------------------------------------- */

/* Flush the caches.  The first flush allocates its buffer, which is not the variant's memory. */
static enum gb_status flush(struct measurement *m)
{
	if (m->runs == 0)
		gb_resident_pause(&m->resident);
	(void)m->backend->flush(m->err);
	if (m->runs == 0)
		gb_resident_resume(&m->resident);
	return m->err->code;
}

/* Queue the runs between two marks. */
static void queue_runs(struct measurement *m, const struct manner *how)
{
	const struct gb_counter *counter = m->counting && m->runs == 0 ? m->backend->counter : NULL;

	m->timer.phases = how->phases;
	gb_timer_begin(&m->timer);
	for (int64_t i = 0; i < how->batch && !m->err->code; i++) {
		if (counter)
			counter->count(i == 0);
		(void)m->ops->run(m->state, &m->timer, m->err);
	}
	if (counter)
		counter->count(false);
	gb_timer_end(&m->timer);
}

static enum gb_status push_phases(struct gb_result *r, const struct gb_phase_time *phase,
				  size_t count, struct gb_error *err)
{
	for (size_t i = 0; i < count && !err->code; i++) {
		size_t at = 0;

		while (at < r->phase_count && !gb_equal(r->phase[at].name, phase[i].name))
			at++;
		if (at == GB_MAX_PHASES)
			return gb_fail(err, GB_ERUNTIME, "more than %d phases", GB_MAX_PHASES);
		if (at == r->phase_count)
			r->phase[r->phase_count++].name = phase[i].name;
		(void)gb_series_push(&r->phase[at].time, phase[i].ns, err);
	}
	return err->code;
}

/* Do a run or a batch; *ns by the variant's clock and *host_ns by the host's are per run. */
static enum gb_status run_once(struct measurement *m, const struct manner *how, double *ns,
			       double *host_ns)
{
	struct gb_phase_time phase[GB_MAX_PHASES] = { 0 };
	struct gb_error release = { 0 };
	size_t phases = GB_MAX_PHASES;
	double start_ns;

	if ((how->verified &&
	     gb_memory_poison(m->state, next_poison(), m->backend->fill, m->err)) ||
	    (m->ops->reset && m->ops->reset(m->state, m->runs, m->err)) ||
	    (how->cold && flush(m)) || m->backend->synchronize(m->err))
		return m->err->code;
	start_ns = gb_now_ns();
	if (how->held && m->backend->hold(m->err))
		return m->err->code;
	queue_runs(m, how);
	if (how->held && m->backend->let_go(&release))
		gb_fail(m->err, release.code, "%s", release.message);
	if (m->err->code || m->backend->synchronize(m->err))
		return m->err->code;
	*host_ns = (gb_now_ns() - start_ns) / (double)how->batch;
	if (gb_timer_read(&m->timer, ns, phase, &phases))
		return m->err->code;
	*ns /= (double)how->batch;
	if (m->runs == 0)
		m->result->resident_bytes = gb_resident_peak(&m->resident);
	return how->phases ? push_phases(m->result, phase, phases, m->err) : GB_OK;
}

/* The time that clocks have been lowered so far; NAN, which nothing exceeds, if unknown. */
static double throttled_ns(const struct measurement *m)
{
	return m->backend->throttled_ns ? m->backend->throttled_ns() : (double)NAN;
}

/* The same, taken again if the hold failed or, for a sample, if clocks were lowered meanwhile.  The
 * first run is not held back, because it loads modules. */
static enum gb_status run(struct measurement *m, struct manner how, double *ns, double *host_ns)
{
	struct gb_result *r = m->result;
	bool again = true;

	while (again) {
		const double before_ns = throttled_ns(m);

		how.held = how.held && m->backend->hold && m->runs > 0 && r->given_up < GIVE_UPS &&
			   !(m->ops->flags & GB_HOST_DECISIONS);
		if (run_once(m, &how, ns, host_ns))
			return m->err->code;
		again = how.counts && throttled_ns(m) > before_ns && r->throttled++ < THROTTLED;
		if (!again && how.held && !m->backend->has_held()) {
			r->given_up++;
			again = true;
		}
	}
	m->runs++;
	return GB_OK;
}

/* Keep the host's time of a run that was not held back; on the CPU few are kept, as they are nearly
 * the variant's. */
static enum gb_status keep_host_time(struct measurement *m, double host_ns)
{
	if (!m->backend->hold && m->result->host_time.count >= HOST_TIMES)
		return GB_OK;
	return gb_series_push(&m->result->host_time, host_ns, m->err);
}

/* ---- verification ------------------------------------------------------------------------- */

/* Do a transfer between two marks and keep its time. */
static enum gb_status timed(struct measurement *m, enum gb_status (*op)(struct measurement *m),
			    struct gb_series *series)
{
	struct gb_phase_time none[1];
	size_t phases = GB_COUNT(none);
	double ns;

	m->timer.phases = false;
	gb_timer_begin(&m->timer);
	if (op(m))
		return m->err->code;
	gb_timer_end(&m->timer);
	if (m->backend->synchronize(m->err) || gb_timer_read(&m->timer, &ns, none, &phases))
		return m->err->code;
	return gb_series_push(series, ns, m->err);
}

static enum gb_status upload(struct measurement *m)
{
	return m->ops->upload(m->state, m->err);
}

static enum gb_status download(struct measurement *m)
{
	return m->ops->download(m->state, m->output, m->err);
}

/* Verify the result of the last run. */
static enum gb_status verify(struct measurement *m)
{
	struct gb_result *r = m->result;
	const unsigned char poison = next_poison();

	memset(m->output, poison, m->output_size + GUARD);
	if (timed(m, download, &r->download))
		return m->err->code;
	r->verdict = GB_FAIL;
	for (size_t i = 0; i < GUARD; i++)
		if (m->output[m->output_size + i] != poison)
			return gb_fail(m->err, GB_EVERIFY,
				       "download() writes beyond the output of %zu bytes",
				       m->output_size);
	if (r->workload->verify(r->params, m->input, m->runs - 1, m->output, &r->metrics, m->err))
		return m->err->code;
	if (m->ops->metrics)
		m->ops->metrics(m->state, &r->metrics);
	r->verdict = GB_PASS;
	r->verified++;
	return GB_OK;
}

/* ---- warm-up ------------------------------------------------------------------------------ */

/* The first run is verified, so that a wrong variant ends early; each is if no samples follow.
 * None is held back: host_time is what a caller would see.  *ns is the time of the last run. */
static enum gb_status warm_up(struct measurement *m, int64_t count, bool samples_follow, double *ns)
{
	struct gb_result *r = m->result;
	double host_ns = 0;

	for (int64_t i = 0; i < count && goes_on(m); i++) {
		const struct manner how = {
			.batch = 1,
			.cold = r->cold && (i == 0 || m->backend->hold),
			.verified = !m->how->no_verify && (i == 0 || !samples_follow),
		};

		if (run(m, how, ns, &host_ns))
			return m->err->code;
		if (i == 0)
			r->first_ns = host_ns;
		else if (m->backend->hold && keep_host_time(m, host_ns))
			return m->err->code;
		if (!goes_on(m) || (how.verified && verify(m)))
			return m->err->code;
		if ((samples_follow || i + 1 < count) && elapsed_s(m) >= m->how->timeout_s)
			return gb_fail(m->err, GB_ERUNTIME,
				       "time-out: no %s within %g s (the first run took %.3g s)",
				       samples_follow ? "sample" : "result", m->how->timeout_s,
				       r->first_ns * 1e-9);
	}
	return m->err->code;
}

/* ---- samples ------------------------------------------------------------------------------ */

/* Runs per sample; ns is the time of one, NAN if unknown.  A batch warms the caches itself, so only
 * hot samples have more than one. */
static int64_t choose_batch(const struct measurement *m, double ns)
{
	const struct gb_result *r = m->result;

	if (r->cold || !(m->ops->flags & GB_REPEATABLE) || m->distinct > 1 || !(ns < SHORT_NS) ||
	    (r->workload->repeatable && !r->workload->repeatable(r->params)))
		return 1;
	return ns * MAX_BATCH > BATCH_NS ? (int64_t)ceil(BATCH_NS / ns) : MAX_BATCH;
}

/* A random sample between the first and the last of those that are certain to be taken. */
static int64_t choose_sample(const struct gb_settings *how)
{
	const int64_t count = how->samples ? how->samples : how->min_samples;

	return count > 2 ? 1 + (int64_t)(gb_secret() % (uint64_t)(count - 2)) : 0;
}

static enum gb_status take_sample(struct measurement *m, bool verified)
{
	struct gb_result *r = m->result;
	const struct manner how = { .batch = r->batch,
				    .cold = r->cold,
				    .held = true,
				    .verified = verified,
				    .counts = true };
	double ns, host_ns;

	if (run(m, how, &ns, &host_ns) || gb_series_push(&r->time, ns, m->err))
		return m->err->code;
	if ((!m->backend->hold || m->ops->flags & GB_HOST_DECISIONS) && keep_host_time(m, host_ns))
		return m->err->code;
	if (m->backend->sm_clock_hz) {
		const double hz = m->backend->sm_clock_hz();

		if (!isnan(hz) && gb_series_push(&r->sm_clock_hz, hz, m->err))
			return m->err->code;
	}
	if (isnan(r->first_ns))
		r->first_ns = host_ns;
	if (goes_on(m) && verified)
		(void)verify(m);
	return m->err->code;
}

static void remark(struct gb_result *r)
{
	if (r->throttled > THROTTLED)
		(void)snprintf(r->reason, sizeof r->reason,
			       "clocks were lowered because of power or heat in %lld samples",
			       (long long)r->throttled);
	if (r->given_up >= GIVE_UPS)
		(void)snprintf(r->reason, sizeof r->reason,
			       "these times include launches: the stream could not be held back, "
			       "because run() waits for the device or queues more than fits");
}

/* Take samples until the stopping rule ends sampling; verify the first of each distinct input, the
 * last, and a random one between. */
static enum gb_status take_samples(struct measurement *m, double warm_ns)
{
	const struct gb_settings *how = m->how;
	struct gb_result *r = m->result;
	const int64_t chosen = choose_sample(how);
	const int64_t most = how->samples ? how->samples : GB_MAX_SAMPLES;
	bool enough = false, verified;
	double last_s = 0;

	r->batch = choose_batch(m, warm_ns);
	if (gb_timer_resolution(m->timer.ops, m->timer.clock, &r->resolution_ns, m->err))
		return m->err->code;
	r->resolution_ns /= (double)r->batch;
	m->first = m->runs;
	do {
		const int64_t k = (int64_t)r->time.count;
		const double start_s = elapsed_s(m);

		verified = !how->no_verify &&
			   (how->verify_all || k < m->distinct || k == chosen || enough ||
			    k + 1 >= most || start_s + last_s >= how->timeout_s);
		if (take_sample(m, verified))
			return m->err->code;
		last_s = elapsed_s(m) - start_s;
		enough = gb_stop_sampling(r, how, elapsed_s(m));
	} while (!enough || !(verified || how->no_verify));
	remark(r);
	return GB_OK;
}

/* ---- phases and transfers ----------------------------------------------------------------- */

/* The number of runs that are not samples: at least `least`, then up to `most` while they have
 * taken less than `most_s` together. */
struct others {
	size_t least, most;
	double most_s;
};

static bool want_more(const struct others *others, size_t count, double taken_s)
{
	return count < others->most && (count < others->least || taken_s < others->most_s);
}

/* Time runs that are not held back. */
static enum gb_status take_launches(struct measurement *m)
{
	const struct manner how = { .batch = 1, .cold = m->result->cold };
	const size_t have = m->result->host_time.count;
	const struct others others = { have < 2 ? 2 - have : 0, HOST_TIMES - have,
				       gb_least_time_s(m->how) };
	const double start_s = elapsed_s(m);
	double ns, host_ns;

	if (have >= HOST_TIMES || !m->backend->hold || m->ops->flags & GB_HOST_DECISIONS)
		return GB_OK;
	for (size_t i = 0; want_more(&others, i, elapsed_s(m) - start_s) &&
			   elapsed_s(m) < m->how->timeout_s && goes_on(m);
	     i++)
		if (run(m, how, &ns, &host_ns) || keep_host_time(m, host_ns))
			return m->err->code;
	return m->err->code;
}

static enum gb_status take_phases(struct measurement *m, const struct others *others)
{
	const struct manner how = {
		.batch = 1, .cold = m->result->cold, .held = true, .phases = true
	};
	const double start_s = elapsed_s(m);
	double ns, host_ns;

	if (!m->timer.named || m->how->no_phases)
		return GB_OK;
	for (size_t i = 0; want_more(others, i, elapsed_s(m) - start_s) &&
			   elapsed_s(m) < m->how->timeout_s && goes_on(m);
	     i++) {
		if (run(m, how, &ns, &host_ns))
			return m->err->code;
		if (i + 1 >= others->least && gb_phases_are_narrow(m->result, m->how))
			break;
	}
	return m->err->code;
}

/* Time the transfers of a device, at least once. */
static enum gb_status take_transfers(struct measurement *m, const struct others *others)
{
	struct gb_result *r = m->result;
	const double start_s = elapsed_s(m);

	if (!m->ops->upload || !m->backend->fill)
		return GB_OK;
	for (size_t i = 0; want_more(others, i, elapsed_s(m) - start_s) &&
			   (i == 0 || elapsed_s(m) < m->how->timeout_s) && goes_on(m);
	     i++)
		if (timed(m, upload, &r->upload) || timed(m, download, &r->download))
			return m->err->code;
	return m->err->code;
}

/* A paper's mean of N runs may be of a phase or include transfers, so these are as many as the
 * samples with --samples=N and, if time allows, in a paper's tables.  Else they have a small share
 * of the time.  Marks of phases would distort samples. */
static enum gb_status take_the_rest(struct measurement *m)
{
	const struct gb_settings *how = m->how;
	const size_t most = m->result->emulated ? 1 : m->result->time.count;
	const struct others rest = { how->samples ? most : 1, most,
				     gb_least_time_s(how) / (how->for_paper ? 1 : SHARE) };

	if (m->counting) /* the executor's times mean nothing */
		return GB_OK;
	if (take_launches(m) || take_phases(m, &rest))
		return m->err->code;
	return take_transfers(m, &rest);
}

/* ---- rates -------------------------------------------------------------------------------- */

/* Bytes of the input that the last verified run read, from the variant's metric; 0 without one. */
static double touched_bytes(const struct gb_metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (gb_equal(metrics->item[i].name, "touched_bytes"))
			return metrics->item[i].value;
	return 0;
}

/* Bytes that a run moves through main memory: by the variant's model or, if it has all its data in
 * a cache that is cold at first, those of the input and the output. */
static double bytes_moved(const struct measurement *m)
{
	const struct gb_result *r = m->result;
	const double least = r->workload->work(r->params, m->input).bytes;
	const char *from;

	if (!m->ops->bytes)
		return least + touched_bytes(&r->metrics);
	if (r->cold && m->backend->cache_bytes && m->state_bytes <= m->backend->cache_bytes(&from))
		return least;
	return m->ops->bytes(r->params, m->input);
}

/* Samples of different work have different rates; their harmonic mean is the overall rate. */
static void sum_up_rates(struct measurement *m)
{
	struct gb_result *r = m->result;
	double ns_per_item = 0;

	r->work = r->workload->work(r->params, m->input);
	r->work.bytes = bytes_moved(m);
	if (r->cold)
		r->flush_bytes = m->backend->flush_bytes(); /* 0 before the first flush */
	for (size_t i = 0; i < r->time.count; i++) {
		const int64_t run = m->first + (int64_t)i;
		const double items = r->workload->items
					     ? r->workload->items(r->params, m->input, run)
					     : r->work.items;

		ns_per_item += r->time.value[i] / items;
	}
	if (m->distinct > 1)
		r->harmonic_items_per_s = (double)r->time.count / ns_per_item * 1e9;
}

/* ---- the measurement ---------------------------------------------------------------------- */

static enum gb_status measure(struct measurement *m, bool timed)
{
	struct gb_result *r = m->result;
	double ns = NAN;

	if (set_up(m))
		return m->err->code;
	if (!timed)
		return warm_up(m, m->distinct, false, &ns);
	if (warm_up(m, m->how->warmup, true, &ns))
		return m->err->code;
	if (m->backend->state)
		m->backend->state(&r->before);
	if (take_samples(m, ns))
		return m->err->code;
	if (m->backend->state)
		m->backend->state(&r->after);
	r->has_gpu_state = m->backend->state != NULL;
	if (take_the_rest(m))
		return m->err->code;
	if (!r->emulated && !(gb_series_quantile(&r->time, 0.5) > 0))
		return gb_fail(m->err, GB_ERUNTIME, "the clock is too coarse for a run");
	sum_up_rates(m);
	if (m->counting && !(r->counts = strdup(m->backend->counter->counts())))
		return gb_out_of_memory(m->err, "the counts");
	return GB_OK;
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
static void settle(struct gb_result *r, const struct gb_error *err)
{
	r->code = err->code;
	if (!err->code)
		return;
	r->outcome =
		err->code == GB_EUNAVAILABLE || err->code == GB_EMEMORY ? GB_SKIPPED : GB_FAILED;
	(void)snprintf(r->reason, sizeof r->reason, "%s", err->message);
	gb_result_forget(r);
}

static int threads_of(const struct gb_result *r)
{
	const struct gb_param *row =
		gb_param_find(r->workload->params, r->workload->param_count, "threads");

	if (r->variant->backend != GB_CPU)
		return 0;
	if (!row || (r->variant->ops && r->variant->ops->flags & GB_SERIAL))
		return 1;
	return (int)gb_value_load(row, r->params).i;
}

struct job {
	struct gb_result *result;
	void *input;
	const struct gb_settings *how;
	bool timed;
	struct gb_error *err;
};

static void do_job(void *self)
{
	const struct job *job = self;
	struct gb_result *result = job->result;
	struct gb_error own = { 0 };
	struct measurement m = {
		.result = result,
		.how = job->how,
		.ops = result->variant->ops,
		.backend = gb_backends[result->variant->backend],
		.input = job->input,
		.resident = { .base = NAN },
		.err = &own,
		.started_ns = gb_now_ns(),
	};

	result->threads = threads_of(result);
	result->cold = job->timed && !job->how->hot;
	result->outcome = GB_RESULT_OK;
	result->reason[0] = '\0';
	gb_result_forget(result);
	gb_memory_mark();
	(void)measure(&m, job->timed);
	result->host_bytes = gb_memory_peak(GB_HOST_MEMORY);
	result->device_bytes = gb_memory_peak(GB_DEVICE_MEMORY);
	result->elapsed_s = elapsed_s(&m);
	tear_down(&m);
	if (own.code == GB_EINTERRUPTED)
		gb_fail(job->err, own.code, "%s", own.message);
	else
		settle(result, &own);
}

enum gb_status gb_measure(struct gb_result *result, void *input, const struct gb_settings *how,
			  bool timed, struct gb_error *err)
{
	struct job job = { result, input, how, timed, err };

	if (!gb_ends(do_job, &job))
		gb_fail(err, GB_EINTERRUPTED, "interrupted");
	return err->code;
}
