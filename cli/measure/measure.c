/* measure.c -- measures a variant at a point.
 *
 * gb_measure(), at the end, goes through the steps in the order in which they stand here: it begins
 * the record (result.c), sets the variant up, warms up, takes samples until the stopping rule
 * (stopping.c) ends them, times phases and transfers, and sums up.  All of these take single runs,
 * which come first.
 */
#include "cli/measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/benchmarks/registry.h"
#include "cli/benchmarks/value.h"
#include "cli/measure/interrupt.h"
#include "cli/measure/stopping.h"
#include "common/devices.h"
#include "common/memory.h"
#include "common/secret.h"
#include "common/stats.h"
#include "common/text.h"
#include "common/variants.h"

enum {
	GUARD = 64,       /* bytes behind the output that download() must not write */
	MAX_BATCH = 1000, /* runs per sample */
	HOST_TIMES = 5,   /* at most */
	MAX_GIVE_UPS = 2, /* failed holds after which no more are tried */
	MAX_RETAKEN = 10, /* samples that are retaken because clocks were lowered */
	MAX_PAUSES = 10,  /* before each of them */
	READINGS = 10,    /* of the GPU's state per --warmup-time */
	SHARE = 5,        /* phases, and transfers, have this part of the least time of sampling */
};
static const double SHORT_NS = 20e3;  /* shorter runs are batched when hot */
static const double BATCH_NS = 200e3; /* length of a batch, about */
static const double PAUSE_S = 0.05;
/* By bit of NVML's nvmlClocksEventReason* constants: software_power_cap, hardware_slowdown, the
 * thermal ones and power_brake. */
static const uint64_t POWER_OR_HEAT = 0xec;

/* ---- one run ------------------------------------------------------------------------------- */

/* A measurement under way. */
struct measurement {
	struct gb_result *result;
	struct gb_record *record; /* the result's */
	const struct gb_settings *how;
	const struct gb_variant_ops *ops;
	const struct gb_backend_ops *backend;
	void *input, *state;
	unsigned char *output; /* output_size bytes, then GUARD */
	size_t output_size;
	struct gb_timer timer;
	const char *clock; /* the name of the timer's, in the record */
	struct gb_error *err;
	int64_t runs;              /* runs or batches so far; the number passed to reset() */
	int64_t first;             /* number of the first sample */
	int64_t distinct;          /* inputs that the samples cycle through */
	int64_t batch;             /* runs per sample */
	int64_t verified;          /* runs that were */
	int64_t given_up;          /* holds that timed out; their samples are not counted */
	int64_t throttled;         /* samples with lowered clocks; the first ten are taken again */
	int64_t pauses;            /* before them */
	bool cold;                 /* flush the caches before each sample */
	bool counting;             /* the back end counts the first run */
	struct gb_metrics metrics; /* of the last verified run */
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

static double spent_s(const struct measurement *m)
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

/* A byte that no variant can foresee: 128 to 254. */
static unsigned char next_poison(void)
{
	return (unsigned char)(128 + gb_secret() % 127);
}

static enum gb_status poison_results(struct measurement *m)
{
	return gb_memory_poison(m->state, next_poison(), m->backend->fill, m->err);
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

static enum gb_status add_phases(struct gb_phases *phases, const struct gb_phase_time *phase,
				 size_t count, struct gb_error *err)
{
	for (size_t i = 0; i < count && !err->code; i++) {
		struct gb_times *time = gb_phases_get(phases, phase[i].name);

		if (!time)
			return gb_out_of_memory(err, "the samples");
		if (phases->count > GB_MAX_PHASES)
			return gb_fail(err, GB_ERUNTIME, "more than %d phases", GB_MAX_PHASES);
		(void)gb_times_add(time, phase[i].ns, err);
	}
	return err->code;
}

/* Run or hold, queue, release, and wait for the end. */
static enum gb_status run_and_wait(struct measurement *m, const struct manner *how)
{
	struct gb_error release = { 0 };

	if (how->held && m->backend->hold(m->err))
		return m->err->code;
	if (m->timer.range)
		m->timer.range(m->record->key);
	queue_runs(m, how);
	if (how->held && m->backend->let_go(&release))
		gb_fail(m->err, release.code, "%s", release.message);
	if (!m->err->code)
		(void)m->backend->synchronize(m->err);
	if (m->timer.range)
		m->timer.range(NULL);
	return m->err->code;
}

static enum gb_status take_once(struct measurement *m, const struct manner *how, double *ns,
				double *host_ns)
{
	struct gb_phase_time phase[GB_MAX_PHASES] = { 0 };
	size_t phases = GB_MAX_PHASES;
	double start_ns;

	if ((how->verified && poison_results(m)) ||
	    (m->ops->reset && m->ops->reset(m->state, m->runs, m->err)) ||
	    (how->cold && m->backend->flush(m->err)) || m->backend->synchronize(m->err))
		return m->err->code;
	gb_watch_run(true);
	start_ns = gb_now_ns();
	(void)run_and_wait(m, how);
	*host_ns = (gb_now_ns() - start_ns) / (double)how->batch;
	gb_watch_run(false);
	if (m->err->code || gb_timer_read(&m->timer, ns, phase, &phases))
		return m->err->code;
	*ns /= (double)how->batch;
	return how->phases ? add_phases(&m->record->phases, phase, phases, m->err) : GB_OK;
}

/* The time that clocks have been lowered so far; NAN, which nothing exceeds, if unknown. */
static double throttled_ns(const struct measurement *m)
{
	return m->backend->throttled_ns ? m->backend->throttled_ns() : (double)NAN;
}

/* Let the GPU cool: pause until nothing lowers its clocks any more, at most MAX_PAUSES times. */
static void cool_down(struct measurement *m)
{
	const struct timespec pause = { .tv_nsec = (long)(PAUSE_S * 1e9) };
	struct gb_gpu_state state = { 0 };
	int pauses = 0;

	do {
		(void)nanosleep(&pause, NULL);
		m->backend->state(&state);
	} while (++pauses < MAX_PAUSES && state.throttle & POWER_OR_HEAT && !gb_interrupted);
	m->pauses += pauses;
}

/* Overwrite the results if they are to be verified, reset, flush, and run.  *ns by the variant's
 * clock and *host_ns by the host's are per run of a batch.  A run is taken again if the hold failed
 * or, for a sample, if clocks were lowered meanwhile.  The first run is not held back, because it
 * loads modules. */
static enum gb_status take_run(struct measurement *m, struct manner how, double *ns,
			       double *host_ns)
{
	bool again = true;

	while (again) {
		const double before_ns = throttled_ns(m);

		how.held = how.held && m->backend->hold && m->runs > 0 &&
			   m->given_up < MAX_GIVE_UPS && !(m->ops->flags & GB_HOST_DECISIONS);
		if (take_once(m, &how, ns, host_ns))
			return m->err->code;
		again = how.counts && throttled_ns(m) > before_ns && m->throttled++ < MAX_RETAKEN;
		if (again)
			cool_down(m);
		if (!again && how.held && !m->backend->has_held()) {
			m->given_up++;
			again = true;
		}
	}
	m->runs++;
	return GB_OK;
}

/* Keep the host's time of a run that was not held back; on the CPU a few are enough, as they are
 * nearly the variant's. */
static enum gb_status keep_host_time(struct measurement *m, double host_ns)
{
	if (!m->backend->hold && m->record->host_time.count >= HOST_TIMES)
		return GB_OK;
	return gb_times_add(&m->record->host_time, host_ns, m->err);
}

/* Runs per sample; ns is the time of one, NAN if unknown.  A batch warms the caches itself, so only
 * hot samples have more than one. */
static int64_t choose_batch(const struct measurement *m, double ns)
{
	const struct gb_result *r = m->result;

	if (m->cold || !(m->ops->flags & GB_REPEATABLE) || m->distinct > 1 || !(ns < SHORT_NS) ||
	    (r->benchmark->repeatable && !r->benchmark->repeatable(r->params)))
		return 1;
	return ns * MAX_BATCH > BATCH_NS ? (int64_t)ceil(BATCH_NS / ns) : MAX_BATCH;
}

/* Take a sample of `batch` runs and keep its times; the caller verifies it if `verified`. */
static enum gb_status take_sample(struct measurement *m, bool verified)
{
	const struct manner how = { m->batch, m->cold, true, false, verified, true };
	struct gb_record *r = m->record;
	double ns = NAN, host_ns = NAN;

	if (take_run(m, how, &ns, &host_ns) || gb_times_add(&r->time, ns, m->err))
		return m->err->code;
	if ((!m->backend->hold || m->ops->flags & GB_HOST_DECISIONS) && keep_host_time(m, host_ns))
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

/* Time an upload or a download. */
static enum gb_status time_transfer(struct measurement *m, bool uploads)
{
	struct gb_times *times =
		gb_phases_get(&m->record->transfers, uploads ? "upload" : "download");
	struct gb_phase_time none[1];
	size_t phases = GB_COUNT(none);
	double ns;

	if (!times)
		return gb_out_of_memory(m->err, "the samples");
	m->timer.phases = false;
	gb_timer_begin(&m->timer);
	if (uploads ? m->ops->upload(m->state, m->err)
		    : m->ops->download(m->state, m->output, m->err))
		return m->err->code;
	gb_timer_end(&m->timer);
	if (m->backend->synchronize(m->err) || gb_timer_read(&m->timer, &ns, none, &phases))
		return m->err->code;
	return gb_times_add(times, ns, m->err);
}

/* ---- verification ------------------------------------------------------------------------- */

/* The results are overwritten before a verified run, on the device, and before the download, on the
 * host, with a byte that no variant can foresee: a result that was not computed, or not copied, is
 * wrong. */

static enum gb_status check_guard(const struct measurement *m, unsigned char poison)
{
	for (size_t i = 0; i < GUARD; i++)
		if (m->output[m->output_size + i] != poison)
			return gb_fail(m->err, GB_EVERIFY,
				       "download() writes beyond the output of %zu bytes",
				       m->output_size);
	return GB_OK;
}

/* Download the result of the last run, and verify it.  GB_EVERIFY if it is wrong. */
static enum gb_status verify_run(struct measurement *m)
{
	const unsigned char poison = next_poison();
	const struct gb_benchmark *benchmark = m->result->benchmark;

	memset(m->output, poison, m->output_size + GUARD);
	if (time_transfer(m, false))
		return m->err->code;
	m->record->verify.result = "fail";
	if (check_guard(m, poison) || benchmark->verify(m->result->params, m->input, m->runs - 1,
							m->output, &m->metrics, m->err))
		return m->err->code;
	if (m->ops->metrics)
		m->ops->metrics(m->state, &m->metrics);
	m->record->status = GB_STATUS_OK;
	m->record->verify.result = "pass";
	m->record->verify.runs = (double)++m->verified;
	return GB_OK;
}

/* ---- set-up ------------------------------------------------------------------------------- */

static enum gb_status set_up(struct measurement *m, bool timed)
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
	m->output = gb_host_alloc(m->output_size + GUARD, 1, m->err);
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
static bool is_warm(const struct measurement *m, struct warming *w)
{
	struct gb_record *r = m->record;
	const double now_s = spent_s(m) - w->start_s;
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
static enum gb_status warm_up(struct measurement *m, int64_t count, bool samples_follow, double *ns)
{
	struct warming warming = { .least_s = samples_follow ? m->how->warmup_time_s : 0,
				   .start_s = spent_s(m) };
	double host_ns = 0;

	for (int64_t i = 0; goes_on(m) && (!is_warm(m, &warming) || i < count); i++) {
		const struct manner how = {
			.batch = 1,
			.cold = m->cold && (i == 0 || m->backend->hold),
			.verified = m->how->verify != GB_VERIFY_NONE && (i == 0 || !samples_follow),
		};

		if (take_run(m, how, ns, &host_ns))
			return m->err->code;
		if (i == 0)
			m->record->first_call = host_ns;
		else if (i < count && m->backend->hold && keep_host_time(m, host_ns))
			return m->err->code;
		if (!goes_on(m) || (how.verified && verify_run(m)))
			return m->err->code;
		if ((samples_follow || i + 1 < count) && spent_s(m) >= m->how->timeout_s)
			return gb_fail(m->err, GB_ERUNTIME,
				       "time-out: no %s within %g s (the first run took %.3g s)",
				       samples_follow ? "sample" : "result", m->how->timeout_s,
				       m->record->first_call * 1e-9);
	}
	return m->err->code;
}

/* ---- samples ------------------------------------------------------------------------------ */

/* A random sample between the first and the last of those that are certain to be taken, to be
 * verified. */
static int64_t choose_sample(const struct gb_settings *how)
{
	const int64_t count = how->samples ? how->samples : how->min_samples;

	return count > 2 ? 1 + (int64_t)(gb_secret() % (uint64_t)(count - 2)) : 0;
}

/* Take samples until the stopping rule ends sampling; verify the first of each distinct input, the
 * last, and a random one between. */
static enum gb_status take_samples(struct measurement *m, double warm_ns)
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
		const double start_s = spent_s(m);

		verified =
			some && (how->verify == GB_VERIFY_ALL || k < m->distinct || k == chosen ||
				 enough || k + 1 >= most || start_s + last_s >= how->timeout_s);
		if (take_sample(m, verified) || !goes_on(m) || (verified && verify_run(m)))
			return m->err->code;
		last_s = spent_s(m) - start_s;
		enough = gb_stop_sampling(r, how, spent_s(m));
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
static enum gb_status profile(struct measurement *m)
{
	const struct manner how = { .batch = 1, .verified = m->how->verify != GB_VERIFY_NONE };
	double ns, host_ns;

	m->timer.range = m->backend->range;
	if (!goes_on(m) || take_run(m, how, &ns, &host_ns))
		return m->err->code;
	m->timer.range = NULL;
	return how.verified ? verify_run(m) : GB_OK;
}

/* ---- phases and transfers ----------------------------------------------------------------- */

/* The number of runs that are not samples: at least `least`, then up to `most` while they have
 * taken less than `most_s` together. */
struct extras {
	size_t least, most;
	double most_s, start_s;
};

static bool want_more(struct measurement *m, const struct extras *extras, size_t count)
{
	const double now_s = spent_s(m);

	return count < extras->most &&
	       (count < extras->least || now_s - extras->start_s < extras->most_s) &&
	       (count == 0 || now_s < m->how->timeout_s) && goes_on(m);
}

/* Time runs that are not held back. */
static enum gb_status take_launches(struct measurement *m)
{
	const struct manner how = { .batch = 1, .cold = m->cold };
	const size_t have = m->record->host_time.count;
	const struct extras extras = { have < 2 ? 2 - have : 0, HOST_TIMES - have,
				       gb_least_time_s(m->how), spent_s(m) };
	double ns, host_ns;

	if (have >= HOST_TIMES || !m->backend->hold || m->ops->flags & GB_HOST_DECISIONS)
		return GB_OK;
	for (size_t i = 0; want_more(m, &extras, i); i++)
		if (take_run(m, how, &ns, &host_ns) || keep_host_time(m, host_ns))
			return m->err->code;
	return m->err->code;
}

static enum gb_status take_phases(struct measurement *m, struct extras extras)
{
	const struct manner how = { 1, m->cold, true, true, false, false };
	double ns, host_ns;

	if (!m->timer.named || m->how->no_phases)
		return GB_OK;
	extras.start_s = spent_s(m);
	for (size_t i = 0; want_more(m, &extras, i); i++)
		if (take_run(m, how, &ns, &host_ns))
			return m->err->code;
	return m->err->code;
}

/* Time the transfers of a device. */
static enum gb_status take_transfers(struct measurement *m, struct extras extras)
{
	if (!m->ops->upload || !m->backend->fill)
		return GB_OK;
	extras.start_s = spent_s(m);
	for (size_t i = 0; want_more(m, &extras, i); i++)
		if (time_transfer(m, true) || time_transfer(m, false))
			return m->err->code;
	return m->err->code;
}

/* A paper's mean of N runs may be of a phase or include transfers, so these are as many as the
 * samples with --samples=N and, if time allows, in a paper's tables.  Else they have a small share
 * of the time.  Marks of phases would distort samples. */
static enum gb_status take_extras(struct measurement *m)
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
static double bytes_moved(const struct measurement *m, double least)
{
	return m->ops->bytes
		       ? m->ops->bytes(m->result->params, m->input)
		       : least + fmax(gb_member_number(&m->record->metrics, "touched_bytes"), 0);
}

/* The rate of samples that are different work. */
static double harmonic_rate(const struct measurement *m)
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
static enum gb_status settle(struct measurement *m)
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

static enum gb_status sum_up(struct measurement *m)
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
	r->gpu_state.paused_s = gb_positive((double)m->pauses * PAUSE_S);
	if (r->warmup.steady_s < m->how->warmup_time_s)
		gb_result_remark(m->result,
				 "clock or temperature still drifted after %.3g s of warm-up",
				 r->warmup.time_s);
	if (m->throttled > MAX_RETAKEN)
		gb_result_remark(m->result,
				 "clocks were lowered because of power or heat in %lld samples",
				 (long long)m->throttled);
	if (m->given_up >= MAX_GIVE_UPS)
		gb_result_remark(m->result,
				 "these times include launches: the stream could not be held "
				 "back, because run() waits for the device or queues more than "
				 "fits");
	return GB_OK;
}

/* ---- the measurement ---------------------------------------------------------------------- */

static enum gb_status measure(struct measurement *m, bool timed)
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

static void tear_down(struct measurement *m)
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
	struct measurement m = {
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
	m.record->elapsed_s = result->elapsed_s = spent_s(&m);
	tear_down(&m);
	if (own.code == GB_EINTERRUPTED)
		return gb_fail(err, own.code, "%s", own.message);
	if (own.code)
		gb_result_fail(result, &own);
	return GB_OK;
}
