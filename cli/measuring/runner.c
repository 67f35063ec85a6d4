/* runner.c -- runs a measurement from create() to destroy(). */
#include "cli/measuring/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measuring/doubt.h"
#include "cli/measuring/evidence.h"
#include "cli/measuring/judge.h"
#include "cli/measuring/leave.h"
#include "cli/measuring/sample.h"
#include "cli/measuring/stopping.h"
#include "cli/plugins/remote.h"
#include "cli/workloads/value.h"
#include "common/devices.h"
#include "common/memory.h"
#include "common/secret.h"
#include "common/text.h"

enum {
	MAX_BATCH = 1000,
	WHOLE_RUNS = 3, /* at most, unless they contradict the samples */
	MAX_WHOLE_RUNS = 30,
	CHEAP = 50,     /* each sample is on another input if a change takes 1/50 of its time */
	HOST_TIMES = 5, /* at most; at least two if host times are taken at all */
	SHARE = 5,      /* phases, and transfers, have this part of the least time of sampling */
};
static const double SHORT_NS = 20e3;  /* shorter runs are batched when hot */
static const double BATCH_NS = 200e3; /* length of a batch, about */
static const double WHOLE_S = 0.01;   /* whole runs after the first are begun within it */

static double elapsed_s(const struct gb_measurement *m)
{
	return (gb_now_ns() - m->started_ns) * 1e-9;
}

/* Runs per sample.  ns is the time of the last warm-up run, NAN if there was none.  More than one
 * only when hot, because a batch warms the caches itself. */
static int64_t choose_batch(const struct gb_measurement *m, double ns)
{
	const struct gb_result *r = m->result;

	if (r->cold || !(m->ops->flags & GB_REPEATABLE) || m->distinct > 1 || !(ns < SHORT_NS) ||
	    (r->workload->repeatable && !r->workload->repeatable(r->params)))
		return 1;
	return ns * MAX_BATCH > BATCH_NS ? (int64_t)ceil(BATCH_NS / ns) : MAX_BATCH;
}

/* ---- the measurement ---------------------------------------------------------------------- */

static enum gb_status upload(struct gb_measurement *m)
{
	return gb_state_upload(m->ops, m->state, m->err);
}

/* True if the open device, if any, is emulated: its times say nothing about a GPU. */
static bool emulates(const struct gb_backend_ops *backend)
{
	return backend->is_emulated && backend->is_emulated();
}

static size_t memory_used(void)
{
	return gb_memory_used(GB_HOST_MEMORY) + gb_memory_used(GB_DEVICE_MEMORY);
}

static enum gb_status set_up(struct gb_measurement *m)
{
	struct gb_result *r = m->result;
	double start;

	if (!r->variant->ops)
		return gb_fail(m->err, GB_EUNAVAILABLE, "%s", r->variant->absent);
	if (m->backend == gb_backends[r->variant->backend]
		    ? gb_device_open(r->variant->backend, (int)m->how->device, m->err)
		    : m->backend->open(0, m->err))
		return m->err->code;
	r->emulated = emulates(m->backend);
	m->evidence.state_bytes = memory_used();
	if (r->variant->backend == GB_CPU && !m->backend->remote)
		gb_resident_begin(&m->evidence.resident);
	start = gb_now_ns();
	if (gb_state_create(m->ops, r->params, m->input, &m->state, m->err) ||
	    (m->ops->upload && !m->backend->fill && upload(m)))
		return m->err->code;
	r->create_ns = gb_now_ns() - start;
	m->output_size = r->workload->output_size(r->params, m->input);
	gb_resident_pause(&m->evidence.resident);
	m->output = gb_host_alloc(m->output_size, 1, m->err);
	gb_resident_resume(&m->evidence.resident);
	if (!m->output)
		return m->err->code;
	m->timer = (struct gb_timer){ .ops = m->backend->timer, .err = m->err };
	if (m->timer.ops->create(&m->timer.clock, m->err))
		return m->err->code;
	if (m->ops->upload && m->backend->fill && (upload(m) || m->backend->synchronize(m->err)))
		return m->err->code;
	m->evidence.state_bytes = memory_used() - m->evidence.state_bytes;
	return GB_OK;
}

/* Keep the times of a run that was not held back, by the host's clock and the variant's.  On the
 * CPU they are nearly the same, so few of the host's are kept. */
static enum gb_status keep_host_time(struct gb_measurement *m, double ns, double host_ns)
{
	if ((m->backend->hold || m->result->host_time.count < HOST_TIMES) &&
	    gb_series_push(&m->result->host_time, host_ns, m->err))
		return m->err->code;
	return gb_series_push(&m->evidence.unseen, host_ns - ns, m->err);
}

/* Warm-up runs.  They are not held back, so that host_time is the time that a caller would see.
 * The first run is verified to stop a wrong variant early.  If caches are hot, this proves little,
 * because nothing was poisoned.  untimed: no samples follow, so each run is poisoned and verified,
 * and waits for a processor do not count as time.  *ns is the time of the last run. */
static enum gb_status warm_up(struct gb_measurement *m, int64_t count, bool untimed, double *ns)
{
	const double start_ns = gb_variant_cpu_ns(m);
	struct gb_result *r = m->result;
	double host_ns = 0, spent_s;

	for (int64_t i = 0; i < count; i++) {
		const struct gb_manner how = { .batch = 1,
					       .verified = untimed,
					       .warm = i > 0 && !untimed && !m->backend->hold };

		if (gb_sample(m, how, ns, &host_ns))
			return m->err->code;
		if (i == 0)
			r->first_ns = host_ns;
		else if (m->backend->hold && keep_host_time(m, *ns, host_ns))
			return m->err->code;
		if (gb_interrupted)
			return gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
		if ((untimed || i == 0) && gb_verify_run(m))
			return m->err->code;
		spent_s = elapsed_s(m);
		if (untimed)
			spent_s = fmin(spent_s, (gb_variant_cpu_ns(m) - start_ns) * 1e-9);
		if (spent_s >= m->how->timeout_s)
			return gb_fail(m->err, GB_ERUNTIME,
				       "time-out: no %s within %g s%s (the first run took %.3g s)",
				       untimed ? "result" : "sample", m->how->timeout_s,
				       untimed ? " of processor time" : "", r->first_ns * 1e-9);
	}
	return GB_OK;
}

/* The sample between the first and the last that is verified, a secret one of those that are
 * certain to be taken. */
static int64_t choose_sample(const struct gb_measurement *m)
{
	const int64_t count = m->how->samples ? m->how->samples : m->how->min_samples;

	return count > 2 ? 1 + (int64_t)(gb_secret() % (uint64_t)(count - 2)) : 0;
}

/* True if sample k is expected to be the last.  last_s is the duration of the sample before it. */
static bool is_last(const struct gb_measurement *m, int64_t k, double last_s)
{
	const struct gb_settings *how = m->how;

	return k + 1 >= (how->samples ? how->samples : GB_MAX_SAMPLES) ||
	       elapsed_s(m) + last_s >= how->timeout_s;
}

/* True if a sample on another input is also verified. */
static bool may_verify(const struct gb_measurement *m)
{
	return m->evidence.verify_ns * GB_VERIFYING < elapsed_s(m) * 1e9;
}

static enum gb_status take_sample(struct gb_measurement *m, bool verified, bool changed)
{
	struct gb_result *r = m->result;
	const struct gb_manner how = { .batch = r->batch,
				       .held = true,
				       .verified = verified,
				       .changed = changed,
				       .counts = true };
	double ns, host_ns;

	if (gb_sample(m, how, &ns, &host_ns) || gb_series_push(&r->time, ns, m->err) ||
	    gb_sort_out(m, verified, changed && m->evidence.varies,
			gb_seen_ns(m, r->batch, ns, host_ns)))
		return m->err->code;
	if ((!m->backend->hold || m->ops->flags & GB_HOST_DECISIONS) &&
	    keep_host_time(m, ns, host_ns))
		return m->err->code;
	if (m->backend->sm_clock_hz) {
		const double hz = m->backend->sm_clock_hz();

		if (!isnan(hz) && gb_series_push(&r->sm_clock_hz, hz, m->err))
			return m->err->code;
	}
	if (isnan(r->first_ns))
		r->first_ns = host_ns;
	r->overwritten += m->evidence.poisoned;
	r->changed += changed && m->evidence.varies;
	/* An interrupted measurement leaves no record, so its sample need not be verified. */
	if (verified && !gb_interrupted)
		(void)gb_verify_sample(m);
	return m->err->code;
}

/* Take samples until the stopping rule ends sampling and the last sample was verified. */
static enum gb_status take_samples(struct gb_measurement *m, double warm_ns)
{
	struct gb_result *r = m->result;
	const int64_t chosen = choose_sample(m);
	bool enough = false, verified, changed;
	double start_s, last_s = 0;

	r->batch = choose_batch(m, warm_ns);
	if (gb_timer_resolution(m->timer.ops, m->timer.clock, &r->resolution_ns, m->err))
		return m->err->code;
	r->resolution_ns /= (double)r->batch;
	m->first = m->runs;
	do {
		const int64_t k = (int64_t)r->time.count;

		start_s = elapsed_s(m);
		verified = m->how->verify_all || k < m->distinct || k == chosen || enough ||
			   is_last(m, k, last_s);
		/* The first run that is verified has the original input, and its metrics. */
		changed = r->verified > 0 && (verified || gb_secret() % GB_CHANGED == 0 ||
					      m->evidence.vary_ns * CHEAP < last_s * 1e9);
		verified = !m->how->no_verify && (verified || (changed && may_verify(m)));
		if (take_sample(m, verified, changed))
			return m->err->code;
		if (gb_interrupted)
			return gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
		last_s = elapsed_s(m) - start_s;
		enough = gb_stop_sampling(r, m->how, elapsed_s(m));
	} while (!enough || !(verified || m->how->no_verify));
	gb_doubt_samples(r);
	return gb_take_evidence(m) || gb_sample_clocks(m) ? m->err->code : gb_sample_alone(m);
}

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

/* Take extra runs.  None is started after --timeout. */
static enum gb_status take_others(struct gb_measurement *m, const struct gb_manner *how,
				  const struct others *others, bool launched)
{
	const double start_s = elapsed_s(m);
	bool enough = false;

	for (size_t i = 0; !enough && want_more(others, i, elapsed_s(m) - start_s) &&
			   elapsed_s(m) < m->how->timeout_s;
	     i++) {
		double ns, host_ns;

		if (gb_sample(m, *how, &ns, &host_ns) ||
		    (launched && keep_host_time(m, ns, host_ns)))
			return m->err->code;
		if (gb_interrupted)
			return gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
		enough = how->phases && i + 1 >= others->least &&
			 gb_phases_are_narrow(m->result, m->how);
	}
	return GB_OK;
}

/* Time whole runs, more if noise may have made them long, and break some up.  A plug-in cannot
 * avoid the first by being slow. */
static enum gb_status take_whole_runs(struct gb_measurement *m)
{
	struct gb_error wrong = { 0 };
	double taken_s = 0;

	for (int i = 0; ((i == 0 && m->backend->remote) || elapsed_s(m) < m->how->timeout_s) &&
			((i < MAX_WHOLE_RUNS && gb_judge_whole(m, &wrong)) ||
			 (i < WHOLE_RUNS && taken_s < WHOLE_S));
	     i++) {
		const double start_s = elapsed_s(m);

		if (gb_whole_run(m))
			return m->err->code;
		taken_s += elapsed_s(m) - start_s;
		if (i % WHOLE_RUNS == 0 && gb_broken_run(m))
			return m->err->code;
		if (gb_interrupted)
			return gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
	}
	return GB_OK;
}

/* Time the transfers of a device.  Nothing runs after it: the device then has an input without a
 * result. */
static enum gb_status take_transfers(struct gb_measurement *m, const struct others *others)
{
	const double start_s = elapsed_s(m);

	if (!m->ops->upload || !m->backend->fill)
		return GB_OK;
	for (size_t i = 0; want_more(others, i, elapsed_s(m) - start_s) &&
			   (i == 0 || elapsed_s(m) < m->how->timeout_s);
	     i++) {
		if (gb_transfer(m))
			return m->err->code;
		if (gb_interrupted)
			return gb_fail(m->err, GB_EINTERRUPTED, "interrupted");
	}
	return GB_OK;
}

/* Take runs for data that would distort the samples: whole runs, phase marks, transfers and, if
 * samples are held back, the launch times in host_time.  A paper's mean of N runs may be of a phase
 * or include transfers, so these are as many as the samples with --samples=N and, if time allows,
 * in a paper's tables.  Else they have a small share of the time. */
static enum gb_status take_the_rest(struct gb_measurement *m)
{
	const struct gb_manner marked = { .batch = 1, .held = true, .phases = true };
	const struct gb_manner launched = { .batch = 1 };
	const struct gb_settings *how = m->how;
	struct gb_result *r = m->result;
	const size_t have = r->host_time.count, most = r->emulated ? 1 : r->time.count;
	const struct others rest = { how->samples ? most : 1, most,
				     gb_least_time_s(how) / (how->for_paper ? 1 : SHARE) };
	const struct others launches = { have < 2 ? 2 - have : 0, HOST_TIMES - have,
					 gb_least_time_s(how) };

	if (m->counting) /* the executor's times mean nothing */
		return GB_OK;
	if (have < HOST_TIMES && m->backend->hold && !(m->ops->flags & GB_HOST_DECISIONS) &&
	    take_others(m, &launched, &launches, true))
		return m->err->code;
	if (!how->no_verify && take_whole_runs(m))
		return m->err->code;
	if (m->timer.named && !how->no_phases && take_others(m, &marked, &rest, false))
		return m->err->code;
	return take_transfers(m, &rest);
}

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
static double bytes_moved(const struct gb_measurement *m)
{
	const struct gb_result *r = m->result;
	const double least = r->workload->work(r->params, m->input).bytes;
	const char *from;

	if (!m->ops->bytes) /* a plug-in's word is no model */
		return least + (m->backend->remote ? 0 : touched_bytes(&r->metrics));
	if (r->cold && m->backend->cache_bytes &&
	    m->evidence.state_bytes <= m->backend->cache_bytes(&from))
		return least;
	return m->ops->bytes(r->params, m->input);
}

/* Samples of different work have different rates; their harmonic mean is the overall rate. */
static void sum_up_rates(struct gb_measurement *m)
{
	struct gb_result *r = m->result;
	double ns_per_item = 0;

	r->work = r->workload->work(r->params, m->input);
	r->work.bytes = bytes_moved(m);
	if (r->cold) {
		r->flush_bytes = m->backend->flush_bytes(); /* 0 before the first flush */
		r->flush_bytes_per_s = (double)r->flush_bytes * m->backend->flush_passes /
				       m->evidence.flush_ns * 1e9;
	}
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

static enum gb_status take_counts(struct gb_measurement *m)
{
	const char *counts;

	if (!m->counting)
		return GB_OK;
	counts = m->backend->counter->counts();
	if (!counts)
		return gb_fail(m->err, GB_ERUNTIME, "the plug-in's process gives no counts");
	m->result->counts = strdup(counts);
	return m->result->counts ? GB_OK : gb_out_of_memory(m->err, "the counts");
}

static enum gb_status measure(struct gb_measurement *m, bool timed)
{
	struct gb_result *r = m->result;
	double ns = NAN;

	if (set_up(m) || !m->output)
		return m->err->code;
	m->distinct = r->workload->distinct ? r->workload->distinct(r->params, m->input) : 1;
	if (!timed)
		return warm_up(m, m->distinct, true, &ns);
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
	m->evidence.children = gb_children(m) > m->evidence.children_before;
	if (gb_judge(m, m->err)) {
		r->by_time = !m->evidence.children;
		return m->err->code;
	}
	if (!r->emulated && !(gb_series_quantile(&r->time, 0.5) > 0))
		return gb_fail(m->err, GB_ERUNTIME, "the clock is too coarse for a run");
	r->constant = m->backend->remote && !m->how->no_verify && !m->evidence.varies;
	r->whole_ns = gb_series_quantile(&m->evidence.whole, 0.5);
	r->cpu_ns = gb_series_quantile(&m->evidence.cpu, 0.5);
	sum_up_rates(m);
	return take_counts(m);
}

static void tear_down(struct gb_measurement *m)
{
	if (m->timer.clock)
		m->timer.ops->destroy(m->timer.clock);
	if (m->ops)
		gb_state_destroy(m->ops, m->state);
	gb_host_free(m->output);
	gb_restore_input(m);
	gb_evidence_release(&m->evidence);
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

enum gb_status gb_run_on(const struct gb_backend_ops *backend, struct gb_result *result,
			 void *input, const struct gb_settings *how, bool timed,
			 struct gb_error *err)
{
	struct gb_error own = { 0 };
	struct gb_measurement m = {
		.result = result,
		.how = how,
		.ops = result->variant->ops,
		.backend = backend,
		.input = input,
		.err = &own,
		.evidence = { .flush_ns = INFINITY,
			      .upload_ns = INFINITY,
			      .between_ns = INFINITY,
			      .unflushed_ns = INFINITY,
			      .once_ns = INFINITY,
			      .resident = { .base = NAN } },
		.started_ns = gb_now_ns(),
	};

	if (!backend->remote)
		m.evidence.children_before = gb_children(&m);
	(void)gb_threads_spin();
	result->threads = threads_of(result);
	result->cold = timed && !how->hot;
	result->outcome = GB_RESULT_OK;
	result->reason[0] = '\0';
	gb_result_forget(result);
	gb_memory_mark();
	(void)measure(&m, timed);
	result->host_bytes = gb_memory_peak(GB_HOST_MEMORY);
	result->device_bytes = gb_memory_peak(GB_DEVICE_MEMORY);
	if (backend->remote) {
		result->host_bytes += backend->remote->peak(GB_HOST_MEMORY);
		result->device_bytes += backend->remote->peak(GB_DEVICE_MEMORY);
	}
	result->elapsed_s = elapsed_s(&m);
	tear_down(&m);
	if (own.code == GB_EINTERRUPTED)
		return gb_fail(err, own.code, "%s", own.message);
	settle(result, &own);
	return GB_OK;
}

struct run {
	const struct gb_backend_ops *backend;
	struct gb_result *result;
	void *input;
	const struct gb_settings *how;
	bool timed;
	struct gb_error *err;
};

static void run(void *self)
{
	const struct run *run = self;

	(void)gb_run_on(run->backend, run->result, run->input, run->how, run->timed, run->err);
}

enum gb_status gb_run(struct gb_result *result, void *input, const struct gb_settings *how,
		      bool timed, struct gb_error *err)
{
	const struct gb_variant *variant = result->variant;
	const struct gb_remote_limits limits = { .device = (int)how->device,
						 .timeout_s = how->timeout_s,
						 .memory_bytes = how->memory_bytes };
	const bool remote = variant->ops && variant->plugin && variant->plugin->isolated;
	struct run job = { remote ? gb_remote_backend(variant, &limits)
				  : gb_backends[variant->backend],
			   result,
			   input,
			   how,
			   timed,
			   err };

	if (!gb_ends(run, &job))
		gb_fail(err, GB_EINTERRUPTED, "interrupted");
	return err->code;
}
