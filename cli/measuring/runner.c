#include "cli/measuring/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"

volatile sig_atomic_t gb_interrupted;

enum {
	POISON = 0xa5,    /* what download() writes over */
	FIRST_CHECK = 50, /* up to here the stopping rule looks after every sample */
	FIRST_DOUBT = 20, /* from here on it asks whether more samples can help ... */
	PATIENCE = 10,    /* ... within so many times --min-time */
	MAX_BATCH = 1000,
};
static const double SHORT_NS = 20e3;  /* shorter runs are batched when hot ... */
static const double BATCH_NS = 200e3; /* ... to samples of about this length */

/* One measurement under way. */
struct session {
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
	int64_t runs;         /* so far: the number that reset() is told */
	int64_t distinct;
	int64_t verified; /* runs 0 .. verified-1 cover the distinct inputs verified */
	double started_ns;
};

/* ---- series ------------------------------------------------------------------------------- */

static enum gb_status push(struct gb_series *series, double value, struct gb_error *err)
{
	if (series->count == series->room) {
		const size_t room = series->room ? 2 * series->room : 32;
		double *grown = realloc(series->value, room * sizeof *grown);

		if (!grown)
			return gb_fail(err, GB_ERUNTIME, "out of memory for the samples");
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
	r->upload_ns = r->download_ns = r->first_ns = NAN;
	r->harmonic_items_per_s = r->copy_bytes_per_s = NAN;
	r->metrics.count = 0;
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
static enum gb_status timed_step(struct session *s, enum gb_status (*op)(struct session *s),
				 double *ns)
{
	struct gb_phase_time none[1];
	size_t phases = GB_COUNT(none);

	gb_timer_begin(&s->timer);
	if (op(s))
		return s->err->code;
	gb_timer_end(&s->timer);
	if (s->backend->synchronize(s->err) || gb_timer_read(&s->timer, ns, none, &phases))
		return s->err->code;
	return GB_OK;
}

static enum gb_status upload(struct session *s)
{
	return s->ops->upload(s->state, s->err);
}

static enum gb_status download(struct session *s)
{
	return s->ops->download(s->state, s->output, s->err);
}

/* Judge the output of run number `run`. */
static enum gb_status verify(struct session *s, int64_t run)
{
	struct gb_result *r = s->result;

	if (s->how->no_verify)
		return GB_OK;
	memset(s->output, POISON, s->output_size);
	if (timed_step(s, download, &r->download_ns))
		return s->err->code;
	if (r->workload->verify(r->params, s->input, run, s->output, &r->metrics, s->err)) {
		r->verdict = GB_FAIL;
		return s->err->code;
	}
	if (s->ops->metrics)
		s->ops->metrics(s->state, &r->metrics);
	r->verdict = GB_PASS;
	if (run == s->verified)
		s->verified++;
	return GB_OK;
}

/* Queue `batch` runs behind a blocked stream if `blocked`, and take their marks. */
static enum gb_status queue_runs(struct session *s, int64_t batch, bool blocked)
{
	if (blocked && s->backend->block(s->err))
		return s->err->code;
	gb_timer_begin(&s->timer);
	for (int64_t i = 0; i < batch && !s->err->code; i++)
		(void)s->ops->run(s->state, &s->timer, s->err);
	gb_timer_end(&s->timer);
	if (blocked) {
		struct gb_error release = { 0 };

		if (s->backend->unblock(&release))
			gb_fail(s->err, release.code, "%s", release.message);
	}
	return s->err->code;
}

/* One sample: reset, flush if cold, run.  *ns and *host_ns are per run; phases are kept if `kept`.
 */
static enum gb_status sample(struct session *s, int64_t batch, bool blocked, bool kept, double *ns,
			     double *host_ns)
{
	struct gb_phase_time phase[GB_MAX_PHASES];
	size_t phases = GB_MAX_PHASES;
	double start;

	if (s->ops->reset && s->ops->reset(s->state, s->runs, s->err))
		return s->err->code;
	if (s->result->cold && s->backend->flush(s->err))
		return s->err->code;
	if (s->backend->synchronize(s->err))
		return s->err->code;
	s->timer.phases = batch == 1;
	start = gb_now_ns();
	if (queue_runs(s, batch, blocked) || s->backend->synchronize(s->err))
		return s->err->code;
	*host_ns = (gb_now_ns() - start) / (double)batch;
	if (gb_timer_read(&s->timer, ns, phase, &phases))
		return s->err->code;
	*ns /= (double)batch;
	s->runs++;
	return kept ? push_phases(s->result, phase, phases, s->err) : GB_OK;
}

static double elapsed_s(const struct session *s)
{
	return (gb_now_ns() - s->started_ns) * 1e-9;
}

/* ---- how many samples --------------------------------------------------------------------- */

/* Outcome of the samples so far, by their interval. */
static void judge_interval(struct session *s, enum gb_stop stop, double half_width)
{
	struct gb_result *r = s->result;

	r->stop = stop;
	r->outcome = GB_RESULT_OK;
	if (stop == GB_FIXED || half_width <= s->how->rel_ci)
		return;
	r->outcome = GB_NOISY;
	if (isnan(half_width))
		(void)snprintf(r->reason, sizeof r->reason,
			       "%zu samples are too few for an interval", r->time.count);
	else
		(void)snprintf(r->reason, sizeof r->reason,
			       "interval of +-%.1f %% after %zu samples, wanted %.3g %%",
			       100 * half_width, r->time.count, 100 * s->how->rel_ci);
}

/* An interval shrinks with the root of the number of samples: whether reaching --rel-ci would take
 * more of them than --max-samples, or longer than is worth it. */
static bool hopeless(const struct session *s, double half_width)
{
	const double n = (double)s->result->time.count;
	const double elapsed = elapsed_s(s);
	const double growth = (half_width / s->how->rel_ci) * (half_width / s->how->rel_ci);
	const double patience = PATIENCE * s->how->min_time_s;

	if (s->how->rel_ci <= 0 || (n < FIRST_DOUBT && elapsed < patience))
		return false;
	return !(n * growth <= (double)s->how->max_samples && elapsed * growth <= patience);
}

/* True once the stopping rule says so; then stop and outcome are set. */
static bool enough(struct session *s)
{
	struct gb_result *r = s->result;
	const size_t n = r->time.count;
	struct gb_error ignored = { 0 };
	struct gb_summary summary;
	double half_width;
	const bool late = elapsed_s(s) >= s->how->timeout_s;
	const bool last = n >= (size_t)s->how->max_samples;

	if (s->how->samples && n >= (size_t)s->how->samples) {
		judge_interval(s, GB_FIXED, NAN);
		return true;
	}
	if (s->how->samples && !late)
		return false;
	if (!late && !last &&
	    (n < (size_t)s->how->min_samples || (n > FIRST_CHECK && n % (n / 16))))
		return false;
	if (gb_summarize(r->time.value, n, &summary, &ignored))
		return true;
	half_width = gb_relative_half_width(&summary);
	if (r->watch)
		r->watch(r, half_width);
	if (late || last) {
		judge_interval(s, late ? GB_TIME_LIMIT : GB_MAX_SAMPLES, half_width);
		return true;
	}
	if (elapsed_s(s) < s->how->min_time_s)
		return false;
	if (half_width <= s->how->rel_ci) {
		judge_interval(s, GB_CONVERGED, half_width);
		return true;
	}
	if (hopeless(s, half_width)) {
		judge_interval(s, GB_NO_GAIN, half_width);
		return true;
	}
	return false;
}

/* Runs per sample: more than one only when hot, since a batch warms the caches by itself. */
static int64_t choose_batch(const struct session *s, double ns)
{
	const struct gb_result *r = s->result;
	int64_t batch;

	if (r->cold || !(s->ops->flags & GB_REPEATABLE) || s->distinct > 1 || ns >= SHORT_NS ||
	    (r->workload->repeatable && !r->workload->repeatable(r->params)))
		return 1;
	batch = (int64_t)ceil(BATCH_NS / (ns > 1 ? ns : 1));
	return batch < MAX_BATCH ? batch : MAX_BATCH;
}

/* ---- the measurement ---------------------------------------------------------------------- */

static enum gb_status set_up(struct session *s)
{
	struct gb_result *r = s->result;

	if (!r->variant->ops)
		return gb_fail(s->err, GB_EUNAVAILABLE, "%s", r->variant->absent);
	if (s->backend->open((int)s->how->device, s->err))
		return s->err->code;
	if (s->ops->create(&s->state, r->params, s->input, s->err))
		return s->err->code;
	s->output_size = r->workload->output_size(r->params, s->input);
	s->output = gb_host_alloc(s->output_size, 1, s->err);
	if (!s->output)
		return s->err->code;
	s->timer = (struct gb_timer){ .ops = s->backend->timer, .err = s->err };
	if (s->timer.ops->create(&s->timer.clock, s->err))
		return s->err->code;
	if (s->ops->upload && timed_step(s, upload, &r->upload_ns))
		return s->err->code;
	return GB_OK;
}

/* The first runs: unblocked, so that host_time means what a caller would see.  Each different
 * input's first output is verified.  *ns is the last run's time. */
static enum gb_status warm_up(struct session *s, int64_t count, double *ns)
{
	struct gb_result *r = s->result;
	double host_ns = 0;

	for (int64_t i = 0; i < count; i++) {
		if (sample(s, 1, false, false, ns, &host_ns))
			return s->err->code;
		if (i == 0)
			r->first_ns = host_ns;
		else if (s->backend->block && push(&r->host_time, host_ns, s->err))
			return s->err->code;
		if (s->runs <= s->distinct && verify(s, s->runs - 1))
			return s->err->code;
		if (gb_interrupted)
			return gb_fail(s->err, GB_EINTERRUPTED, "interrupted");
		if (elapsed_s(s) >= s->how->timeout_s)
			return gb_fail(
				s->err, GB_ERUNTIME,
				"time-out: no sample within %g s (the first run took %.3g s)",
				s->how->timeout_s, r->first_ns * 1e-9);
	}
	return GB_OK;
}

static enum gb_status take_samples(struct session *s, double warm_ns)
{
	struct gb_result *r = s->result;
	const bool can_block = s->backend->block && !(s->ops->flags & GB_HOST_DECISIONS);
	double ns = 0, host_ns = 0;

	r->batch = choose_batch(s, warm_ns);
	do {
		if (sample(s, r->batch, can_block, true, &ns, &host_ns) ||
		    push(&r->time, ns, s->err))
			return s->err->code;
		if (!can_block && push(&r->host_time, host_ns, s->err))
			return s->err->code;
		if (s->backend->sm_clock_hz) {
			const double hz = s->backend->sm_clock_hz();

			if (!isnan(hz) && push(&r->sm_clock_hz, hz, s->err))
				return s->err->code;
		}
		if (s->runs <= s->distinct && verify(s, s->runs - 1))
			return s->err->code;
		if (isnan(r->first_ns))
			r->first_ns = host_ns;
		if (gb_interrupted)
			return gb_fail(s->err, GB_EINTERRUPTED, "interrupted");
	} while (!enough(s));
	return s->runs > s->distinct ? verify(s, s->runs - 1) : GB_OK;
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
static void sum_up_rates(struct session *s)
{
	struct gb_result *r = s->result;
	const int64_t first = s->runs - (int64_t)r->time.count;
	double ns_per_item = 0;

	r->work = r->workload->work(r->params, s->input);
	if (s->ops->bytes)
		r->work.bytes = s->ops->bytes(r->params, s->input);
	else
		r->work.bytes += touched_bytes(&r->metrics);
	if (s->distinct <= 1)
		return;
	for (size_t i = 0; i < r->time.count; i++) {
		const int64_t run = first + (int64_t)i;
		const double items = r->workload->items
					     ? r->workload->items(r->params, s->input, run)
					     : r->work.items;

		ns_per_item += r->time.value[i] / items;
	}
	r->harmonic_items_per_s = (double)r->time.count / ns_per_item * 1e9;
}

static enum gb_status measure(struct session *s, bool timed)
{
	struct gb_result *r = s->result;
	double ns = 0;

	if (set_up(s) || !s->output)
		return s->err->code;
	s->distinct = r->workload->distinct ? r->workload->distinct(r->params, s->input) : 1;
	if (!timed) {
		r->stop = GB_UNTIMED;
		return warm_up(s, s->distinct, &ns);
	}
	if (s->backend->state)
		s->backend->state(&r->before);
	if (warm_up(s, s->how->warmup, &ns) || take_samples(s, ns))
		return s->err->code;
	if (s->backend->state) {
		s->backend->state(&r->after);
		r->has_gpu_state = true;
	}
	sum_up_rates(s);
	return GB_OK;
}

static void tear_down(struct session *s)
{
	if (s->timer.clock)
		s->timer.ops->destroy(s->timer.clock);
	if (s->ops)
		s->ops->destroy(s->state);
	gb_host_free(s->output);
}

/* Turn the error that ended the measurement into the result's outcome. */
static void settle(struct gb_result *r, const struct gb_error *err, bool late)
{
	r->code = err->code;
	if (!err->code)
		return;
	r->outcome = err->code == GB_EUNAVAILABLE ? GB_SKIPPED : late ? GB_TIMEOUT : GB_FAILED;
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

/* In a build without CUDA the cuda variants have no operations, and so no need of a back end. */
static const struct gb_backend_ops *backend_of(const struct gb_variant *variant)
{
#if GB_HAVE_CUDA
	if (variant->backend == GB_CUDA)
		return &gb_cuda_backend;
#endif
	(void)variant;
	return &gb_cpu_backend;
}

enum gb_status gb_run(struct gb_result *result, const void *input, const struct gb_settings *how,
		      bool timed, struct gb_error *err)
{
	struct gb_error own = { 0 };
	struct session s = {
		.result = result,
		.how = how,
		.ops = result->variant->ops,
		.backend = backend_of(result->variant),
		.input = input,
		.err = &own,
		.started_ns = gb_now_ns(),
	};

	result->threads = threads_of(result);
	result->cold = timed && !how->hot;
	forget_times(result);
#ifdef GPUBENCH_SIMT
	result->emulated = result->variant->backend == GB_CUDA;
#endif
	gb_memory_mark();
	(void)measure(&s, timed);
	result->host_bytes = gb_memory_peak(GB_HOST_MEMORY);
	result->device_bytes = gb_memory_peak(GB_DEVICE_MEMORY);
	result->elapsed_s = elapsed_s(&s);
	tear_down(&s);
	if (own.code == GB_EINTERRUPTED)
		return gb_fail(err, own.code, "%s", own.message);
	settle(result, &own, own.code == GB_ERUNTIME && elapsed_s(&s) >= how->timeout_s);
	return GB_OK;
}
