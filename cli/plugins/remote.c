/* remote.c -- see remote.h. */
#include "cli/plugins/remote.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cli/plugins/link.h"
#include "cli/plugins/process.h"
#include "cli/plugins/sha256.h"
#include "cli/plugins/worker.h"
#include "cli/workloads/registry.h"
#include "cli/workloads/value.h"
#include "common/devices.h"
#include "common/nvml.h"
#include "common/text.h"

static const double MOST = 1e18; /* of a metric */

/* The state of a remote variant. */
struct remote {
	struct gb_process process;
	const struct gb_workload *workload;
	const void *params, *input;
	unsigned char *shown, *output;
	size_t shown_bytes, output_bytes;
	double copy_ns;  /* see struct gb_remote_ops */
	int schedule[2]; /* how long this process and the other have waited for a processor */
};

static const struct gb_variant *chosen;
static struct gb_remote_limits limit;
static bool counting; /* the next run is counted */
static size_t last_peak[2];

/* Send a request and wait for its answer. */
static enum gb_status ask(struct remote *s, struct gb_message *message, struct gb_error *err)
{
	(void)gb_process_ask(&s->process, message, err);
	memcpy(last_peak, s->process.peak, sizeof last_peak);
	return err->code;
}

static enum gb_status ask_for(struct remote *s, enum gb_request_word word, int64_t number,
			      struct gb_error *err)
{
	struct gb_message message = { .word = (int32_t)word, .number = { number } };

	return ask(s, &message, err);
}

/* A text that stays; equal texts are one.  "" if there are too many. */
static const char *keep(const char *text)
{
	static char *kept[1024];
	static size_t count;
	size_t i = 0;

	while (i < count && !gb_equal(kept[i], text))
		i++;
	if (i == GB_COUNT(kept) || (i == count && !(kept[count] = strdup(text))))
		return "";
	count += i == count;
	return kept[i];
}

/* ---- the input ---------------------------------------------------------------------------- */

struct writer {
	unsigned char *to; /* NULL: only count */
	size_t at;
};

static void write_array(void *writer, void **pointer, size_t bytes)
{
	struct writer *out = writer;

	if (out->to && bytes)
		memcpy(out->to + out->at, *pointer, bytes);
	out->at += bytes;
}

/* Write what variants may see of the input to `to`; return its size. */
static size_t write_input(const struct remote *s, unsigned char *to)
{
	struct writer writer = { to, s->workload->input_size };
	void *copy = malloc(s->workload->input_size);

	if (!copy)
		return 0;
	memcpy(copy, s->input, s->workload->input_size);
	s->workload->show(copy, write_array, &writer);
	if (to)
		memcpy(to, copy, s->workload->input_size);
	free(copy);
	return writer.at;
}

/* Put the parameters that variants may see on the board. */
static enum gb_status write_params(const struct remote *s, struct gb_error *err)
{
	struct gb_board *board = s->process.board;

	if (!board || s->workload->params_size > sizeof board->params)
		return gb_fail(err, GB_ERUNTIME, "the parameters do not fit");
	memcpy(board->params, s->params, s->workload->params_size);
	for (size_t i = 0; i < s->workload->param_count; i++) {
		const struct gb_param *row = &s->workload->params[i];

		if (row->input_only || row->type == GB_PATH)
			memset(board->params + row->offset, 0, sizeof(union gb_value));
	}
	return GB_OK;
}

/* ---- operations --------------------------------------------------------------------------- */

static struct {
	char excluded[200];
} last; /* the last process's */

static int64_t index_of(const struct gb_variant *variant)
{
	int64_t index = 0;

	for (size_t i = 0; &gb_variants[i] < variant; i++)
		index += gb_variants[i].plugin == variant->plugin;
	return index;
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct remote *s = state;
	struct gb_message message = { .word = GB_ASK_TABLE };
	char schedule[64], digest[65];
	int shown, output;

	s->workload = gb_workload_find(chosen->workload);
	s->params = params;
	s->input = input;
	s->process.timeout_s = limit.timeout_s;
	if (gb_sha256_file(chosen->plugin->path, digest, err))
		return err->code;
	if (!gb_equal(digest, chosen->plugin->sha256))
		return gb_fail(err, GB_EVERIFY, "%.200s: the file has changed since it was loaded",
			       chosen->plugin->path);
	s->shown_bytes = write_input(s, NULL);
	s->output_bytes = s->workload->output_size(params, input);
	shown = gb_memory_file(s->shown_bytes);
	output = gb_memory_file(s->output_bytes);
	if (shown >= 0)
		s->shown = gb_link_map(shown, s->shown_bytes, true);
	if (output >= 0)
		s->output = gb_link_map(output, s->output_bytes, true);
	if (!s->shown || !s->output || !s->shown_bytes) {
		gb_fail(err, GB_EMEMORY, "cannot share the input: %s", strerror(errno));
		(void)close(shown);
		(void)close(output);
		return err->code;
	}
	/* The other process can only read it (Linux 5.1). */
	(void)fcntl(shown, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
	if (gb_process_start(&s->process, shown, output, err) || write_params(s, err))
		return err->code;
	(void)write_input(s, s->shown);
	(void)snprintf(message.text, sizeof message.text, "%s", chosen->plugin->path);
	if (ask(s, &message, err))
		return err->code;
	message = (struct gb_message){ .word = GB_ASK_CREATE,
				       .number = { index_of(chosen), limit.device,
						   (int64_t)s->shown_bytes,
						   (int64_t)s->output_bytes, limit.memory_bytes } };
	if (ask(s, &message, err))
		return err->code;
	gb_take_text(last.excluded, sizeof last.excluded, s->process.board->excluded);
	(void)snprintf(schedule, sizeof schedule, "/proc/%d/schedstat", s->process.pid);
	s->schedule[0] = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	s->schedule[1] = open(schedule, O_RDONLY | O_CLOEXEC);
	s->copy_ns = INFINITY;
	return GB_OK;
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	return ask_for(state, GB_ASK_UPLOAD, 0, err);
}

static enum gb_status show(void *state, struct gb_error *err)
{
	struct remote *s = state;
	const double start_ns = gb_now_ns();

	(void)write_input(s, s->shown);
	s->copy_ns = fmin(s->copy_ns, gb_now_ns() - start_ns);
	return ask_for(s, GB_ASK_INPUT, 0, err);
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	return ask_for(state, GB_ASK_RESET, sample, err);
}

/* Time in ns that this thread and the main one of the other process have waited for a processor,
 * and the CPU time of the other threads there. */
struct waits {
	double here, there, others;
};

static struct waits read_waits(const struct remote *s)
{
	double ran[2] = { 0 }, waited[2] = { 0 };
	struct timespec cpu = { 0 };
	clockid_t clock;

	for (int i = 0; i < 2; i++) {
		char text[128] = "";

		if (s->schedule[i] > 0 && pread(s->schedule[i], text, sizeof text - 1, 0) > 0)
			(void)sscanf(text, "%lf %lf", &ran[i], &waited[i]);
	}
	if (!clock_getcpuclockid(s->process.pid, &clock))
		(void)clock_gettime(clock, &cpu);
	return (struct waits){ waited[0], waited[1],
			       (double)cpu.tv_sec * 1e9 + (double)cpu.tv_nsec - ran[1] };
}

/* The time between two readings for which this process and the other had no processor.  That is not
 * so if the main thread there waited while others of its process worked. */
static double lost_ns_between(const struct waits *a, const struct waits *b)
{
	return b->here - a->here + fmax(b->there - a->there - fmax(b->others - a->others, 0), 0);
}

static enum gb_status runs(void *state, int64_t count, bool *held, bool *marked, double *ns,
			   double *queue_ns, double *lost_ns, struct gb_phase_time *phase,
			   size_t *phases, struct gb_error *err)
{
	struct remote *s = state;
	struct gb_message message = { .word = GB_ASK_RUNS,
				      .number = { count, *held, *marked, counting } };
	const struct waits before = read_waits(s);
	const double start_ns = gb_now_ns();
	struct waits after;
	const size_t room = *phases;
	char name[sizeof s->process.board->phase->name];

	*phases = 0;
	if (ask(s, &message, err))
		return err->code;
	after = read_waits(s);
	*lost_ns = lost_ns_between(&before, &after);
	*held = message.number[0] != 0;
	*marked = message.number[1] != 0;
	*ns = message.ns[0];
	*queue_ns = message.ns[1];
	if (!(*ns >= 0 && *ns <= (gb_now_ns() - start_ns) * 1.01 + 1000))
		return gb_fail(err, GB_EVERIFY, "the clock was tampered with");
	for (int64_t i = 0; i < message.number[2] && *phases < room; i++) {
		const double part = s->process.board->phase[i].ns;

		if (!(part >= 0 && part <= *ns * 1.01 + 1000))
			return gb_fail(err, GB_EVERIFY, "a phase takes longer than the run");
		gb_take_text(name, sizeof name, s->process.board->phase[i].name);
		phase[(*phases)++] = (struct gb_phase_time){ keep(name), part };
	}
	return GB_OK;
}

/* For whole runs, whose time is taken by the judge. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct gb_phase_time none[1];
	size_t phases = 0;
	double ns, queue_ns, lost_ns;
	bool held = false, marked = false;

	return runs(state, 1, &held, &marked, &ns, &queue_ns, &lost_ns, none, &phases, err);
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct remote *s = state;

	if (!ask_for(s, GB_ASK_DOWNLOAD, 0, err))
		memcpy(output, s->output, s->output_bytes);
	return err->code;
}

static bool has(const struct gb_metrics *metrics, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (gb_equal(metrics->item[i].name, name))
			return true;
	return false;
}

static void metrics(void *state, struct gb_metrics *to)
{
	struct remote *s = state;
	const struct gb_board *board = s->process.board;
	struct gb_error ignored = { 0 };
	size_t count, own;

	if (ask_for(s, GB_ASK_METRICS, 0, &ignored))
		return;
	count = board->metrics;
	own = to->count;
	for (size_t i = 0; i < count && i < GB_MAX_METRICS; i++) {
		const double value = board->metric[i].value;
		char name[sizeof board->metric->name], text[sizeof board->metric->text];

		gb_take_text(name, sizeof name, board->metric[i].name);
		gb_take_text(text, sizeof text, board->metric[i].text);
		/* Those of the verifier stay. */
		if (has(to, own, name))
			continue;
		if (*text)
			gb_metric_hash(to, keep(name), strtoull(text, NULL, 16));
		else if (value >= 0 && value <= MOST)
			gb_metric(to, keep(name), value);
	}
}

static void destroy(void *state)
{
	struct remote *s = state;
	struct gb_error ignored = { 0 };

	if (s->process.pid)
		(void)ask_for(s, GB_ASK_END, 0, &ignored);
	gb_process_stop(&s->process);
	for (int i = 0; i < 2; i++)
		if (s->schedule[i] > 0)
			(void)close(s->schedule[i]);
	if (s->shown)
		(void)munmap(s->shown, s->shown_bytes);
	if (s->output)
		(void)munmap(s->output, s->output_bytes + !s->output_bytes);
}

static const char *excluded(const void *params)
{
	return *last.excluded ? last.excluded : NULL;
}

/* ---- the back end ------------------------------------------------------------------------- */

static struct remote *current; /* the open measurement's; set by its first request */

static enum gb_status poison(void *state, unsigned char byte, struct gb_error *err)
{
	return ask_for(state, GB_ASK_POISON, byte, err);
}

static enum gb_status flush_there(void *state, struct gb_error *err)
{
	return ask_for(state, GB_ASK_FLUSH, 0, err);
}

static int process(const void *state)
{
	return ((const struct remote *)state)->process.pid;
}

static long children(void *state, struct gb_error *err)
{
	struct remote *s = state;
	struct gb_message message = { .word = GB_ASK_CHILDREN };

	return ask(s, &message, err) ? 0 : (long)message.number[0];
}

static double copy_ns(const void *state)
{
	return ((const struct remote *)state)->copy_ns;
}

static size_t peak(enum gb_memory_kind kind)
{
	return last_peak[kind];
}

static const struct gb_remote_ops remote_ops = { runs,    poison,   show,    flush_there,
						 process, children, copy_ns, peak };

static enum gb_status create_current(void *state, const void *params, const void *input,
				     struct gb_error *err)
{
	current = state;
	return create(state, params, input, err);
}

static enum gb_status flush(struct gb_error *err)
{
	return flush_there(current, err);
}

/* The device is open in the other process alone, so the back end itself does not know it. */
static void state(struct gb_gpu_state *now)
{
	gb_nvml_state(gb_device_pci(chosen->backend, limit.device), now);
}

static double throttled_ns(void)
{
	return gb_nvml_throttled_ns(gb_device_pci(chosen->backend, limit.device));
}

static void count(bool on)
{
	counting = on;
}

/* The judged process may have written anything, so only a JSON object of bounded size is taken. */
static const char *counts(void)
{
	static char *text; /* the last call's */
	struct gb_message message = { .word = GB_ASK_COUNTS };
	struct gb_error ignored = { 0 };
	cJSON *object = NULL;
	char *copy;

	if (ask(current, &message, &ignored) || message.number[0] < 0 ||
	    message.number[0] > GB_LINK_COUNTS || !(copy = malloc(GB_LINK_COUNTS)))
		return NULL;
	memcpy(copy, current->process.board->counts, (size_t)message.number[0]);
	object = cJSON_ParseWithLength(copy, (size_t)message.number[0]);
	free(text);
	text = cJSON_IsObject(object) ? cJSON_PrintUnformatted(object) : NULL;
	cJSON_Delete(object);
	free(copy);
	return text;
}

const struct gb_counter gb_remote_counter = { count, counts };

/* Every request is answered once its work is done. */
static enum gb_status synchronize(struct gb_error *err)
{
	return err->code;
}

static enum gb_status open_nothing(int device, struct gb_error *err)
{
	return err->code;
}

const struct gb_backend_ops *gb_remote_backend(const struct gb_variant *variant,
					       const struct gb_remote_limits *limits)
{
	static struct gb_backend_ops backend;

	chosen = variant;
	limit = *limits;
	memset(last_peak, 0, sizeof last_peak);
	memset(&last, 0, sizeof last);
	backend = *gb_backends[variant->backend];
	backend.open = open_nothing;
	/* The judge's flush evicts the caches of all cores, whatever the other process does. */
	if (backend.fill)
		backend.flush = flush;
	backend.synchronize = synchronize;
	backend.timer = &gb_cpu_timer;
	backend.counter = backend.counter ? &gb_remote_counter : NULL;
	backend.sm_clock_hz = NULL;
	if (backend.state) {
		backend.state = state;
		backend.throttled_ns = throttled_ns;
	}
	backend.remote = &remote_ops;
	return &backend;
}

/* ---- the table ---------------------------------------------------------------------------- */

static enum gb_status add(const struct gb_plugin_file *file, const struct gb_link_variant *v,
			  struct gb_error *err)
{
	struct gb_variant_ops *ops = malloc(sizeof *ops);
	const struct gb_workload *workload = gb_workload_find(v->workload);
	const enum gb_backend backend = (enum gb_backend)v->backend;

	if (!ops) {
		free(ops);
		return gb_out_of_memory(err, "a plug-in");
	}
	*ops = (struct gb_variant_ops){
		.state_size = sizeof(struct remote),
		.create = create_current,
		.upload = upload,
		.reset = reset,
		.run = run,
		.download = download,
		.destroy = destroy,
		.excluded = excluded,
		.metrics = metrics,
		/* A word of the plug-in must not exempt upload() and download() from copying: they
		 * could do all the work. */
		.flags = v->flags & ~(unsigned)(GB_CONVERTS | GB_DERIVES),
	};
	return gb_variants_add(&(struct gb_variant){ .workload = workload->name,
						     .name = keep(v->name),
						     .backend = backend,
						     .summary = keep(v->summary),
						     .ops = ops,
						     .plugin = file },
			       err);
}

enum gb_status gb_remote_add(struct gb_plugin_file *file, struct gb_error *err)
{
	struct gb_process p = { .timeout_s = 60 };
	struct gb_message message = { .word = GB_ASK_TABLE };
	struct gb_board *board = calloc(1, sizeof *board);

	(void)snprintf(message.text, sizeof message.text, "%s", file->path);
	if (!board)
		return gb_out_of_memory(err, "a plug-in");
	if (!gb_process_start(&p, -1, -1, err) && gb_process_ask(&p, &message, err) &&
	    err->code == GB_ERUNTIME) {
		const struct gb_error said = *err;

		*err = (struct gb_error){ 0 };
		gb_fail(err, GB_EUSAGE, "%.200s: %s", file->path, said.message);
	}
	if (!err->code && p.board)
		memcpy(board, p.board, offsetof(struct gb_board, counts));
	gb_process_stop(&p);
	if (!err->code) {
		gb_take_text(board->name, sizeof board->name, board->name);
		gb_take_text(board->version, sizeof board->version, board->version);
		file->name = keep(board->name);
		file->version = keep(board->version);
	}
	for (size_t i = 0; !err->code && i < board->variants && i < GB_LINK_VARIANTS; i++) {
		struct gb_link_variant *v = &board->variant[i];

		gb_take_text(v->workload, sizeof v->workload, v->workload);
		gb_take_text(v->name, sizeof v->name, v->name);
		gb_take_text(v->summary, sizeof v->summary, v->summary);
		if (!gb_plugin_is_name(v->name) || !gb_workload_find(v->workload) ||
		    v->backend >= GB_BACKENDS)
			gb_fail(err, GB_EUSAGE, "%.200s: its table is not valid", file->path);
		else
			(void)add(file, v, err);
	}
	free(board);
	return err->code;
}
