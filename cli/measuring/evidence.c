/* evidence.c -- changes the input, overwrites results, verifies, and times whole runs. */
#include "cli/measuring/evidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "cli/plugins/remote.h"
#include "common/memory.h"
#include "common/secret.h"
#include "common/text.h"

/* The process that a variant runs in; 0: this one. */
static int process_of(const struct gb_measurement *m)
{
	return m->backend->remote ? m->backend->remote->process(m->state) : 0;
}

bool gb_flushes_there(const struct gb_measurement *m)
{
	return m->result->cold && m->backend->remote && !m->backend->fill;
}

double gb_per_work_ns(const struct gb_measurement *m, double ns)
{
	const struct gb_workload *workload = m->result->workload;

	if (workload->items)
		ns *= workload->items(m->result->params, m->input, m->first) /
		      workload->items(m->result->params, m->input, m->runs - 1);
	return ns;
}

double gb_variant_cpu_ns(const struct gb_measurement *m)
{
	return gb_cpu_ns(process_of(m));
}

/* Run a step between two marks and keep its time. */
static enum gb_status timed_step(struct gb_measurement *m,
				 enum gb_status (*op)(struct gb_measurement *m),
				 struct gb_series *series)
{
	struct gb_phase_time none[1];
	size_t phases = GB_COUNT(none);
	double ns;

	gb_timer_begin(&m->timer);
	if (op(m))
		return m->err->code;
	gb_timer_end(&m->timer);
	if (m->backend->synchronize(m->err) || gb_timer_read(&m->timer, &ns, none, &phases))
		return m->err->code;
	return gb_series_push(series, ns, m->err);
}

static enum gb_status copy_input(struct gb_measurement *m)
{
	return (m->ops->copy ? m->ops->copy : m->ops->upload)(m->state, m->err);
}

static enum gb_status copy_output(struct gb_measurement *m)
{
	return m->ops->download(m->state, m->output, m->err);
}

static enum gb_status timed_download(struct gb_measurement *m)
{
	return timed_step(m, copy_output, &m->result->download);
}

enum gb_status gb_transfer(struct gb_measurement *m)
{
	return timed_step(m, copy_input, &m->result->upload) ? m->err->code : timed_download(m);
}

/* ---- clocks of steps outside run() --------------------------------------------------------- */

/* A clock for steps: CPU time, which other programs do not lengthen; wall time on a device, or, if
 * waiting threads of OpenMP spin, without the waits for a processor of them all. */
static double step_ns(const struct gb_measurement *m)
{
	double unused;

	if (m->backend->fill)
		return gb_now_ns();
	return gb_threads_spin() ? gb_now_ns() - gb_delay_ns(process_of(m), &unused)
				 : gb_cpu_ns(process_of(m));
}

/* The same between two steps. */
static double settled_ns(const struct gb_measurement *m)
{
	if (!m->backend->fill && !gb_threads_spin())
		gb_settle(m->result->variant->peer);
	return step_ns(m);
}

enum gb_status gb_watch(struct gb_measurement *m, enum gb_step step,
			enum gb_status (*op)(struct gb_measurement *m))
{
	const bool is_watched = m->backend->remote && !m->backend->fill && !gb_threads_spin();
	struct gb_evidence *e = &m->evidence;
	double start_ns;

	if (!is_watched)
		return op(m);
	start_ns = e->seen_ns > 0 ? e->seen_ns : settled_ns(m);
	if (op(m))
		return m->err->code;
	e->seen_ns = settled_ns(m);
	return gb_series_push(&e->watched[step], e->seen_ns - start_ns, m->err);
}

/* ---- the input ---------------------------------------------------------------------------- */

/* Replace what is in memory by variation `key`. */
static void put_variation(struct gb_measurement *m, uint64_t key)
{
	struct gb_evidence *e = &m->evidence;

	if (!m->result->workload->vary || e->in_memory == key)
		return;
	e->varies = m->result->workload->vary(m->result->params, m->input, key);
	e->in_memory = key;
	e->stale = true;
}

static void put_new_variation(struct gb_measurement *m)
{
	const uint64_t key = gb_secret() | GB_FAR_VARIATION | 1; /* 0 is the original */

	put_variation(m, m->evidence.far ? key : key & ~GB_FAR_VARIATION);
}

/* Wait for work that a step has queued on a device. */
static enum gb_status drain(struct gb_measurement *m)
{
	return m->backend->fill ? m->backend->synchronize(m->err) : GB_OK;
}

/* Let the process of a plug-in copy what is in memory. */
static enum gb_status show_input(struct gb_measurement *m)
{
	const struct gb_remote_ops *remote = m->backend->remote;
	double start_ns;

	if (!remote)
		return GB_OK;
	start_ns = step_ns(m);
	if (remote->show(m->state, m->err))
		return m->err->code;
	m->evidence.seen_ns = step_ns(m);
	return gb_series_push(&m->evidence.show,
			      m->evidence.seen_ns - start_ns - 4 * remote->copy_ns(m->state),
			      m->err);
}

static enum gb_status upload(struct gb_measurement *m)
{
	if (m->ops->upload && (m->ops->upload(m->state, m->err) || drain(m)))
		return m->err->code;
	return GB_OK;
}

/* Let upload() see what is in memory. */
static enum gb_status renew_state(struct gb_measurement *m, bool watched)
{
	struct gb_evidence *e = &m->evidence;
	double start_ns;

	if (!e->stale)
		return GB_OK;
	if (show_input(m))
		return m->err->code;
	start_ns = step_ns(m);
	if (watched ? gb_watch(m, GB_STEP_UPLOAD, upload) : upload(m))
		return m->err->code;
	if (m->ops->upload && !watched)
		e->seen_ns = 0;
	e->upload_ns = fmin(e->upload_ns, step_ns(m) - start_ns);
	e->stale = false;
	return GB_OK;
}

enum gb_status gb_renew_input(struct gb_measurement *m, bool change)
{
	struct gb_evidence *e = &m->evidence;
	const double start_ns = gb_now_ns();

	if (change)
		put_new_variation(m);
	if (!change && !e->stale)
		return GB_OK;
	e->variation = e->in_memory;
	if (renew_state(m, change && m->result->cold))
		return m->err->code;
	if (change)
		e->vary_ns = gb_now_ns() - start_ns;
	if (change && m->backend->fill) {
		put_new_variation(m);
		e->stale = false; /* the device keeps what it has */
		if (m->backend->remote)
			(void)m->backend->remote->show(m->state, m->err);
	}
	return m->err->code;
}

void gb_rewrite_input(struct gb_measurement *m)
{
	struct gb_evidence *e = &m->evidence;

	if (!e->varies)
		return;
	e->in_memory = ~e->variation;
	put_variation(m, e->variation);
}

void gb_restore_input(struct gb_measurement *m)
{
	if (m->input)
		put_variation(m, 0);
}

/* ---- results ------------------------------------------------------------------------------ */

/* 128 .. 254 */
static unsigned char next_poison(void)
{
	return (unsigned char)(128 + gb_secret() % 127);
}

bool gb_is_poisoned(const struct gb_measurement *m, const struct gb_manner *how)
{
	const bool varies = how->changed && m->evidence.varies;

	if (m->how->no_verify)
		return how->verified;
	/* Without variations, poison is all there is. */
	if (m->result->cold || (how->verified && !varies))
		return true;
	/* Variations of a small input may have equal results: poison at least one verified run. */
	if (how->verified && m->result->verified >= 2 && !m->evidence.overwrote)
		return true;
	/* Runs whose times are compared find the result in the same caches. */
	return varies && !how->delays && gb_secret() % 2;
}

enum gb_status gb_poison_result(struct gb_measurement *m)
{
	if (m->backend->remote)
		return m->backend->remote->poison(m->state, next_poison(), m->err);
	return gb_memory_poison(m->state, next_poison(), m->backend->fill, m->err);
}

/* Download the result; meanwhile the input is another one, unless it is the original. */
static enum gb_status fetch(struct gb_measurement *m)
{
	const uint64_t variation = m->evidence.variation;
	double start_ns;

	if (variation)
		put_new_variation(m);
	if (renew_state(m, false))
		return m->err->code;
	start_ns = gb_thread_ns();
	memset(m->output, next_poison(), m->output_size);
	if (gb_series_push(&m->evidence.fill, gb_thread_ns() - start_ns, m->err) ||
	    gb_watch(m, GB_STEP_DOWNLOAD, timed_download))
		return m->err->code;
	m->evidence.seen_ns = 0;
	if (variation)
		put_variation(m, variation);
	return GB_OK;
}

enum gb_status gb_verify_run(struct gb_measurement *m)
{
	struct gb_result *r = m->result;
	struct gb_metrics unused = { 0 };
	struct gb_metrics *metrics = m->evidence.variation ? &unused : &r->metrics;
	const double start_ns = gb_now_ns();

	if (m->how->no_verify)
		return GB_OK;
	if (fetch(m))
		return m->err->code;
	if (r->workload->verify(r->params, m->input, m->runs - 1, m->output, metrics, m->err)) {
		r->verdict = GB_FAIL;
		return m->err->code;
	}
	if (m->ops->metrics)
		m->ops->metrics(m->state, metrics);
	r->verdict = GB_PASS;
	r->verified++;
	m->evidence.verify_ns += gb_now_ns() - start_ns;
	return GB_OK;
}

enum gb_status gb_verify_unflushed(struct gb_measurement *m)
{
	struct gb_series *watched = &m->evidence.watched[GB_STEP_DOWNLOAD];
	const size_t count = watched->count;

	(void)gb_verify_run(m);
	watched->count = count;
	return m->err->code;
}

/* ---- whole runs --------------------------------------------------------------------------- */

bool gb_cpu_time_tells(const struct gb_measurement *m)
{
	return !m->backend->fill && !m->result->variant->peer && !gb_threads_spin();
}

void gb_use_begin(struct gb_measurement *m)
{
	struct gb_evidence *e = &m->evidence;
	double unused;

	if (gb_cpu_time_tells(m))
		gb_settle(false);
	e->delay_ns = -gb_delay_ns(process_of(m), &unused);
	e->worked_ns = -gb_cpu_ns(process_of(m));
}

void gb_use_end(struct gb_measurement *m, int64_t batch)
{
	struct gb_evidence *e = &m->evidence;
	double reading_ns;

	e->delay_ns = (e->delay_ns + gb_delay_ns(process_of(m), &reading_ns)) / (double)batch;
	if (gb_cpu_time_tells(m))
		gb_settle(false);
	e->worked_ns += gb_cpu_ns(process_of(m)) - reading_ns;
	e->worked_ns /= fmax(1, m->result->threads) * (double)batch;
	if (!gb_cpu_time_tells(m))
		e->worked_ns = 0;
}

static enum gb_status reset(struct gb_measurement *m)
{
	if (m->ops->reset && m->ops->reset(m->state, m->runs, m->err))
		return m->err->code;
	m->runs++;
	return GB_OK;
}

static enum gb_status run(struct gb_measurement *m)
{
	m->timer.phases = false;
	gb_timer_begin(&m->timer);
	(void)m->ops->run(m->state, &m->timer, m->err);
	return m->err->code; /* also if the mark failed */
}

/* Prepare a run that is not a sample. */
static enum gb_status begin(struct gb_measurement *m)
{
	(void)(renew_state(m, false) || gb_poison_result(m) || m->backend->synchronize(m->err));
	m->evidence.seen_ns = 0;
	return m->err->code;
}

/* Do a step, add its duration to *whole, and keep its time.  *from is the clock of steps before it,
 * then after it. */
static enum gb_status do_step(struct gb_measurement *m,
			      enum gb_status (*op)(struct gb_measurement *m), double *from,
			      struct gb_series *series, double *whole)
{
	const double start_ns = gb_now_ns(), before = *from;

	if (op(m) || drain(m))
		return m->err->code;
	*whole += gb_now_ns() - start_ns;
	*from = settled_ns(m);
	return gb_series_push(series, *from - before, m->err);
}

/* Read the usage between two steps, without a pause in which a thread could work unseen.  Return
 * the CPU time that this takes. */
static double read_between(const struct gb_measurement *m, struct gb_usage *usage, double *from)
{
	const double reading_ns = gb_read_usage(usage, process_of(m));

	*from = m->backend->fill || gb_threads_spin() ? step_ns(m) : *from + reading_ns;
	return reading_ns;
}

enum gb_status gb_whole_run(struct gb_measurement *m)
{
	struct gb_evidence *e = &m->evidence;
	static struct gb_usage before, after;
	double whole_ns = 0, from, cpu_ns, start_ns, run_ns, delay_ns, unused;

	if (begin(m))
		return m->err->code;
	delay_ns = -gb_delay_ns(process_of(m), &unused);
	from = settled_ns(m);
	cpu_ns = gb_cpu_ns(process_of(m));
	if (do_step(m, reset, &from, &e->reset, &whole_ns))
		return m->err->code;
	cpu_ns += read_between(m, &before, &from);
	start_ns = whole_ns;
	if (do_step(m, run, &from, &e->run, &whole_ns))
		return m->err->code;
	run_ns = whole_ns - start_ns;
	if (gb_series_push(&e->running, run_ns, m->err))
		return m->err->code;
	cpu_ns += read_between(m, &after, &from);
	if (do_step(m, copy_output, &from, &e->download, &whole_ns))
		return m->err->code;
	cpu_ns = gb_cpu_ns(process_of(m)) - cpu_ns;
	e->busy = gb_busy_threads(&before, &after, cpu_ns);
	delay_ns += gb_delay_ns(process_of(m), &unused);
	run_ns = fmax(run_ns - delay_ns, fmin(cpu_ns / fmax(1, m->result->threads), run_ns));
	run_ns = gb_per_work_ns(m, run_ns);
	e->unflushed_ns = fmin(e->unflushed_ns, run_ns);
	if (gb_flushes_there(m) && !e->alone.count && gb_series_push(&e->alone, run_ns, m->err))
		return m->err->code;
	if (gb_series_push(&e->whole, whole_ns, m->err))
		return m->err->code;
	return gb_series_push(&e->cpu, cpu_ns, m->err);
}

long gb_children(struct gb_measurement *m)
{
	struct rusage usage;
	siginfo_t info;

	if (m->backend->remote)
		return m->backend->remote->children(m->state, m->err);
	(void)getrusage(RUSAGE_CHILDREN, &usage);
	return usage.ru_minflt + !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
}

enum gb_status gb_broken_run(struct gb_measurement *m)
{
	const bool is_peer = m->result->variant->peer;
	double idle_ns = 0;

	m->evidence.far = true;
	(void)gb_renew_input(m, true);
	m->evidence.far = false;
	if (m->err->code)
		return m->err->code;
	if (m->ops->upload)
		idle_ns = gb_sleep_ns(process_of(m), is_peer);
	if (begin(m) || reset(m))
		return m->err->code;
	if (m->ops->reset)
		idle_ns = fmax(idle_ns, gb_sleep_ns(process_of(m), is_peer));
	if (run(m))
		return m->err->code;
	idle_ns = fmax(idle_ns, gb_sleep_ns(process_of(m), is_peer));
	if (m->backend->synchronize(m->err) ||
	    (m->backend->remote ? gb_verify_unflushed(m) : copy_output(m)))
		return m->err->code;
	m->evidence.between_ns = fmin(m->evidence.between_ns, idle_ns);
	put_new_variation(m); /* whole runs that follow are on the usual order */
	return GB_OK;
}

void gb_evidence_release(struct gb_evidence *e)
{
	free(e->fill.value);
	free(e->verified.value);
	free(e->changed.value);
	free(e->same.value);
	free(e->unseen.value);
	free(e->alone.value);
	free(e->between.value);
	for (int i = 0; i < GB_STEPS; i++)
		free(e->watched[i].value);
	for (int i = 0; i < 2; i++)
		free(e->worked[i].value);
	free(e->show.value);
	free(e->reset.value);
	free(e->run.value);
	free(e->running.value);
	free(e->download.value);
	free(e->whole.value);
	free(e->cpu.value);
}
