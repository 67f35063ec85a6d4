/* measure.c -- measures a variant at a point.
 *
 * gb_measure(), at the end, goes through the steps in the order in which they stand here: it begins
 * the record (result.c), sets the variant up, warms up, takes samples until the stopping rule
 * (stopping.c) ends them, times phases and transfers, and sums up.  All of these take single runs
 * (single_run.c).
 */
#include "cli/measure/measure.h"

#include <math.h>

#include "cli/benchmarks/registry.h"
#include "cli/benchmarks/value.h"
#include "cli/measure/interrupt.h"
#include "cli/measure/single_run.h"
#include "cli/measure/stopping.h"
#include "common/devices.h"
#include "common/memory.h"
#include "common/secret.h"
#include "common/stats.h"
#include "common/text.h"
#include "common/variants.h"

enum {
	MAX_BATCH = 1000, /* runs per sample */
	READINGS = 10,    /* of the GPU's state per --warmup-time */
	SHARE = 5,        /* phases, and transfers, have this part of the least time of sampling */
};
static const double SHORT_NS = 20e3;  /* shorter runs are batched when hot */
static const double BATCH_NS = 200e3; /* length of a batch, about */

/* ---- set-up ------------------------------------------------------------------------------- */

static enum gb_status set_up(struct gb_measurement *m, bool timed)
{
	struct gb_result *r = m->result;
	double start_ns;

	if (!r->variant->ops)
		return gb_fail(m->err, GB_EUNAVAILABLE, "%s", r->variant->absent);
	if (gb_device_open(r->variant->backend, (int)m->how->device, m->err))
		return m->err->code;
	m->record->emulated = m->backend->is_emulated && m->backend->is_emulated();
	m->clock = m->record->emulated ? "emulated" : m->backend->timer->name;
	m->counting = timed && m->backend->counter != NULL;
	start_ns = gb_now_ns();
	if (gb_state_create(m->ops, r->params, m->input, &m->state, m->err))
		return m->err->code;
	if (m->backend->fill) /* a device's upload is no part of create */
		m->record->create = gb_now_ns() - start_ns;
	if (gb_state_upload(m->ops, m->state, m->err) || m->backend->synchronize(m->err))
		return m->err->code;
	if (!m->backend->fill)
		m->record->create = gb_now_ns() - start_ns;
	m->output_size = r->benchmark->output_size(r->params, m->input);
	m->output = gb_host_alloc(m->output_size + GB_GUARD, 1, m->err);
	m->timer = (struct gb_timer){ .ops = m->backend->timer, .err = m->err };
	if (!m->err->code)
		(void)m->timer.ops->create(&m->timer.clock, m->err);
	m->distinct = r->benchmark->distinct ? r->benchmark->distinct(r->params, m->input) : 1;
	return m->err->code;
}

/* ---- warm-up ------------------------------------------------------------------------------ */

/* A warm-up of least_s seconds at least. */
struct warming {
	double least_s, start_s, next_reading_s;
	struct gb_steady steady;
};

/* True once the time is over and the GPU, of which this takes readings, has been steady for as long,
 * or ten times as long or half of the time-out is over. */
static bool is_warm(const struct gb_measurement *m, struct warming *w)
{
	struct gb_record *r = m->record;
	const double now_s = gb_spent_s(m) - w->start_s;
	struct gb_gpu_state state;

	if (!(w->least_s > 0))
		return true;
	if (m->backend->state && now_s >= w->next_reading_s) {
		m->backend->state(&state);
		r->warmup.steady_s = gb_steady_s(&w->steady, &state, now_s);
		w->next_reading_s = now_s + w->least_s / READINGS;
	}
	r->warmup.time_s = now_s;
	return now_s >= w->least_s && (!(r->warmup.steady_s < w->least_s) ||
				       now_s >= fmin(10 * w->least_s, m->how->timeout_s / 2));
}

/* The first run is verified, so that a wrong variant ends early; each is if no samples follow.
 * None is held back: host_time is what a caller would see.  *ns is the time of the last run. */
static enum gb_status warm_up(struct gb_measurement *m, int64_t count, bool samples_follow,
			      double *ns)
{
	struct warming warming = { .least_s = samples_follow ? m->how->warmup_time_s : 0,
				   .start_s = gb_spent_s(m) };
	double host_ns = 0;

	for (int64_t i = 0; gb_goes_on(m) && (!is_warm(m, &warming) || i < count); i++) {
		const struct gb_manner how = {
			.batch = 1,
			.cold = m->cold && (i == 0 || m->backend->hold),
			.verified = m->how->verify != GB_VERIFY_NONE && (i == 0 || !samples_follow),
		};

		if (gb_take_run(m, how, ns, &host_ns))
			return m->err->code;
		if (i == 0)
			m->record->first_call = host_ns;
		else if (i < count && m->backend->hold && gb_keep_host_time(m, host_ns))
			return m->err->code;
		if (!gb_goes_on(m) || (how.verified && gb_verify_run(m)))
			return m->err->code;
		if ((samples_follow || i + 1 < count) && gb_spent_s(m) >= m->how->timeout_s)
			return gb_fail(m->err, GB_ERUNTIME,
				       "time-out: no %s within %g s (the first run took %.3g s)",
				       samples_follow ? "sample" : "result", m->how->timeout_s,
				       m->record->first_call * 1e-9);
	}
	return m->err->code;
}

/* ---- samples ------------------------------------------------------------------------------ */

/* Runs per sample; ns is the time of one, NAN if unknown.  A batch warms the caches itself, so only
 * hot samples have more than one. */
static int64_t choose_batch(const struct gb_measurement *m, double ns)
{
	const struct gb_result *r = m->result;

	if (m->cold || !(m->ops->flags & GB_REPEATABLE) || m->distinct > 1 || !(ns < SHORT_NS) ||
	    (r->benchmark->repeatable && !r->benchmark->repeatable(r->params)))
		return 1;
	return ns * MAX_BATCH > BATCH_NS ? (int64_t)ceil(BATCH_NS / ns) : MAX_BATCH;
}

/* Take a sample of `batch` runs and keep its times; the caller verifies it if `verified`. */
static enum gb_status take_sample(struct gb_measurement *m, bool verified)
{
	const struct gb_manner how = { m->batch, m->cold, true, false, verified, true };
	struct gb_record *r = m->record;
	double ns = NAN, host_ns = NAN;

	if (gb_take_run(m, how, &ns, &host_ns) || gb_times_add(&r->time, ns, m->err))
		return m->err->code;
	if ((!m->backend->hold || m->ops->flags & GB_HOST_DECISIONS) &&
	    gb_keep_host_time(m, host_ns))
		return m->err->code;
	if (m->backend->sm_clock_hz) {
		const double hz = m->backend->sm_clock_hz();

		if (!isnan(hz) && gb_numbers_add(&r->gpu_state.sm_clock_hz, hz, m->err))
			return m->err->code;
	}
	if (isnan(r->first_call))
		r->first_call = host_ns;
	return m->err->code;
}

/* A random sample between the first and the last of those that are certain to be taken, to be
 * verified. */
static int64_t choose_sample(const struct gb_settings *how)
{
	const int64_t count = how->samples ? how->samples : how->min_samples;

	return count > 2 ? 1 + (int64_t)(gb_secret() % (uint64_t)(count - 2)) : 0;
}

/* Take samples until the stopping rule ends sampling; verify the first of each distinct input, the
 * last, and a random one between. */
static enum gb_status take_samples(struct gb_measurement *m, double warm_ns)
{
	const struct gb_settings *how = m->how;
	struct gb_result *r = m->result;
	const int64_t chosen = choose_sample(how);
	const int64_t most = how->samples ? how->samples : GB_MAX_SAMPLES;
	const bool some = how->verify != GB_VERIFY_NONE;
	struct gb_gpu_state before = { 0 }, after = { 0 };
	bool enough = false, verified;
	double last_s = 0;

	if (m->backend->state)
		m->backend->state(&before);
	m->batch = choose_batch(m, warm_ns);
	if (gb_timer_resolution(m->timer.ops, m->timer.clock, &r->resolution_ns, m->err))
		return m->err->code;
	r->resolution_ns /= (double)m->batch;
	m->first = m->runs;
	do {
		const int64_t k = (int64_t)m->record->time.count;
		const double start_s = gb_spent_s(m);

		verified =
			some && (how->verify == GB_VERIFY_ALL || k < m->distinct || k == chosen ||
				 enough || k + 1 >= most || start_s + last_s >= how->timeout_s);
		if (take_sample(m, verified) || !gb_goes_on(m) || (verified && gb_verify_run(m)))
			return m->err->code;
		last_s = gb_spent_s(m) - start_s;
		enough = gb_stop_sampling(r, how, gb_spent_s(m));
	} while (!enough || (some && !verified));
	if (m->backend->state) {
		m->backend->state(&after);
		if (gb_result_put_gpu_state(m->record, &before, &after, m->err))
			return m->err->code;
	}
	if (gb_times_settle(&m->record->time, m->clock, r->resolution_ns, m->err))
		return m->err->code;
	if (!m->record->emulated && !(m->record->time.median > 0))
		return gb_fail(m->err, GB_ERUNTIME, "the clock is too coarse for a run");
	return GB_OK;
}

/* Run once, verified, in ranges that have the names of the key and of the phases.  The caches are as
 * the warm-up left them, and nothing is held back. */
static enum gb_status profile(struct gb_measurement *m)
{
	const struct gb_manner how = { .batch = 1, .verified = m->how->verify != GB_VERIFY_NONE };
	double ns, host_ns;

	m->timer.range = m->backend->range;
	if (!gb_goes_on(m) || gb_take_run(m, how, &ns, &host_ns))
		return m->err->code;
	m->timer.range = NULL;
	return how.verified ? gb_verify_run(m) : GB_OK;
}

/* ---- phases and transfers ----------------------------------------------------------------- */

/* The number of runs that are not samples: at least `least`, then up to `most` while they have
 * taken less than `most_s` together. */
struct extras {
	size_t least, most;
	double most_s, start_s;
};

static bool want_more(struct gb_measurement *m, const struct extras *extras, size_t count)
{
	const double now_s = gb_spent_s(m);

	return count < extras->most &&
	       (count < extras->least || now_s - extras->start_s < extras->most_s) &&
	       (count == 0 || now_s < m->how->timeout_s) && gb_goes_on(m);
}

/* Time runs that are not held back. */
static enum gb_status take_launches(struct gb_measurement *m)
{
	const struct gb_manner how = { .batch = 1, .cold = m->cold };
	const size_t have = m->record->host_time.count;
	const struct extras extras = { have < 2 ? 2 - have : 0, GB_HOST_TIMES - have,
				       gb_least_time_s(m->how), gb_spent_s(m) };
	double ns, host_ns;

	if (have >= GB_HOST_TIMES || !m->backend->hold || m->ops->flags & GB_HOST_DECISIONS)
		return GB_OK;
	for (size_t i = 0; want_more(m, &extras, i); i++)
		if (gb_take_run(m, how, &ns, &host_ns) || gb_keep_host_time(m, host_ns))
			return m->err->code;
	return m->err->code;
}

static enum gb_status take_phases(struct gb_measurement *m, struct extras extras)
{
	const struct gb_manner how = { 1, m->cold, true, true, false, false };
	double ns, host_ns;

	if (!m->timer.named || m->how->no_phases)
		return GB_OK;
	extras.start_s = gb_spent_s(m);
	for (size_t i = 0; want_more(m, &extras, i); i++)
		if (gb_take_run(m, how, &ns, &host_ns))
			return m->err->code;
	return m->err->code;
}

/* Time the transfers of a device. */
static enum gb_status take_transfers(struct gb_measurement *m, struct extras extras)
{
	if (!m->ops->upload || !m->backend->fill)
		return GB_OK;
	extras.start_s = gb_spent_s(m);
	for (size_t i = 0; want_more(m, &extras, i); i++)
		if (gb_time_transfer(m, true) || gb_time_transfer(m, false))
			return m->err->code;
	return m->err->code;
}

/* A paper's mean of N runs may be of a phase or include transfers, so these are as many as the
 * samples with --samples=N and, if time allows, in a paper's tables.  Else they have a small share
 * of the time.  Marks of phases would distort samples. */
static enum gb_status take_extras(struct gb_measurement *m)
{
	const struct gb_settings *how = m->how;
	const size_t most = m->record->emulated ? 1 : m->record->time.count;
	const struct extras extras = { .least = how->samples ? most : 1,
				       .most = most,
				       .most_s = gb_least_time_s(how) /
						 (how->for_paper ? 1 : SHARE) };

	if (m->counting) /* the executor's times mean nothing */
		return GB_OK;
	if (take_launches(m) || take_phases(m, extras))
		return m->err->code;
	return take_transfers(m, extras);
}

/* ---- what follows from the samples ---------------------------------------------------------- */

/* Bytes that a run moves through main memory: by the variant's model or, without one, the compulsory
 * ones and those of the input that the last verified run read, if the variant counts them. */
static double bytes_moved(const struct gb_measurement *m, double least)
{
	return m->ops->bytes
		       ? m->ops->bytes(m->result->params, m->input)
		       : least + fmax(gb_member_number(&m->record->metrics, "touched_bytes"), 0);
}

/* The rate of samples that are different work. */
static double harmonic_rate(const struct gb_measurement *m)
{
	const struct gb_benchmark *benchmark = m->result->benchmark;
	const struct gb_times *time = &m->record->time;
	double ns_per_item = 0;

	for (size_t i = 0; i < time->count; i++)
		ns_per_item += time->sample[i] /
			       (benchmark->items ? benchmark->items(m->result->params, m->input,
								    m->first + (int64_t)i)
						 : m->record->work.items);
	return (double)time->count / ns_per_item * 1e9;
}

static double median_of(const struct gb_record *record, const char *transfer)
{
	const struct gb_times *times = gb_record_times(record, transfer);

	return times ? times->median : (double)NAN;
}

/* Set the medians of the series besides the samples.  On the CPU a download is a copy that only
 * verifying needs: its median is enough. */
static enum gb_status settle(struct gb_measurement *m)
{
	const double resolution_ns = m->result->resolution_ns;
	struct gb_record *r = m->record;

	if (gb_times_settle(&r->host_time, "monotonic", 0, m->err) ||
	    gb_phases_settle(&r->phases, m->clock, resolution_ns, m->err) ||
	    gb_phases_settle(&r->transfers, m->clock, resolution_ns, m->err))
		return m->err->code;
	r->upload = median_of(r, "upload");
	r->download = median_of(r, "download");
	if (isnan(r->upload))
		gb_phases_clear(&r->transfers);
	return GB_OK;
}

static enum gb_status sum_up(struct gb_measurement *m)
{
	const struct gb_benchmark *benchmark = m->result->benchmark;
	const struct gb_work work = benchmark->work(m->result->params, m->input);
	struct gb_record *r = m->record;

	if (settle(m))
		return m->err->code;
	r->cold = m->cold ? GB_YES : GB_NO;
	r->batch = (double)m->batch;
	r->holds_given_up = gb_positive((double)m->given_up);
	r->threads = gb_positive(gb_threads_of(benchmark, m->result->variant, m->result->params));
	m->result->read_bytes = work.read;
	r->work.items = work.items;
	r->work.unit = work.unit ? work.unit : r->work.unit;
	r->work.bytes = bytes_moved(m, work.bytes);
	if (m->cold) /* 0 before the first flush */
		r->memory.flush_bytes = gb_positive((double)m->backend->flush_bytes());
	if (m->distinct > 1 && !r->emulated)
		r->harmonic_items_per_s = harmonic_rate(m);
	if (!isnan(r->gpu_state.throttled_s))
		r->gpu_state.throttled_samples = (double)m->throttled;
	r->gpu_state.paused_s = gb_positive(m->paused_s);
	if (r->warmup.steady_s < m->how->warmup_time_s)
		gb_result_remark(m->result,
				 "clock or temperature still drifted after %.3g s of warm-up",
				 r->warmup.time_s);
	if (m->throttled > GB_MAX_RETAKEN)
		gb_result_remark(m->result,
				 "clocks were lowered because of power or heat in %lld samples",
				 (long long)m->throttled);
	if (m->given_up >= GB_MAX_GIVE_UPS)
		gb_result_remark(m->result,
				 "these times include launches: the stream could not be held "
				 "back, because run() waits for the device or queues more than "
				 "fits");
	return GB_OK;
}

/* ---- the measurement ---------------------------------------------------------------------- */

static enum gb_status measure(struct gb_measurement *m, bool timed)
{
	double ns = NAN;

	if (set_up(m, timed))
		return m->err->code;
	if (m->how->profile ? warm_up(m, m->how->warmup, true, &ns) || profile(m)
	    : timed ? warm_up(m, m->how->warmup, true, &ns) || take_samples(m, ns) || take_extras(m)
		    : warm_up(m, m->distinct, false, &ns))
		return m->err->code;
	if (m->counting)
		gb_metric(&m->metrics, "warp_efficiency", m->backend->counter->warp_efficiency());
	if (gb_result_put_metrics(m->record, &m->metrics, m->err) || !timed || sum_up(m))
		return m->err->code;
	return m->counting ? gb_record_put_counts(m->record, m->backend->counter->counts(), m->err)
			   : GB_OK;
}

static void tear_down(struct gb_measurement *m)
{
	if (m->timer.clock)
		m->timer.ops->destroy(m->timer.clock);
	if (m->ops)
		gb_state_destroy(m->ops, m->state);
	gb_host_free(m->output);
}

enum gb_status gb_measure(struct gb_result *result, void *input, const struct gb_settings *how,
			  bool timed, struct gb_error *err)
{
	struct gb_error own = { 0 };
	struct gb_measurement m = {
		.result = result,
		.record = &result->record,
		.how = how,
		.ops = result->variant->ops,
		.backend = gb_backends[result->variant->backend],
		.input = input,
		.err = &own,
		.started_ns = gb_now_ns(),
		.cold = timed && !how->hot && !how->profile,
	};

	if (gb_interrupted)
		return gb_fail(err, GB_EINTERRUPTED, "interrupted");
	if (gb_result_begin(result, err))
		return err->code;
	gb_memory_mark();
	gb_watch_begin(result, how->hang_s);
	(void)measure(&m, timed && !how->profile);
	gb_watch_end();
	m.record->memory.host_bytes = (double)gb_memory_peak(GB_HOST_MEMORY);
	m.record->memory.device_bytes = (double)gb_memory_peak(GB_DEVICE_MEMORY);
	m.record->elapsed_s = result->elapsed_s = gb_spent_s(&m);
	tear_down(&m);
	if (own.code == GB_EINTERRUPTED)
		return gb_fail(err, own.code, "%s", own.message);
	if (own.code)
		gb_result_fail(result, &own);
	return GB_OK;
}
