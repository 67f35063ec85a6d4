/* single_run.c -- see single_run.h. */
#include "cli/measure/single_run.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "cli/measure/interrupt.h"
#include "common/memory.h"
#include "common/secret.h"
#include "common/text.h"

enum { MAX_PAUSES = 10 }; /* before a sample that is retaken */
static const double PAUSE_S = 0.05;
/* By bit of NVML's nvmlClocksEventReason* constants: software_power_cap, hardware_slowdown, the
 * thermal ones and power_brake. */
static const uint64_t POWER_OR_HEAT = 0xec;

double gb_spent_s(const struct gb_measurement *m)
{
	return (gb_now_ns() - m->started_ns) * 1e-9;
}

bool gb_goes_on(struct gb_measurement *m)
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

static enum gb_status poison_results(struct gb_measurement *m)
{
	return gb_memory_poison(m->state, next_poison(), m->backend->fill, m->err);
}

/* Queue the runs between two marks. */
static void queue_runs(struct gb_measurement *m, const struct gb_manner *how)
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
static enum gb_status run_and_wait(struct gb_measurement *m, const struct gb_manner *how)
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

static enum gb_status take_once(struct gb_measurement *m, const struct gb_manner *how, double *ns,
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
static double throttled_ns(const struct gb_measurement *m)
{
	return m->backend->throttled_ns ? m->backend->throttled_ns() : (double)NAN;
}

/* Let the GPU cool: pause until nothing lowers its clocks any more, at most MAX_PAUSES times. */
static void cool_down(struct gb_measurement *m)
{
	const struct timespec pause = { .tv_nsec = (long)(PAUSE_S * 1e9) };
	struct gb_gpu_state state = { 0 };
	int pauses = 0;

	do {
		(void)nanosleep(&pause, NULL);
		m->backend->state(&state);
	} while (++pauses < MAX_PAUSES && state.throttle & POWER_OR_HEAT && !gb_interrupted);
	m->paused_s += pauses * PAUSE_S;
}

enum gb_status gb_take_run(struct gb_measurement *m, struct gb_manner how, double *ns,
			   double *host_ns)
{
	bool again = true;

	while (again) {
		const double before_ns = throttled_ns(m);

		how.held = how.held && m->backend->hold && m->runs > 0 &&
			   m->given_up < GB_MAX_GIVE_UPS && !(m->ops->flags & GB_HOST_DECISIONS);
		if (take_once(m, &how, ns, host_ns))
			return m->err->code;
		again = how.counts && throttled_ns(m) > before_ns &&
			m->throttled++ < GB_MAX_RETAKEN;
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

enum gb_status gb_keep_host_time(struct gb_measurement *m, double host_ns)
{
	if (!m->backend->hold && m->record->host_time.count >= GB_HOST_TIMES)
		return GB_OK;
	return gb_times_add(&m->record->host_time, host_ns, m->err);
}

enum gb_status gb_time_transfer(struct gb_measurement *m, bool uploads)
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

static enum gb_status check_guard(const struct gb_measurement *m, unsigned char poison)
{
	for (size_t i = 0; i < GB_GUARD; i++)
		if (m->output[m->output_size + i] != poison)
			return gb_fail(m->err, GB_EVERIFY,
				       "download() writes beyond the output of %zu bytes",
				       m->output_size);
	return GB_OK;
}

enum gb_status gb_verify_run(struct gb_measurement *m)
{
	const unsigned char poison = next_poison();
	const struct gb_benchmark *benchmark = m->result->benchmark;

	memset(m->output, poison, m->output_size + GB_GUARD);
	if (gb_time_transfer(m, false))
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
