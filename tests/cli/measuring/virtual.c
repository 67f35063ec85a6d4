/* virtual.c -- see virtual.h. */
#include "tests/cli/measuring/virtual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/plugins/remote.h"
#include "common/memory.h"
#include "common/text.h"
#include "tests/cli/measuring/virtual_machine.h"

enum { WORDS = 16 };

/* Time on the host to copy the input or the result, in ns. */
static const double COPY_NS = 4000;

/* ---- the workload ------------------------------------------------------------------------- */

struct toy_params {
	int64_t threads, seed;
};

static const struct gb_param rows[] = { GB_COMMON_PARAMS(struct toy_params) };

struct words {
	uint64_t word[WORDS];
};

static void put_answers(struct words *result, const struct words *in)
{
	for (size_t i = 0; i < WORDS; i++)
		result->word[i] = 3 * in->word[i] + 1;
}

static bool vary(const void *params, void *input, uint64_t key)
{
	struct words *in = input;

	virtual_note(VIRTUAL_VARY);
	if (vm.machine.no_variations)
		return false;
	for (size_t i = 0; i < WORDS; i++)
		in->word[i] = gb_random64(key, i);
	virtual_spend_host(vm.machine.vary_ns > 0 ? vm.machine.vary_ns : COPY_NS);
	return true;
}

static size_t output_size(const void *params, const void *input)
{
	return sizeof(struct words);
}

static enum gb_status verify(const void *params, const void *input, int64_t sample,
			     const void *output, struct gb_metrics *metrics, struct gb_error *err)
{
	const struct words *in = input, *out = output;

	if (virtual_call(VIRTUAL_VERIFY, err))
		return err->code;
	virtual_spend_host(vm.machine.verify_ns > 0 ? vm.machine.verify_ns : COPY_NS);
	for (size_t i = 0; i < WORDS; i++)
		if (out->word[i] != 3 * in->word[i] + 1)
			return gb_fail(err, GB_EVERIFY, "word %zu of sample %lld is wrong", i,
				       (long long)sample);
	return GB_OK;
}

static int64_t distinct(const void *params, const void *input)
{
	return vm.machine.distinct ? vm.machine.distinct : 1;
}

static struct gb_work work_of(const void *params, const void *input)
{
	return (struct gb_work){ 1000, vm.machine.bytes, vm.machine.bytes };
}

static double items(const void *params, const void *input, int64_t sample)
{
	return 1000 * (double)(1 + sample % distinct(params, input));
}

static const struct gb_workload workload = { .name = "toy",
					     .item = "words",
					     .params = rows,
					     .param_count = GB_COUNT(rows),
					     .params_size = sizeof(struct toy_params),
					     .output_size = output_size,
					     .verify = verify,
					     .vary = vary,
					     .distinct = distinct,
					     .work = work_of,
					     .items = items };

/* ---- the variant -------------------------------------------------------------------------- */

struct state {
	const struct words *host_input;
	const struct words *in;      /* read by run() */
	struct words *copy, *result; /* the device's input; the result */
	struct words seen;           /* the input of the last run, if has_run */
	bool has_run;
	bool is_fresh; /* reset() was called after the last run */
	bool is_done;  /* the next run's work is done, outside run() */
};

static struct words input, shown; /* in memory; what the variant's process has of it */

/* An array of the machine's memory, owned by the state. */
static struct words *allocate(struct gb_error *err)
{
	struct words *array;

	if (!vm.machine.device)
		return gb_host_zalloc(1, sizeof *array, err);
	array = calloc(1, sizeof *array);
	if (array && gb_memory_add(GB_DEVICE_MEMORY, array, sizeof *array, free, err))
		return NULL;
	return array;
}

static enum gb_status create(void *state, const void *params, const void *in, struct gb_error *err)
{
	struct state *s = state;

	shown = input;
	s->host_input = vm.machine.remote ? &shown : in;
	s->result = allocate(err);
	s->copy = allocate(err);
	if (err->code)
		return err->code;
	gb_memory_result(s->result, sizeof *s->result, GB_POISON);
	s->in = vm.machine.device ? s->copy : s->host_input;
	return GB_OK;
}

/* Work in a step outside run(), which waits for the device unless the machine `queues`. */
static void work_outside(void)
{
	virtual_spend(virtual_draw());
	if (vm.machine.device && !vm.machine.queues)
		virtual_wait();
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = state;

	if (virtual_call(VIRTUAL_UPLOAD, err))
		return err->code;
	if (vm.machine.device) {
		virtual_wait();
		*s->copy = *s->host_input;
		virtual_spend_host(COPY_NS);
	}
	virtual_spend_host(vm.machine.upload_ns);
	if (vm.machine.cheat == VIRTUAL_IN_UPLOAD)
		work_outside();
	return GB_OK;
}

static bool works_in_reset(void)
{
	return vm.machine.cheat == VIRTUAL_IN_RESET ||
	       (vm.machine.cheat == VIRTUAL_RESET_MOSTLY && vm.sample % 4);
}

/* True if the whole result is one byte of poison. */
static bool is_poison(const struct words *result)
{
	const unsigned char *byte = (const unsigned char *)result;

	return byte[0] >= 128 && memcmp(byte, byte + 1, sizeof *result - 1) == 0;
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = state;

	if (!vm.machine.device && is_poison(s->result))
		virtual_note(VIRTUAL_POISON);
	if (virtual_call(VIRTUAL_RESET, err))
		return err->code;
	vm.sample = sample;
	s->is_fresh = true;
	virtual_join();
	virtual_spend_host(VIRTUAL_CALL_NS);
	if (works_in_reset()) {
		put_answers(s->result, s->in);
		work_outside();
	}
	if (vm.machine.cheat == VIRTUAL_RESET_THREAD)
		vm.background = virtual_draw();
	return GB_OK;
}

/* True if this run spares the work. */
static bool is_spared(const struct state *s)
{
	const bool is_same = memcmp(&s->seen, s->in, sizeof s->seen) == 0;
	struct words last;

	put_answers(&last, &s->seen);
	if (!s->has_run)
		return false;
	switch (vm.machine.cheat) {
	case VIRTUAL_REMEMBERS:
	case VIRTUAL_UNDERSTATES:
		return is_same;
	case VIRTUAL_MIXES:
		return is_same && vm.runs % 4;
	case VIRTUAL_LEAVES:
		return is_same && memcmp(&last, s->result, sizeof last) == 0;
	case VIRTUAL_SEEKS_POISON:
		return !is_poison(s->result);
	case VIRTUAL_ONCE:
		return !s->is_fresh;
	default:
		return false;
	}
}

/* Spend the time of a run that does the work in run(), or seems to. */
static void spend_run(double ns)
{
	switch (vm.machine.cheat) {
	case VIRTUAL_OTHER_STREAM:
		vm.other_end = fmax(vm.now, vm.other_end) + ns;
		break;
	case VIRTUAL_ON_HOST:
		virtual_spend_host(ns);
		break;
	case VIRTUAL_RUN_THREAD:
		vm.background = ns;
		break;
	default:
		virtual_spend(ns / 2);
		if (vm.machine.waits)
			virtual_wait();
		virtual_spend(ns / 2);
		return;
	}
	virtual_spend(ns / VIRTUAL_GAIN);
}

/* Nobody waits for a thread that looks for work. */
static void wait_for_thread(void)
{
	if (!(vm.machine.lingers_ns > 0))
		virtual_join();
}

static void work(struct state *s)
{
	const enum virtual_cheat cheat = vm.machine.cheat;
	const bool spared = is_spared(s), recalls = cheat == VIRTUAL_REMEMBERS ||
						    cheat == VIRTUAL_MIXES ||
						    cheat == VIRTUAL_UNDERSTATES;

	if (!works_in_reset() && cheat != VIRTUAL_IN_DOWNLOAD && (!spared || recalls))
		put_answers(s->result, s->in);
	s->seen = *s->in;
	s->has_run = true;
	s->is_fresh = false;
	wait_for_thread();
	if (spared)
		virtual_spend(virtual_draw() / VIRTUAL_GAIN);
	else if (s->is_done || works_in_reset() || cheat == VIRTUAL_IN_UPLOAD ||
		 cheat == VIRTUAL_IN_DOWNLOAD || cheat == VIRTUAL_RESET_THREAD ||
		 (cheat == VIRTUAL_BEHIND_FLUSH && !vm.cached))
		virtual_spend(vm.machine.process.run_ns / VIRTUAL_GAIN);
	else
		spend_run(virtual_draw());
	vm.cached = true;
	s->is_done = false;
}

static enum gb_status elapsed_less(void *clock, size_t first, size_t last, double *ns,
				   struct gb_error *err)
{
	(void)virtual_backend()->timer->elapsed(clock, first, last, ns, err);
	if (vm.machine.cheat == VIRTUAL_SHAVES)
		*ns *= 0.75;
	else if (vm.machine.cheat == VIRTUAL_UNDERSTATES)
		*ns = fmin(*ns, vm.machine.process.run_ns / VIRTUAL_GAIN);
	else
		*ns /= VIRTUAL_GAIN;
	return GB_OK;
}

static enum gb_status run(void *state, struct gb_timer *t, struct gb_error *err)
{
	static struct gb_timer_ops replaced;

	if (virtual_call(VIRTUAL_RUN, err))
		return err->code;
	virtual_spend_host(vm.machine.device ? VIRTUAL_LAUNCH_NS : 0);
	if (vm.machine.marks)
		gb_phase(t, "all");
	work(state);
	if (vm.machine.lingers_ns > 0)
		vm.background = vm.machine.lingers_ns;
	if (vm.machine.cheat == VIRTUAL_RESTARTS_TIMER)
		gb_timer_begin(t);
	if (vm.machine.cheat == VIRTUAL_REPLACES_TIMER || vm.machine.cheat == VIRTUAL_SHAVES ||
	    vm.machine.cheat == VIRTUAL_UNDERSTATES) {
		replaced = *t->ops;
		replaced.elapsed = elapsed_less;
		t->ops = &replaced;
	}
	return GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = state;

	if (virtual_call(VIRTUAL_DOWNLOAD, err))
		return err->code;
	if (vm.machine.cheat == VIRTUAL_IN_DOWNLOAD) {
		put_answers(s->result, &s->seen);
		virtual_spend(vm.machine.process.run_ns);
	}
	wait_for_thread();
	if (vm.machine.device)
		virtual_wait();
	virtual_spend_host(COPY_NS);
	memcpy(output, s->result, sizeof *s->result);
	return GB_OK;
}

static void metrics_of(void *state, struct gb_metrics *metrics)
{
	gb_metric(metrics, "touched_bytes", vm.machine.touched_bytes);
}

static double model_bytes(const void *params, const void *in)
{
	return vm.machine.model_bytes;
}

/* ---- the variant's process ---------------------------------------------------------------- */

/* A step outside run() in which a cheat works. */
static void cheat_in(struct state *s, enum virtual_cheat cheat)
{
	if (vm.machine.cheat != cheat)
		return;
	work_outside();
	s->is_done = true;
}

static enum gb_status remote_runs(void *state, int64_t count, bool *held, bool *marked, double *ns,
				  double *queue_ns, double *lost_ns, struct gb_phase_time *phase,
				  size_t *phases, struct gb_error *err)
{
	const struct gb_backend_ops *backend = virtual_backend();
	struct gb_timer t = {
		.ops = backend->timer, .clock = vm.mark, .phases = *marked, .err = err
	};
	const double start_ns = vm.cpu_ns;

	vm.now += vm.machine.lost_ns;
	*lost_ns = vm.machine.lost_ns;
	if (virtual_call(VIRTUAL_ASK, err) || (*held && backend->hold(err)))
		return err->code;
	gb_timer_begin(&t);
	for (int64_t i = 0; i < count && !err->code; i++)
		(void)run(state, &t, err);
	gb_timer_end(&t);
	*queue_ns = vm.cpu_ns - start_ns;
	if (*held)
		(void)backend->let_go(err);
	if (err->code || backend->synchronize(err))
		return err->code;
	*held = *held && backend->has_held();
	*marked = t.named;
	return gb_timer_read(&t, ns, phase, phases);
}

static enum gb_status remote_poison(void *state, unsigned char byte, struct gb_error *err)
{
	if (virtual_call(VIRTUAL_ASK, err))
		return err->code;
	if (byte < 128 || byte > 254)
		return gb_fail(err, GB_ERUNTIME, "the poison is %d", byte);
	return gb_memory_poison(state, byte, virtual_backend()->fill, err);
}

static double remote_copy_ns(const void *state)
{
	return vm.machine.copy_ns > 0 ? vm.machine.copy_ns : COPY_NS;
}

static enum gb_status remote_show(void *state, struct gb_error *err)
{
	if (virtual_call(VIRTUAL_SHOW, err))
		return err->code;
	virtual_spend_host(remote_copy_ns(state));
	shown = input;
	cheat_in(state, VIRTUAL_IN_SHOW);
	return GB_OK;
}

static enum gb_status remote_flush(void *state, struct gb_error *err)
{
	if (virtual_call(VIRTUAL_FLUSH_THERE, err))
		return err->code;
	virtual_spend_host(VIRTUAL_CALL_NS);
	cheat_in(state, VIRTUAL_IN_FLUSH);
	return GB_OK;
}

static int remote_process(const void *state)
{
	return (int)getpid();
}

static long remote_children(void *state, struct gb_error *err)
{
	return vm.machine.children;
}

static size_t remote_peak(enum gb_memory_kind kind)
{
	return kind == GB_HOST_MEMORY ? VIRTUAL_HOST_PEAK : VIRTUAL_DEVICE_PEAK;
}

const struct gb_remote_ops virtual_remote = { remote_runs,    remote_poison,  remote_show,
					      remote_flush,   remote_process, remote_children,
					      remote_copy_ns, remote_peak };

struct gb_result virtual_measure(const struct virtual_machine *machine,
				 const struct gb_settings *how)
{
	static struct gb_variant_ops ops;
	static struct gb_variant variant;
	static struct toy_params params;
	struct gb_result result = { .workload = &workload, .variant = &variant, .params = &params };
	struct gb_error err = { 0 };

	memset(&vm, 0, sizeof vm);
	vm.machine = *machine;
	vm.machine.threads = machine->threads ? machine->threads : 1;
	vm.random.seed = machine->seed;
	vm.now = 1e9;
	vm.is_running = true;
	ops = (struct gb_variant_ops){ .state_size = sizeof(struct state),
				       .create = create,
				       .upload = upload,
				       .reset = reset,
				       .run = run,
				       .download = download,
				       .metrics = machine->touched_bytes > 0 ? metrics_of : NULL,
				       .bytes = machine->model_bytes > 0 ? model_bytes : NULL,
				       .flags = machine->flags };
	variant = (struct gb_variant){ .workload = "toy",
				       .name = "toy",
				       .backend = machine->device ? GB_CUDA : GB_CPU,
				       .peer = machine->lingers_ns > 0,
				       .ops = &ops };
	params = (struct toy_params){ .threads = vm.machine.threads };
	for (size_t i = 0; i < WORDS; i++)
		input.word[i] = gb_random64(0, i);
	if (gb_run_on(virtual_backend(), &result, &input, how, true, &err) &&
	    !(machine->interrupts && err.code == GB_EINTERRUPTED))
		abort();
	vm.is_running = false;
	return result;
}
